#include "commgauge/tasks/task_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/tasks/sample.hpp"
#include "grid.hpp"

namespace commgauge::tasks {

namespace {

constexpr std::uint64_t least_of_sample = 8;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

TaskTimes::TaskTimes(MeasuredTasks measured, const TimesOptions& options)
    : measured_{std::move(measured)}, options_{options} {
  try {
    find_total();
  } catch (const InputError& error) {
    if (options.name.empty()) throw;
    throw InputError(options.name + ": " + error.what());
  }
}

void TaskTimes::find_total() {
  if (measured_.shape.size() > most_tasks) {
    throw InputError("the shape " + to_text(measured_.shape) + " has " +
                     std::to_string(measured_.shape.size()) + " tasks (up to " +
                     std::to_string(most_tasks) + " are simulated): name coarser ones");
  }
  if (measured_.has_all()) {
    const double total = sum_of(measured_.times_s);
    total_ = {total, total, total};
    return;
  }
  // A sample never reaches a grid's ends on purpose; where it does, as small ones may, few tasks
  // are left out, and either tells the same.
  sample_size_ = measured_of_sample(measured_, options_.seed);
  if (sample_size_ >= least_of_sample && 2 * sample_size_ > measured_.numbers.size()) {
    source_ = Source::sample;
    total_ = total_of_sample(measured_, options_.seed, sample_size_, options_.confidence);
  } else {
    source_ = Source::grid;
    total_ = Grid(measured_).total(measured_.times_s, options_.confidence);
  }
}

std::vector<double> TaskTimes::of_all(const std::vector<double>& values, std::uint64_t draw) const {
  if (source_ == Source::all) return values;
  if (source_ == Source::grid) return Grid(measured_).interpolated(values);
  std::vector<double> all;
  all.reserve(measured_.shape.size());
  for (const std::uint32_t place : stand_ins(measured_, options_.seed, sample_size_, draw)) {
    all.push_back(values[place]);
  }
  return all;
}

std::vector<double> TaskTimes::times_s(double total, std::uint64_t draw) const {
  std::vector<double> times = of_all(measured_.times_s, draw);
  if (source_ == Source::all) return times;
  const double known = sum_of(measured_.times_s);
  const double others = sum_of(times) - known;
  if (!(others > 0)) return times;
  const double factor = std::max(0.0, total - known) / others;
  for (double& time : times) time *= factor;
  for (std::size_t i = 0; i < measured_.numbers.size(); ++i) {
    times[measured_.numbers[i]] = measured_.times_s[i];
  }
  return times;
}

std::vector<std::uint32_t> TaskTimes::result_bytes(std::uint64_t draw) const {
  std::vector<std::uint32_t> bytes;
  if (measured_.result_bytes.empty()) return bytes;
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  for (const double size : of_all(measured_.result_bytes, draw)) {
    bytes.push_back(static_cast<std::uint32_t>(std::min(std::round(size), most)));
  }
  return bytes;
}

std::string TaskTimes::text() const {
  const std::string run = std::to_string(measured_.numbers.size()) + " of " +
                          std::to_string(measured_.shape.size()) + " tasks were run";
  const std::string value = ": " + to_text(Seconds{total_.value}) + " in all";
  if (source_ == Source::all)
    return "all " + std::to_string(measured_.shape.size()) + " tasks were run" + value;
  const std::string how =
      source_ == Source::grid
          ? ", a grid; times between them are interpolated"
          : ", drawn at random; each of the others takes as long as one near it";
  const std::string ends =
      std::isnan(total_.low)
          ? " (too few to tell how sure that is: run three in a dimension at least)"
          : ", from " + to_text(Seconds{total_.low}) + " to " + to_text(Seconds{total_.high});
  return run + how + value + ends;
}

}  // namespace commgauge::tasks
