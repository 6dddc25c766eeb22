#include "commgauge/bench/clock/clock.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <vector>

#include "commgauge/base/statistics.hpp"

#ifdef COMMGAUGE_SMPI
extern "C" int smpi_nanosleep(const struct timespec* pause, struct timespec* left);
#endif

namespace commgauge::bench {

Clock::Clock() {
  // A coarse clock may not move at all in that time: then its next step is waited for.
  constexpr int readings = 2000;
  std::vector<double> times(readings);
  for (double& time : times) time = now();
  std::vector<double> steps;
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 1; i < readings; ++i) {
    const double step = times[static_cast<size_t>(i)] - times[static_cast<size_t>(i - 1)];
    steps.push_back(step);
    if (step > 0) smallest = std::min(smallest, step);
  }
  // A coarse clock shows many zero steps: the mean is the cost then, the median would be 0.
  const double last = times.back();
  while (!(smallest < std::numeric_limits<double>::infinity())) {
    if (const double step = now() - last; step > 0) smallest = step;
  }
  cost_ = std::max(0.0, commgauge::median(steps));
  if (cost_ == 0) cost_ = (times.back() - times.front()) / (readings - 1);
  resolution_ = smallest;
}

double Clock::now() { return MPI_Wtime(); }

void wait_until(double time, bool yielding) {
#ifdef COMMGAUGE_SMPI
  // Simulated time stands still unless it is slept through.
  (void)yielding;
  const double left = std::max(0.0, time - Clock::now());
  const auto seconds = static_cast<std::time_t>(left);
  const timespec pause{seconds, static_cast<long>((left - static_cast<double>(seconds)) * 1e9)};
  smpi_nanosleep(&pause, nullptr);
#else
  while (Clock::now() < time) {
    if (yielding) sched_yield();
  }
#endif
}

}  // namespace commgauge::bench
