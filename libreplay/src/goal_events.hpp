#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "goal_graph.hpp"

/// What happens next in the replay of a Goal.
namespace commgauge::replay::detail {

/// An operation that may begin, or a message that arrives.
struct Event {
  std::uint64_t time{};
  std::uint32_t order{};  ///< in which it came to be; kept when it has to wait
  std::uint32_t code{};

  static Event operation(std::uint64_t time, std::uint32_t order, Index i) {
    return {time, order, 2 * i};
  }
  static Event message(std::uint64_t time, std::uint32_t order, Index send) {
    return {time, order, 2 * send + 1};
  }
  [[nodiscard]] Index index() const { return code / 2; }
  [[nodiscard]] bool is_message() const { return code % 2 == 1; }

  friend bool operator<(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }
  friend bool operator>(const Event& a, const Event& b) { return b < a; }
};

template <typename T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

/// Events in the order of their times.
using EventQueue = LeastFirst<Event>;

/// Events of a rank that wait for the same: its processor, or that and a side of its nic. The
/// oldest of them alone is in the event queue. (LogGOPSim has all of them there, and takes each out
/// and in again for each one that comes first: quadratic.)
class Lane {
 public:
  /// @pre the event can't happen yet. It does, if it is the oldest, at `free` at the earliest.
  void wait(Event event, std::uint64_t free, EventQueue& queue) {
    if (event.order > oldest_) return waiting_.push({event.order, event.code});
    oldest_ = event.order;
    event.time = free;
    queue.push(event);
  }

  /// An event happened: lets the next one follow.
  void pass(const Event& event, std::uint64_t free, EventQueue& queue) {
    if (event.order != oldest_) return;
    oldest_ = none;
    if (waiting_.empty()) return;
    const auto [order, code] = waiting_.top();
    waiting_.pop();
    wait({free, order, code}, free, queue);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t oldest_{none};
  LeastFirst<std::pair<std::uint32_t, std::uint32_t>> waiting_;  ///< order, code
};

}  // namespace commgauge::replay::detail
