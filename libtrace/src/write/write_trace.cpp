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

/// Writes the events of one rank, and finds for each wait what its receives got.
class Copy {
 public:
  Copy(const Rank& rank, const std::vector<Crossing>& crossings, const Numbers& numbers)
      : rank_{rank}, numbers_{numbers} {
    for (const auto& one : crossings) started_elsewhere_[one.entry] = &rank.events[one.start];
  }

  void write(const Event& event, std::size_t thread, RankWriter& writer) {
    auto& found = found_[thread];
    using enum Event::Kind;
    switch (event.kind) {
      case enter:
      case leave:
      case region_begin:
      case region_end:
        return writer.write(named(event));
      case wait:
      case poll:
      case flush:
        return writer.write(event, over(event, found));
      case collective:
        return writer.write(event, rank_.collectives.at(event.list));
      case receive:
      case matched_receive:
        if (event.request != no_request) found[event.request] = &event;
        return writer.write(event);
      case send:
      case access:
      case start:
        found.erase(event.request);
        return writer.write(event);
      default:
        return writer.write(event);
    }
  }

 private:
  using Receives = std::unordered_map<std::uint32_t, const Event*>;

  Event named(Event event) const {
    event.name = numbers_.names.at(event.name);
    if (event.kind == Event::Kind::enter) event.list = numbers_.sites.at(event.list);
    return event;
  }

  std::span<const Over> over(const Event& wait, const Receives& own) {
    over_.clear();
    for (std::uint32_t i = 0; i < wait.count; ++i) {
      const auto request = rank_.requests.at(std::size_t{wait.list} + i);
      const auto other = started_elsewhere_.find(wait.list + i);
      const auto receive = own.find(request);
      if (other != started_elsewhere_.end()) {
        over_.push_back(over(request, *other->second));
      } else {
        over_.push_back(receive == own.end() ? Over{request} : over(request, *receive->second));
      }
    }
    return over_;
  }

  static Over over(std::uint32_t request, const Event& started) {
    return {request, started.found_peer, started.found_tag, started.found_bytes};
  }

  const Rank& rank_;
  const Numbers& numbers_;
  std::unordered_map<std::uint32_t, const Event*> started_elsewhere_;  ///< by where it is in a list
  std::unordered_map<std::size_t, Receives> found_;                    ///< by thread
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
      const auto request = rank_.events[one->start].request;
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
    if (gives_up(event)) own.erase(event.request);
    if (starts(event)) own.insert(event.request);
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
