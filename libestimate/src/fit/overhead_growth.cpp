#include "commgauge/fit/overhead_growth.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/model/spread.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/time_table.hpp"

namespace commgauge {

namespace {

/// A miss of less than this is no bend worth a warning, however precise the times are.
constexpr double slight_miss = 0.01;

void expect_points(std::span<const int> processes, std::span<const Seconds> times) {
  if (processes.size() != times.size()) {
    throw InputError("there are " + std::to_string(processes.size()) +
                     " numbers of processes and " + std::to_string(times.size()) +
                     " times (one belongs to each): give as many");
  }
  for (const int p : processes) {
    if (p >= 1) continue;
    throw InputError("a number of processes is " + std::to_string(p) +
                     " (none runs without one): give 1 or more");
  }
}

OverheadLine line_through(const std::vector<double>& processes,
                          const std::vector<double>& overheads) {
  const std::vector<double> weights(processes.size(), 1.0);
  const Line line = fit_line(processes, overheads, weights);
  return {Seconds{line.intercept}, Seconds{line.slope}};
}

/// One side's overhead in one direction between ranks 0 and 1, at one size.
struct RankSeries {
  std::vector<double> processes;
  std::vector<std::size_t> rows;  ///< of the table

  [[nodiscard]] OverheadLine fit(std::span<const double> times) const {
    std::vector<double> overheads;
    for (const std::size_t row : rows) overheads.push_back(times[row]);
    return line_through(processes, overheads);
  }
};

bool is_receive(Kind kind) {
  return kind == Kind::receive_overhead || kind == Kind::receive_overhead_progress;
}

Bytes size_of(const Experiment& e) { return is_receive(e.kind) ? e.back : e.out; }

bool has_growth(const Experiment& e) {
  return is_overhead(e.kind) && !e.check && std::max(e.root, e.peers.front()) == 1;
}

int job_size(const Measurements& measurements, const Observation& row) {
  return static_cast<int>(measurements.launches[static_cast<std::size_t>(row.launch)].ranks.size());
}

/// Rows of ranks 0 and 1 alone that fulfil `keep`, each with its number of processes. In a sample
/// those of its passes don't count: its ranks 0 and 1 may be others, and all ranks are connected.
template <class Keep>
std::vector<Observation> rows_of(const Measurements& measurements, Keep&& keep) {
  std::vector<Observation> rows;
  for (const Observation& row : measurements.observations) {
    if (!has_growth(row.experiment) || !keep(row)) continue;
    if (measurements.survey && row.experiment.processes == 0) continue;
    rows.push_back(row);
    int& processes = rows.back().experiment.processes;
    if (processes == 0) processes = job_size(measurements, row);
  }
  const bool waits_without_mpi = std::ranges::any_of(
      rows, [](const Observation& row) { return row.experiment.kind == Kind::receive_overhead; });
  if (waits_without_mpi) {
    std::erase_if(rows, [](const Observation& row) {
      return row.experiment.kind == Kind::receive_overhead_progress;
    });
  }
  return rows;
}

/// The size whose sending and receiving were measured among the most numbers of processes; the
/// smallest of several. @return how many numbers, of the side that has fewer.
std::pair<Bytes, std::size_t> choose_size(const std::vector<Observation>& rows) {
  std::map<Bytes, std::pair<std::set<int>, std::set<int>>> by_size;
  for (const Observation& row : rows) {
    auto& [sent, received] = by_size[size_of(row.experiment)];
    (is_receive(row.experiment.kind) ? received : sent).insert(row.experiment.processes);
  }
  std::pair<Bytes, std::size_t> best{};
  for (const auto& [size, sides] : by_size) {
    const std::size_t count = std::min(sides.first.size(), sides.second.size());
    if (count > best.second) best = {size, count};
  }
  return best;
}

/// What the growth is made of: separate jobs where they tell it, else the steps within the largest.
struct Source {
  std::vector<Observation> rows;
  Bytes size;
  std::size_t count;  ///< of numbers of processes
  bool leaves_steps_out;
};

Source source_of(const Measurements& measurements) {
  const auto is_step = [](const Observation& row) { return row.experiment.processes != 0; };
  std::vector<Observation> jobs = rows_of(measurements, std::not_fn(is_step));
  if (const auto [size, count] = choose_size(jobs); count >= 2) {
    return {std::move(jobs), size, count, !rows_of(measurements, is_step).empty()};
  }
  std::vector<Observation> steps = rows_of(measurements, [&](const Observation& row) {
    return job_size(measurements, row) == measurements.ranks();
  });
  const auto [size, count] = choose_size(steps);
  return {std::move(steps), size, count, false};
}

/// Launches of different size form one line: the r-th of each size belong together. So as many
/// lines as the rarest size has launches; what others have more is averaged.
/// @return how many lines; `launch` of the rows becomes the line.
int deal_launches(const Measurements& measurements, std::vector<Observation>& rows) {
  std::map<int, std::vector<int>> launches_of;
  for (const Observation& row : rows) {
    std::vector<int>& launches = launches_of[job_size(measurements, row)];
    if (std::ranges::find(launches, row.launch) == launches.end()) launches.push_back(row.launch);
  }
  std::size_t lines = rows.size();
  for (const auto& [size, launches] : launches_of) lines = std::min(lines, launches.size());
  std::map<int, int> line_of;
  for (const auto& [size, launches] : launches_of) {
    for (std::size_t k = 0; k < launches.size(); ++k) {
      line_of[launches[k]] = static_cast<int>(k % lines);
    }
  }
  for (Observation& row : rows) row.launch = line_of.at(row.launch);
  return static_cast<int>(lines);
}

/// The lines of one launch, or of launches of different size that belong together.
class GrowthFit {
 public:
  explicit GrowthFit(const TimeTable& table) : table_{table} {
    std::map<std::pair<Kind, int>, RankSeries> all;
    for (std::size_t row = 0; row < table.experiments().size(); ++row) {
      const Experiment& e = table.experiments()[row];
      RankSeries& series = all[{e.kind, e.root}];
      series.processes.push_back(e.processes);
      series.rows.push_back(row);
    }
    for (auto& [name, series] : all) {
      if (series.rows.size() < 2) continue;
      used_.insert(used_.end(), series.rows.begin(), series.rows.end());
      (is_receive(name.first) ? received_ : sent_).push_back(std::move(series));
    }
  }

