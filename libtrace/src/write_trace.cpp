#include <stdexcept>
#include <unordered_map>

#include "commgauge/trace/writer.hpp"

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
  Copy(const Rank& rank, const Numbers& numbers, RankWriter& writer)
      : rank_{rank}, numbers_{numbers}, writer_{writer} {}

  void write(const Event& event) {
    using enum Event::Kind;
    switch (event.kind) {
      case enter:
      case leave:
      case region_begin:
      case region_end:
        return writer_.write(named(event));
      case wait:
      case poll:
      case flush:
        return writer_.write(event, over(event));
      case collective:
        return writer_.write(event, rank_.collectives.at(event.list));
      case receive:
      case matched_receive:
        if (event.request != no_request) found_[event.request] = &event;
        return writer_.write(event);
      case send:
      case access:
      case start:
        found_.erase(event.request);
        return writer_.write(event);
      default:
        return writer_.write(event);
    }
  }

 private:
  Event named(Event event) const {
    event.name = numbers_.names.at(event.name);
    if (event.kind == Event::Kind::enter) event.list = numbers_.sites.at(event.list);
    return event;
  }

  std::span<const Over> over(const Event& wait) {
    over_.clear();
    for (std::uint32_t i = 0; i < wait.count; ++i) {
      const auto request = rank_.requests.at(std::size_t{wait.list} + i);
      const auto receive = found_.find(request);
      over_.push_back(receive == found_.end()
                          ? Over{request}
                          : Over{request, receive->second->found_peer, receive->second->found_tag,
                                 receive->second->found_bytes});
    }
    return over_;
  }

  const Rank& rank_;
  const Numbers& numbers_;
  RankWriter& writer_;
  std::unordered_map<std::uint32_t, const Event*> found_;
  std::vector<Over> over_;
};

void write_rank(const Rank& rank, const Numbers& numbers, RankWriter& writer) {
  Copy copy{rank, numbers, writer};
  for (const auto& event : rank.events) copy.write(event);
  writer.set_threads(rank.threads);
  writer.set_complete(rank.is_complete);
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
      write_rank(trace.ranks[i], numbers, writer.rank(rank));
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
