#include "commgauge/tasks/task_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/tasks/sample.hpp"
#include "grid.hpp"

namespace commgauge::tasks {

namespace {

constexpr std::uint64_t least_of_sample = 8;
constexpr std::uint64_t no_chance = 64;  // so many first ones of a sample no grid has by chance

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
  if (options_.seed && measured_.seed && options_.seed != measured_.seed) {
    throw InputError("its tasks are a sample of seed " + std::to_string(*measured_.seed) +
                     ", not " + std::to_string(*options_.seed) +
                     " (so it says itself): give that --seed, or none");
  }
  seed_ = options_.seed.value_or(measured_.seed.value_or(1));
  if (!std::isfinite(sum_of(measured_.times_s))) {
    throw InputError("the times add up to more than a number can say: check their unit, seconds");
  }
  if (measured_.has_all()) {
    const double total = sum_of(measured_.times_s);
    total_ = {total, total, total};
    return;
  }
  // A sample never reaches a grid's ends on purpose; where it does, as small ones may, few tasks
  // are left out, and either tells the same.
  sample_size_ = measured_of_sample(measured_, seed_);
  const bool has_most = 2 * sample_size_ > measured_.numbers.size();
  if (sample_size_ >= least_of_sample && (has_most || sample_size_ >= no_chance)) {
    source_ = Source::sample;
    const SampleTotal found = total_of_sample(measured_, seed_, sample_size_, options_.confidence);
    total_ = found.total;
    skewness_ = found.skewness;
  } else {
    source_ = Source::grid;
    total_ = Grid(measured_).total(measured_.times_s, options_.confidence);
  }
}

/// What interpolation smooths away is put back, in other places for each draw.
std::vector<double> TaskTimes::of_grid(const std::vector<double>& values,
                                       std::uint64_t draw) const {
  const Grid grid(measured_);
  std::vector<double> all = grid.interpolated(values);
  if (draw == 0) return all;
  const std::vector<double> residuals = grid.residuals(values);
  if (residuals.empty()) return all;
  std::mt19937_64 random(draw);
  for (double& value : all) {
    value = std::max(0.0, value + residuals[random() % residuals.size()]);
  }
  return all;
}

std::vector<double> TaskTimes::of_all(const std::vector<double>& values, std::uint64_t draw) const {
  if (source_ == Source::all) return values;
  if (source_ == Source::grid) return of_grid(values, draw);
  std::vector<double> all;
  all.reserve(measured_.shape.size());
  for (const std::uint32_t place : stand_ins(measured_, seed_, sample_size_, draw)) {
    all.push_back(values[place]);
  }
  return all;
}

double TaskTimes::open_share() const {
  return 1 - static_cast<double>(measured_.numbers.size()) /
                 static_cast<double>(measured_.shape.size());
}

std::vector<double> TaskTimes::times_s(double total, std::uint64_t draw) const {
  std::vector<double> times = of_all(measured_.times_s, draw);
  if (source_ == Source::all) return times;
  const auto put_measured = [&] {
    for (std::size_t i = 0; i < measured_.numbers.size(); ++i) {
      times[measured_.numbers[i]] = measured_.times_s[i];
    }
  };
  put_measured();
  const double known = sum_of(measured_.times_s);
  const double others = sum_of(times) - known;
  if (!(others > 0)) return times;
  const double factor = std::max(0.0, total - known) / others;
  for (double& time : times) time *= factor;
  put_measured();
  return times;
}

std::vector<std::uint32_t> TaskTimes::result_bytes(std::uint64_t draw) const {
  std::vector<std::uint32_t> bytes;
  if (measured_.result_bytes.empty()) return bytes;
  // What is no sample is interpolated: sizes as they were measured have no noise.
  const std::uint64_t which = source_ == Source::sample ? draw : 0;
  for (const double size : of_all(measured_.result_bytes, which)) {
    bytes.push_back(static_cast<std::uint32_t>(std::round(size)));
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
  const std::string missed =
      source_ == Source::sample
          ? "; tasks of a kind rarer than 1 in " +
                std::to_string(std::lround(rarest_seen(sample_size_, options_.confidence))) +
                " may have been missed"
          : "";
  const std::string ends =
      std::isnan(total_.low)
          ? " (too few to tell how sure that is: run three in a dimension at least)"
          : ", from " + to_text(Seconds{total_.low}) + " to " + to_text(Seconds{total_.high});
  return run + how + value + ends + missed;
}

}  // namespace commgauge::tasks