  [[nodiscard]] bool is_determined() const { return !sent_.empty() && !received_.empty(); }

  [[nodiscard]] Fitted<OverheadGrowth> fit(Bytes size) const {
    auto fitted = fit_replicates<OverheadGrowth>(
        table_, used_, [&](std::span<const double> times) { return solve(times); });
    fitted.first = fitted.last = size;
    fitted.observations = static_cast<long>(used_.size());
    fitted.residual = residual();
    warn("sending", sent_, fitted.warnings);
    warn("receiving", received_, fitted.warnings);
    return fitted;
  }

 private:
  [[nodiscard]] Solution<OverheadGrowth> solve(std::span<const double> times) const {
    const OverheadLine sent = mean_line(sent_, times);
    const OverheadLine received = mean_line(received_, times);
    OverheadGrowth growth;
    growth.o_prime_a_s = sent.o_prime_a.value;
    growth.o_prime_b_s = sent.o_prime_b.value;
    growth.o_prime_a_r = received.o_prime_a.value;
    growth.o_prime_b_r = received.o_prime_b.value;
    growth.o_prime_a = (growth.o_prime_a_s + growth.o_prime_a_r) / 2;
    growth.o_prime_b = (growth.o_prime_b_s + growth.o_prime_b_r) / 2;
    return {growth, {}};
  }

