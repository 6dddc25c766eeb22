#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "goal/goal_graph.hpp"

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
};

/// Events by time, at the same time by order. A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990):
/// as time never goes back, events are kept by the highest bit in which their time differs from
/// now.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// @pre event.time isn't before that of the event popped last.
  void push(const Event& event);
  /// @pre !empty()
  Event pop();

 private:
  void refill();
  void push_now(const Event& event);

  std::uint64_t now_{};
  std::vector<Event> due_;  ///< at `now_`, by order; those before next_ are gone
  std::size_t next_{};
  std::array<std::vector<Event>, 64> later_;
  std::uint64_t filled_{};  ///< a bit for each of later_
  std::size_t size_{};
};

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
  using OrderAndCode = std::pair<std::uint32_t, std::uint32_t>;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t oldest_{none};
  std::priority_queue<OrderAndCode, std::vector<OrderAndCode>, std::greater<>> waiting_;
};

}  // namespace commgauge::replay::detail
