#include "commgauge/trace/write/write_trace.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "commgauge/trace/events/crossings.hpp"
#include "commgauge/trace/write/writer.hpp"
#include "events/request_use.hpp"

namespace commgauge::trace {
namespace {

/// What the writer calls the trace's.
struct Numbers {
  std::vector<std::uint32_t> names;
  std::vector<std::uint32_t> sites;
};

/// What it got: nothing where it is no receive.
Found found_by(const Event& one) {
  return std::visit(Handlers{
                        [](const event::Receive& receive) { return receive.found; },
                        [](const event::MatchedReceive& receive) { return receive.found; },
                        [](const auto&) { return Found{}; },
                    },
                    one.what);
}

/// Writes the events of one rank, and finds for each wait what its receives got.
class Copy {
 public:
  Copy(const Rank& rank, const std::vector<Crossing>& crossings, const Numbers& numbers)
      : rank_{rank}, numbers_{numbers} {
    for (const auto& one : crossings) {
      started_elsewhere_[one.entry] = found_by(rank.events[one.start]);
    }
  }

  void write(const Event& one, std::size_t thread, RankWriter& writer) {
    auto& found = found_[thread];
    const auto write_list = [&](const auto& wait) { writer.write(one, over(wait, found)); };
    const auto write_receive = [&](const auto& receive) {
      if (receive.request != no_request) found[receive.request] = receive.found;
      writer.write(one);
    };
    const auto write_other_start = [&](const auto& start) {
      found.erase(start.request);
      writer.write(one);
    };
    std::visit(Handlers{
                   [&](event::Enter call) {
                     call.name = numbers_.names.at(call.name);
                     call.site = numbers_.sites.at(call.site);
                     writer.write({call, one.time});
                   },
                   [&](const event::Leave& call) { write_named(call, one.time, writer); },
                   [&](const event::RegionBegin& begin) { write_named(begin, one.time, writer); },
                   [&](const event::RegionEnd& end) { write_named(end, one.time, writer); },
                   [&](const event::Wait& wait) { write_list(wait); },
                   [&](const event::Poll& poll) { write_list(poll); },
                   [&](const event::Flush& flush) { write_list(flush); },
                   [&](const event::Collective& start) {
                     writer.write(one, rank_.collectives.at(start.operation));
                   },
                   [&](const event::Receive& receive) { write_receive(receive); },
                   [&](const event::MatchedReceive& receive) { write_receive(receive); },
                   [&](const event::Send& send) { write_other_start(send); },
                   [&](const event::Access& access) { write_other_start(access); },
                   [&](const event::Start& start) { write_other_start(start); },
                   [&](const auto&) { writer.write(one); },
               },
               one.what);
  }

 private:
  using Receives = std::unordered_map<std::uint32_t, Found>;  ///< what they got, by request

  void write_named(auto named, std::int64_t time, RankWriter& writer) const {
    named.name = numbers_.names.at(named.name);
    writer.write({named, time});
  }

  std::span<const Over> over(const auto& wait, const Receives& own) {
    over_.clear();
    for (std::uint32_t i = 0; i < wait.count; ++i) {
      const auto request = rank_.requests.at(std::size_t{wait.list} + i);
      const auto other = started_elsewhere_.find(wait.list + i);
      const auto receive = own.find(request);
      if (other != started_elsewhere_.end()) {
        over_.push_back({request, other->second});
      } else {
        over_.push_back({request, receive == own.end() ? Found{} : receive->second});
      }
    }
    return over_;
  }

  const Rank& rank_;
  const Numbers& numbers_;
  std::unordered_map<std::uint32_t, Found> started_elsewhere_;  ///< by where it is in a list
  std::unordered_map<std::size_t, Receives> found_;             ///< by thread
  std::vector<Over> over_;
};

/// What a thread has written.
struct Written {
  std::size_t from{};
  std::size_t next{};
  std::size_t end{};
};

std::vector<Written> threads_of(const Rank& rank) {
  std::vector<Written> threads{{0, 0, rank.events.size()}};
  for (const std::size_t from : rank.further_threads) {
    if (from < threads.back().from || from > rank.events.size()) {
      throw std::out_of_range("a thread");
    }
    threads.back().end = from;
    threads.push_back({from, from, rank.events.size()});
  }
  return threads;
}

/// Each thread after the other; but what ends another one's request comes when that is the only one
/// of its number that is started and not over, as it was when the program ran.
class Threads {
 public:
  Threads(const Rank& rank, const std::vector<Crossing>& crossings)
      : threads_{threads_of(rank)}, open_(threads_.size()), crossings_{crossings}, rank_{rank} {}