  /// Of both directions, where both were measured.
  [[nodiscard]] static OverheadLine mean_line(const std::vector<RankSeries>& directions,
                                              std::span<const double> times) {
    OverheadLine mean{};
    const auto count = static_cast<double>(directions.size());
    for (const RankSeries& series : directions) {
      const OverheadLine line = series.fit(times);
      mean.o_prime_a.value += line.o_prime_a.value / count;
      mean.o_prime_b.value += line.o_prime_b.value / count;
    }
    return mean;
  }

  /// How far each point is off its line [s].
  [[nodiscard]] static std::vector<double> misses(const RankSeries& series,
                                                  std::span<const double> times) {
    const OverheadLine line = series.fit(times);
    std::vector<double> result;
    for (std::size_t k = 0; k < series.rows.size(); ++k) {
      result.push_back(times[series.rows[k]] -
                       line.at(static_cast<int>(series.processes[k])).value);
    }
    return result;
  }

  [[nodiscard]] double residual() const {
    double squares = 0;
    for (const auto* side : {&sent_, &received_}) {
      for (const RankSeries& series : *side) {
        const std::vector<double> missed = misses(series, table_.times());
        for (std::size_t k = 0; k < missed.size(); ++k) {
          squares += std::pow(missed[k] / table_.times()[series.rows[k]], 2);
        }
      }
    }
    const auto lines = static_cast<long>(sent_.size() + received_.size());
    return residual_of(squares, static_cast<long>(used_.size()), 2 * lines);
  }

  /// Bonferroni: all points together are found off the line by chance as seldom as asked.
  void warn(const std::string& side, const std::vector<RankSeries>& directions,
            std::vector<Diagnostic>& warnings) const {
    const Replicates replicates = table_.replicates(used_);
    const auto points = static_cast<double>(used_.size());
    const SpreadRule spread_of(replicates.kind, replicates.times.size(),
                               1 - (1 - table_.confidence()) / points);
    double worst = 0;
    double worst_processes = 0;
    for (const RankSeries& series : directions) {
      if (series.rows.size() < 3) continue;
      std::vector<std::vector<double>> repeated;
      for (const auto times : replicates.times) repeated.push_back(misses(series, times));
      const std::vector<double> missed = misses(series, table_.times());
      for (std::size_t k = 0; k < missed.size(); ++k) {
        std::vector<double> column;
        for (const std::vector<double>& one : repeated) column.push_back(one[k]);
        const double relative = std::abs(missed[k]) / table_.times()[series.rows[k]];
        const bool by_chance = std::abs(missed[k]) <= spread_of(column).mean_half_width;
        if (by_chance || relative < std::max(slight_miss, worst)) continue;
        worst = relative;
        worst_processes = series.processes[k];
      }
    }
    if (worst == 0) return;
    warnings.push_back({.kind = side + "_overhead_bends",
                        .problem = "the overhead of " + side +
                                   " is no line in the number of processes: it is off by " +
                                   percent(worst) + " among " +
                                   std::to_string(static_cast<int>(worst_processes)) +
                                   ", more than the times scatter",
                        .advice = "don't extrapolate"});
  }

