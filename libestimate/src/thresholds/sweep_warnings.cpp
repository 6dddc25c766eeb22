#include "thresholds/sweep_warnings.hpp"

#include <cmath>
#include <cstddef>
#include <string>

namespace commgauge {

namespace {

constexpr double many_late = 0.1;  ///< share of the repetitions

std::size_t repetitions_of(const Measurements& measurements, std::size_t launch) {
  std::size_t count = 0;
  for (const Sweep& sweep : measurements.sweeps) {
    if (static_cast<std::size_t>(sweep.launch) != launch) continue;
    for (const SweepPoint& point : sweep.points) count += point.times_s.size();
  }
  return count;
}

/// Share of the repetitions in which a rank started late; 0 where the file doesn't say.
double late_share(const Measurements& measurements, std::size_t launch) {
  const auto& run = measurements.launches[launch].sweep_run;
  const std::size_t all = repetitions_of(measurements, launch);
  return all == 0 || !run ? 0 : static_cast<double>(run->late) / static_cast<double>(all);
}

}  // namespace

std::vector<Diagnostic> sweep_warnings(const Measurements& measurements) {
  std::vector<Diagnostic> warnings;
  const std::size_t count = measurements.launches.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string of_launch = count > 1 ? " of launch " + std::to_string(i) : "";
    const auto& run = measurements.launches[i].sweep_run;
    const double late = late_share(measurements, i);
    if (late > many_late) {
      warnings.push_back(
          {.kind = "late_starts",
           .count = run->late,
           .problem = "in " + std::to_string(std::lround(100 * late)) +
                      " % of the sweeps' repetitions" + of_launch +
                      " a rank started late (its core was busy), so their times are too long",
           .advice = "give each rank a core of its own, or measure with --timing longest"});
    }
    if (run && run->limited) {
      Diagnostic& limited = warnings.emplace_back(*run->limited);
      limited.problem.insert(0, "the sweeps" + of_launch + " ");
    }
  }
  return warnings;
}

}  // namespace commgauge
