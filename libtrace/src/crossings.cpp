#include "commgauge/trace/crossings.hpp"

#include <cstddef>
#include <unordered_map>

#include "request_use.hpp"

namespace commgauge::trace {
namespace {

/// Goes over one thread after the other.
class Finder {
 public:
  explicit Finder(const Rank& rank) : rank_{rank} {}

  std::vector<Crossing> find() {
    std::size_t next = 0;
    const auto& begins = rank_.further_threads;
    for (at_ = 0; at_ < rank_.events.size(); ++at_) {
      for (; next < begins.size() && begins[next] == at_; ++next) leave_thread();
      event(rank_.events[at_]);
    }
    leave_thread();
    std::erase_if(unknown_, [&](Crossing& one) { return !has_start(one); });
    return std::move(unknown_);
  }

 private:
  void event(const Event& event) {
    each_end(rank_, event, [&](auto request, auto entry) { end(request, entry); });
    if (gives_up(event)) own_.erase(event.request);
    if (starts(event)) own_[event.request] = at_;
  }

  void end(std::uint32_t request, std::uint32_t entry) {
    if (own_.erase(request) > 0) return;
    unknown_.push_back({.end = at_, .entry = entry});
    requests_.push_back(request);
  }

  void leave_thread() {
    for (const auto& [request, start] : own_) {
      const auto [last, is_new] = left_.emplace(request, start);
      if (!is_new && time_of(last->second) <= time_of(start)) last->second = start;
    }
    own_.clear();
  }

  bool has_start(Crossing& one) {
    const auto found = left_.find(requests_[next_++]);
    if (found == left_.end()) return false;
    one.start = found->second;
    return true;
  }

  [[nodiscard]] std::int64_t time_of(std::uint32_t event) const { return rank_.events[event].time; }

  const Rank& rank_;
  std::uint32_t at_{};
  std::size_t next_{};                                     ///< of unknown_, and requests_
  std::unordered_map<std::uint32_t, std::uint32_t> own_;   ///< by request: what started it
  std::unordered_map<std::uint32_t, std::uint32_t> left_;  ///< not ended by the thread itself
  std::vector<Crossing> unknown_;
  std::vector<std::uint32_t> requests_;  ///< of unknown_
};

}  // namespace

std::vector<Crossing> crossings(const Rank& rank) {
  if (rank.further_threads.empty()) return {};
  return Finder{rank}.find();
}

}  // namespace commgauge::trace