  const TimeTable& table_;
  std::vector<RankSeries> sent_;
  std::vector<RankSeries> received_;
  std::vector<std::size_t> used_;
};

void warn_of_jobs(const std::set<int>& job_sizes, bool leaves_steps_out, std::size_t lines,
                  std::vector<Diagnostic>& warnings) {
  if (job_sizes.size() < 2) return;
  warnings.push_back({.kind = "separate_jobs",
                      .count = std::ssize(job_sizes),
                      .problem = "overheads come from separate jobs of " + comma_list(job_sizes) +
                                 " ranks" +
                                 (leaves_steps_out ? ", not from steps within a job" : "")});
  if (lines > 1) return;
  warnings.push_back({.kind = "jobs_launched_once",
                      .problem = "jobs of some size were launched once",
                      .advice = "the intervals of the growth miss what varies between launches "
                                "(launch each size several times)"});
}

}  // namespace

Seconds OverheadLine::at(int processes) const {
  return {o_prime_a.value + o_prime_b.value * processes};
}

OverheadsAmong overheads_among(const Fitted<OverheadGrowth>& growth, int processes,
                               double confidence) {
  if (processes < 1) {
    throw InputError("a number of processes is " + std::to_string(processes) +
                     " (there is at least one): give 1 or more");
  }
  const auto sending = [&](const OverheadGrowth& g) {
    return OverheadLine{{g.o_prime_a_s}, {g.o_prime_b_s}}.at(processes).value;
  };
  const auto receiving = [&](const OverheadGrowth& g) {
    return OverheadLine{{g.o_prime_a_r}, {g.o_prime_b_r}}.at(processes).value;
  };
  const SpreadRule spread_of(growth.replicate_kind, growth.replicates.size(), confidence);
  const auto estimated = [&](const auto& overhead_of) {
    std::vector<double> values;
    for (const OverheadGrowth& one : growth.replicates) values.push_back(overhead_of(one));
    const double value = overhead_of(growth.value);
    const double half = spread_of(values).mean_half_width;
    return Estimate{value, value - half, value + half};
  };
  return {estimated(sending), estimated(receiving)};
}

OverheadLine fit_overhead_growth(std::span<const int> processes,
                                 std::span<const Seconds> overheads) {
  expect_points(processes, overheads);
  std::vector<double> times;
  for (const Seconds overhead : overheads) {
    if (!std::isfinite(overhead.value)) {
      throw InputError("an overhead is not a finite number (it wasn't measured): leave it out");
    }
    times.push_back(overhead.value);
  }
  return line_through({processes.begin(), processes.end()}, times);
}

double increasing_rate(std::span<const int> processes, std::span<const Seconds> round_trips) {
  expect_points(processes, round_trips);
  std::map<int, double> times;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const double time = round_trips[i].value;
    if (!(time > 0) || !std::isfinite(time)) {
      throw InputError(
          "a round trip is not a finite time above zero (no rate has a meaning "
          "there): leave it out");
    }
    if (!times.emplace(processes[i], time).second) {
      throw InputError("there are two round trips among " + std::to_string(processes[i]) +
                       " processes (which one counts?): give their mean");
    }
  }
  if (times.size() < 2) {
    throw FitError("a rate takes round trips among two numbers of processes: measure another");
  }
  return times.rbegin()->second / times.begin()->second - 1;
}

Estimation<OverheadGrowth> estimate_overhead_growth(const Measurements& measurements,
                                                    double confidence) {
  auto [rows, size, count, leaves_steps_out] = source_of(measurements);
  if (count < 2) {
    return {{},
            "the overheads of ranks 0 and 1, sending and receiving, were measured among fewer than "
            "two numbers of processes"};
  }
  std::erase_if(rows, [&, wanted = size](const Observation& row) {
    return size_of(row.experiment) != wanted;
  });
  std::set<int> job_sizes;
  for (const Observation& row : rows) job_sizes.insert(job_size(measurements, row));
  std::vector<Fitted<OverheadGrowth>> lines;
  const int line_count = deal_launches(measurements, rows);
  for (int line = 0; line < line_count; ++line) {
    Measurements part;
    part.launches = {measurements.launches.front()};
    for (const Observation& row : rows) {
      if (row.launch != line) continue;
      part.observations.push_back(row);
      part.observations.back().launch = 0;
    }
    const TimeTable table(part, confidence);
    const GrowthFit fit(table);
    if (fit.is_determined()) lines.push_back(fit.fit(size));
  }
  if (lines.empty()) {
    return {{}, "no launch has the overheads of one direction among two numbers of processes"};
  }
  auto fitted = lines.size() == 1 ? lines.front() : join_launches(lines, confidence);
  warn_of_jobs(job_sizes, leaves_steps_out, lines.size(), fitted.warnings);
  if (const long left_out = line_count - std::ssize(lines); left_out > 0) {
    fitted.warnings.push_back(launches_left_out(left_out));
  }
  return {std::move(fitted), {}};
}

}  // namespace commgauge
