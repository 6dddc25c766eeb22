#include "explain/places.hpp"

#include <algorithm>
#include <cstddef>

namespace commgauge::replay {

using trace::Event;

Places::Places(const trace::Trace& trace) : trace_{trace}, ranks_(trace.ranks.size()) {
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) add(static_cast<int>(r));
}

void Places::add(int rank) {
  std::vector<std::uint32_t> entered(trace_.names.size());  // by region: how often
  const auto whole_rank = static_cast<std::uint32_t>(instances_.size());
  instances_.push_back({rank, whole(), 0, whole_rank});
  const trace::Rank& recorded = trace_.ranks[static_cast<std::size_t>(rank)];
  const At end = add(rank, whole_rank, events_of(recorded, 0), entered);
  for (std::size_t thread = 1; thread <= recorded.further_threads.size(); ++thread) {
    add(rank, whole_rank, events_of(recorded, thread), entered);
  }
  ranks_[static_cast<std::size_t>(rank)].push_back(end);
}

/// A thread of the rank. @return where it ends
Places::At Places::add(int rank, std::uint32_t whole_rank, std::span<const Event> events,
                       std::vector<std::uint32_t>& entered) {
  std::vector<At>& places = ranks_[static_cast<std::size_t>(rank)];
  std::vector<Call> calls{Call{}};
  std::vector<std::uint32_t> regions{whole_rank};
  for (const Event& event : events) {
    places.push_back({calls.back(), regions.back()});
    if (const auto* const call = event.as<trace::event::Enter>()) {
      calls.push_back({call->name, call->site});
    } else if (event.is<trace::event::Leave>() && calls.size() > 1) {
      calls.pop_back();
    } else if (const auto* const region = event.as<trace::event::RegionBegin>()) {
      const std::uint32_t around = regions.back();
      const bool is_inside_itself = has_around(around, region->name);
      regions.push_back(is_inside_itself ? around : static_cast<std::uint32_t>(instances_.size()));
      if (!is_inside_itself) {
        instances_.push_back({rank, region->name, entered[region->name]++, around});
      }
    } else if (event.is<trace::event::RegionEnd>() && regions.size() > 1) {
      regions.pop_back();
    }
  }
  return {calls.back(), regions.back()};
}

Places::Thread Places::thread(int rank, std::uint32_t place) const {
  const trace::Rank& recorded = trace_.ranks[static_cast<std::size_t>(rank)];
  const auto next = std::ranges::upper_bound(recorded.further_threads, place);
  return {next == recorded.further_threads.begin() ? 0 : *(next - 1),
          next == recorded.further_threads.end()
              ? static_cast<std::uint32_t>(recorded.events.size())
              : *next};
}

const Places::At& Places::at(int rank, std::uint32_t place) const {
  const std::vector<At>& places = ranks_[static_cast<std::size_t>(rank)];
  return places[std::min<std::size_t>(place, places.size() - 1)];
}

const Event* Places::event(int rank, std::uint32_t place) const {
  const auto all = events(rank);
  return place < all.size() ? &all[place] : nullptr;
}

bool Places::begins_mpi(int rank, std::uint32_t place) const {
  const auto* const call = events(rank)[place].as<trace::event::Enter>();
  return call != nullptr && trace_.names[call->name].starts_with("MPI_Init");
}

bool Places::is_around(std::uint32_t one, std::uint32_t other) const {
  while (other != one && instances_[other].around != other) other = instances_[other].around;
  return other == one;
}

bool Places::has_around(std::uint32_t instance, std::uint32_t region) const {
  for (;; instance = instances_[instance].around) {
    if (instances_[instance].region == region) return true;
    if (instances_[instance].around == instance) return false;
  }
}

bool Places::is_within(int rank, std::uint32_t place, std::uint32_t region) const {
  return has_around(instance(rank, place), region);
}

std::string Places::region_name(std::uint32_t region) const {
  return region == whole() ? whole_program : trace_.names[region];
}

std::string Places::call_name(Call call) const {
  return call.name == no_call ? "" : trace_.names[call.name];
}

/// Empty: no trace says yet where a call is.
std::string Places::site_name(Call call) const { return trace::to_text(trace_.sites[call.site]); }

Whereabouts Places::whereabouts(int rank, std::uint32_t place) const {
  const Call here = call(rank, place);
  return {rank, region_name(region(rank, place)), call_name(here), site_name(here)};
}

}  // namespace commgauge::replay
