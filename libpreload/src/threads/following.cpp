#include "threads/following.hpp"

#include <algorithm>

#include "system/c_library.hpp"

namespace commgauge::preload {

void Awaited::begin(threads::Own& own) const {
  if (held != nullptr) let_go(own, held, threads::Wakes::first);
  if (is_event) threads::expect(object);
}

void Awaited::end(threads::Own& own) const {
  threads::acquire(own, object);
  if (held != nullptr) threads::acquire(own, held);
}

Deadline deadline_of(clockid_t clock, const timespec& time) {
  constexpr long second = 1'000'000'000;
  timespec seen{};
  timespec now{};
  const bool is_valid = time.tv_nsec >= 0 && time.tv_nsec < second &&
                        clock_gettime(clock, &seen) == 0 && real_clock_gettime(clock, &now) == 0;
  if (!is_valid) return {0, time};
  const double left = std::max(0.0, static_cast<double>(time.tv_sec - seen.tv_sec) +
                                        1e-9 * static_cast<double>(time.tv_nsec - seen.tv_nsec));
  const auto whole = static_cast<time_t>(left);
  const long part = now.tv_nsec + static_cast<long>((left - static_cast<double>(whole)) * 1e9);
  return {left, {now.tv_sec + whole + part / second, part % second}};
}

}  // namespace commgauge::preload
