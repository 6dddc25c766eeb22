#include "goal/goal_events.hpp"

#include <algorithm>
#include <bit>

namespace commgauge::replay::detail {
namespace {

bool is_older(const Event& a, const Event& b) { return a.order < b.order; }

/// The highest bit in which two times differ.
std::size_t highest_bit(std::uint64_t difference) {
  return static_cast<std::size_t>(std::bit_width(difference)) - 1;
}

}  // namespace

void EventQueue::push(const Event& event) {
  ++size_;
  if (event.time == now_) return push_now(event);
  const std::size_t bit = highest_bit(event.time ^ now_);
  later_[bit].push_back(event);
  filled_ |= std::uint64_t{1} << bit;
}

void EventQueue::push_now(const Event& event) {
  auto place = due_.end();
  if (next_ < due_.size() && is_older(event, due_.back()))
    place = std::upper_bound(due_.begin() + static_cast<std::ptrdiff_t>(next_), due_.end(), event,
                             is_older);
  due_.insert(place, event);
}

Event EventQueue::pop() {
  if (next_ == due_.size()) refill();
  --size_;
  return due_[next_++];
}

/// What comes first is among those of the lowest bit. They are sorted in by their own first time.
void EventQueue::refill() {
  due_.clear();
  next_ = 0;
  const auto lowest = static_cast<std::size_t>(std::countr_zero(filled_));
  filled_ &= filled_ - 1;
  std::vector<Event>& events = later_[lowest];
  now_ = std::min_element(events.begin(), events.end(), [](const Event& a, const Event& b) {
           return a.time < b.time;
         })->time;
  for (const Event& event : events) {
    if (event.time == now_) {
      due_.push_back(event);
      continue;
    }
    const std::size_t bit = highest_bit(event.time ^ now_);
    later_[bit].push_back(event);
    filled_ |= std::uint64_t{1} << bit;
  }
  events.clear();
  if (!std::is_sorted(due_.begin(), due_.end(), is_older))
    std::sort(due_.begin(), due_.end(), is_older);
}

}  // namespace commgauge::replay::detail