  template <typename Write>
  void each(const Write& write) {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        auto& thread = threads_[i];
        for (; thread.next < thread.end && may_come(thread.next); ++thread.next) {
          const auto& event = rank_.events[thread.next];
          if (!crossings_.empty()) note(event, open_[i]);
          write(event, i);
          goes_on = true;
        }
      }
    }
    for (const auto& one : threads_) {
      if (one.next < one.end) throw std::out_of_range("a request");
    }
  }

 private:
  using Requests = std::unordered_set<std::uint32_t>;

  [[nodiscard]] bool may_come(std::size_t event) const {
    auto one = std::ranges::lower_bound(crossings_, event, {}, &Crossing::end);
    for (; one != crossings_.end() && one->end == event; ++one) {
      const auto thread = std::ranges::upper_bound(threads_, one->start, {}, &Written::from) - 1;
      const auto request = request_in(rank_.events[one->start]);
      const auto is_open = [&](const Requests& open) { return open.contains(request); };
      if (one->start >= thread->next || std::ranges::count_if(open_, is_open) != 1) return false;
    }
    return true;
  }

  void note(const Event& event, Requests& own) {
    each_end(rank_, event, [&](auto request, auto) {
      if (own.erase(request) > 0) return;
      for (auto& open : open_) open.erase(request);
    });
    if (event.is<event::Free>()) own.erase(request_in(event));
    if (const auto started = started_by(event); started != no_request) own.insert(started);
  }

  std::vector<Written> threads_;
  std::vector<Requests> open_;  ///< by thread: started, not over
  const std::vector<Crossing>& crossings_;
  const Rank& rank_;
};

void write_rank(const Rank& rank, const Numbers& numbers, int number, Writer& writer) {
  const auto requests = crossings(rank);
  Copy copy{rank, requests, numbers};
  Threads{rank, requests}.each([&](const Event& event, std::size_t thread) {
    copy.write(event, thread, writer.thread(number, static_cast<int>(thread)));
  });
  auto& first = writer.rank(number);
  first.set_threads(rank.threads);
  first.set_complete(rank.is_complete);
}

std::vector<Place> places_of(const Trace& trace) {
  std::vector<Place> places;
  for (const auto& rank : trace.ranks) {
    places.push_back({static_cast<int>(places.size()), rank.host});
  }
  return places;
}

void write_ranks(const Trace& trace, Writer& writer) {
  Numbers numbers;
  for (const auto& name : trace.names) numbers.names.push_back(writer.name(name));
  for (const auto& site : trace.sites) numbers.sites.push_back(writer.site(site));
  for (const auto& one : trace.communicators) static_cast<void>(writer.communicator(one));
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const auto rank = static_cast<int>(i);
    try {
      write_rank(trace.ranks[i], numbers, rank, writer);
    } catch (const std::out_of_range&) {
      throw InputError(
          "rank " + std::to_string(rank) +
          " of the trace cannot be written (a list, name or site of its events isn't there)"
          ": report this mistake of the program that made it");
    }
    writer.finish_rank(rank);
  }
}

}  // namespace

void write(const Trace& trace, const std::filesystem::path& directory) {
  Alone alone;
  Writer writer{directory,
                {static_cast<int>(trace.ranks.size()), trace.has_processor_time, trace.is_virtual,
                 trace.program},
                places_of(trace),
                alone};
  writer.set_remarks(trace.remarks);
  try {
    write_ranks(trace, writer);
  } catch (const InputError& error) {
    writer.give_up(error.what());
    throw;
  }
  writer.close();
}

}  // namespace commgauge::trace
