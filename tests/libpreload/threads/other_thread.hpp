#pragma once

#include <poll.h>

#include <thread>
#include <utility>

#include "virtual_time.hpp"

namespace commgauge::virtual_time {

inline constexpr double ms = 1e-3;

/// A few looks at the clock.
inline constexpr double few_looks = 1 * us;

/// @param wait    returns when `let_go`, of another thread, has been called
/// @param length  what that one does before, in virtual time [s]
/// @return the time of the wait [s]
template <class Wait, class LetGo>
double wait_for(double length, Wait&& wait, LetGo&& let_go) {
  const double start = MPI_Wtime();
  const std::jthread other([&] {
    constexpr int until_it_waits = 50;  // of real time [ms]
    poll(nullptr, 0, until_it_waits);
    pass(length);
    let_go();
  });
  wait();
  return MPI_Wtime() - start;
}

}  // namespace commgauge::virtual_time
