#include "commgauge/trace/events/crossings.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "events/request_use.hpp"

namespace commgauge::trace {
namespace {

constexpr std::uint32_t no_start = std::numeric_limits<std::uint32_t>::max();

/// Goes over one thread after the other.
class Finder {
 public:
  explicit Finder(const Rank& rank) : rank_{rank} {
    for (const Event& one : rank.events) {
      if (one.is<event::PrepareSend, event::PrepareReceive>()) prepared_.insert(request_in(one));
    }
  }

  std::vector<Crossing> find() {
    std::size_t next = 0;
    const auto& begins = rank_.further_threads;
    for (at_ = 0; at_ < rank_.events.size(); ++at_) {
      for (; next < begins.size() && begins[next] == at_; ++next) leave_thread();
      pass(rank_.events[at_]);
    }
    leave_thread();
    find_starts();
    std::erase_if(unknown_, [](const Crossing& one) { return one.start == no_start; });
    return std::move(unknown_);
  }

 private:
  void pass(const Event& one) {
    each_end(rank_, one, [&](auto request, auto entry) { end(request, entry); });
    // What was prepared may be over when it is given up.
    const auto* const given_up = one.as<event::Free>();
    if (given_up != nullptr && !prepared_.contains(given_up->request)) {
      own_.erase(given_up->request);
    }
    const std::uint32_t started = started_by(one);
    if (started == no_request) return;
    const auto [own, is_new] = own_.emplace(started, at_);
    if (is_new) return;
    left_[started].push_back(own->second);  // another thread has found it over
    own->second = at_;
  }

  void end(std::uint32_t request, std::uint32_t entry) {
    if (own_.erase(request) > 0) return;
    ends_[request].push_back(unknown_.size());
    unknown_.push_back({.end = at_, .start = no_start, .entry = entry});
  }

  void leave_thread() {
    for (const auto& [request, start] : own_) left_[request].push_back(start);
    own_.clear();
  }

  /// The last starts belong to the last ends, in the order of time.
  void find_starts() {
    for (auto& [request, ends] : ends_) {
      const auto found = left_.find(request);
      if (found == left_.end()) continue;
      auto& starts = found->second;
      std::ranges::stable_sort(starts, {}, [&](std::uint32_t one) { return time_of(one); });
      std::ranges::stable_sort(ends, {}, [&](auto one) { return time_of(unknown_[one].end); });
      const std::size_t least = std::min(starts.size(), ends.size());
      for (std::size_t k = 0; k < ends.size(); ++k) {
        const std::size_t behind = ends.size() - 1 - k;
        unknown_[ends[k]].start = starts[starts.size() - 1 - std::min(behind, least - 1)];
      }
    }
  }

  [[nodiscard]] std::int64_t time_of(std::uint32_t event) const { return rank_.events[event].time; }

  const Rank& rank_;
  std::uint32_t at_{};
  std::unordered_set<std::uint32_t> prepared_;            ///< messages in partitions, at any time
  std::unordered_map<std::uint32_t, std::uint32_t> own_;  ///< by request: what started it
  /// Not ended by the thread itself.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> left_;
  std::vector<Crossing> unknown_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> ends_;  ///< by request, of unknown_
};

}  // namespace

std::vector<Crossing> crossings(const Rank& rank) {
  if (rank.further_threads.empty()) return {};
  return Finder{rank}.find();
}

}  // namespace commgauge::trace
