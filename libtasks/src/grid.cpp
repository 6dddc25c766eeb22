#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge::tasks {

namespace {

using Lines = std::vector<std::uint64_t>;

/// Every so many of them, the last one too.
Lines thinned(const Lines& lines, std::size_t stride) {
  Lines kept;
  for (std::size_t j = 0; j < lines.size(); j += stride) kept.push_back(lines[j]);
  if (kept.back() != lines.back()) kept.push_back(lines.back());
  return kept;
}

/// Where x is between two of the lines: x = (1 - p)·lines[below] + p·lines[below + 1].
struct Between {
  std::size_t below;
  double p;  ///< 0 on a line
};

Between between(const Lines& lines, std::uint64_t x) {
  const auto above = std::ranges::upper_bound(lines, x);
  const auto below = static_cast<std::size_t>(above - lines.begin()) - 1;
  if (lines[below] == x) return {below, 0};
  return {below, static_cast<double>(x - lines[below]) /
                     static_cast<double>(lines[below + 1] - lines[below])};
}

/// Values on lines of one dimension become values at the places `to` of it.
/// @param inner  values beside one another for each line
std::vector<double> expanded(const std::vector<double>& values, const Lines& lines, const Lines& to,
                             std::size_t inner) {
  const std::size_t outer = values.size() / lines.size() / inner;
  std::vector<double> result(outer * to.size() * inner);
  for (std::size_t x = 0; x < to.size(); ++x) {
    const auto [below, p] = between(lines, to[x]);
    const std::size_t above = p > 0 ? below + 1 : below;
    for (std::size_t o = 0; o < outer; ++o) {
      const double* const low = &values[(o * lines.size() + below) * inner];
      const double* const high = &values[(o * lines.size() + above) * inner];
      double* const out = &result[(o * to.size() + x) * inner];
      for (std::size_t i = 0; i < inner; ++i) out[i] = (1 - p) * low[i] + p * high[i];
    }
  }
  return result;
}

/// The same of all dimensions, the last one first.
std::vector<double> expanded(std::vector<double> values, const std::vector<Lines>& lines,
                             const std::vector<Lines>& to) {
  std::size_t inner = 1;
  for (std::size_t k = lines.size(); k-- > 0;) {
    values = expanded(values, lines[k], to[k], inner);
    inner *= to[k].size();
  }
  return values;
}

Lines all_of(std::uint64_t count) {
  Lines all(count);
  std::iota(all.begin(), all.end(), std::uint64_t{1});
  return all;
}

/// How many tasks of the dimension each of the lines stands for.
std::vector<double> weights_of(const Lines& lines) {
  std::vector<double> weights(lines.size(), 1);
  for (std::size_t j = 0; j + 1 < lines.size(); ++j) {
    const double between_them = static_cast<double>(lines[j + 1] - lines[j] - 1) / 2;
    weights[j] += between_them;
    weights[j + 1] += between_them;
  }
  return weights;
}

/// Of each point of the product, in its order: the product of its lines' weights.
std::vector<double> weights_of(const std::vector<Lines>& lines) {
  std::vector<double> all{1};
  for (const Lines& of_one : lines) {
    const std::vector<double> weights = weights_of(of_one);
    std::vector<double> grown;
    for (const double before : all) {
      for (const double weight : weights) grown.push_back(before * weight);
    }
    all = std::move(grown);
  }
  return all;
}

/// Of values on all lines, those on the kept ones.
std::vector<double> kept_of(const std::vector<double>& values, const std::vector<Lines>& lines,
                            const std::vector<Lines>& kept) {
  return expanded(values, lines, kept);
}

void check_ends(const Shape& shape, const std::vector<Lines>& lines) {
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (const auto& [end, found] : {std::pair{std::uint64_t{1}, lines[k].front()},
                                     std::pair{shape.counts()[k], lines[k].back()}}) {
      if (end == found) continue;
      throw InputError("no task with i" + std::to_string(k + 1) + " = " + std::to_string(end) +
                       " was run (beyond the outermost tasks of a grid nothing is known, nor are "
                       "they the sample of this shape and seed): run those at both ends of each "
                       "dimension, too, or give the plan's --shape and --seed");
    }
  }
}

/// @pre `numbers` are ascending
void check_product(const Shape& shape, const std::vector<Lines>& lines,
                   const std::vector<std::uint64_t>& numbers) {
  std::vector<std::size_t> at(lines.size());
  for (std::size_t i = 0;; ++i) {
    std::vector<std::uint64_t> task;
    for (std::size_t k = 0; k < lines.size(); ++k) task.push_back(lines[k][at[k]]);
    const std::uint64_t number = shape.number_of(task);
    if (i == numbers.size() || numbers[i] != number) {
      throw InputError("task " + to_text(shape, number) +
                       " is missing (others with each of its numbers were run, so the grid has a "
                       "gap; nor are they the tasks of a plan with this shape and seed): run it, "
                       "or give the plan's --shape and --seed");
    }
    std::size_t k = lines.size();
    while (k > 0 && ++at[k - 1] == lines[k - 1].size()) at[--k] = 0;
    if (k == 0) return;
  }
}

}  // namespace

Grid::Grid(const MeasuredTasks& measured) : shape_{measured.shape} {
  lines_.resize(shape_.dimensions());
  for (const std::uint64_t number : measured.numbers) {
    const std::vector<std::uint64_t> task = shape_.task_of(number);
    for (std::size_t k = 0; k < task.size(); ++k) lines_[k].push_back(task[k]);
  }
  for (Lines& lines : lines_) {
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
  }
  check_product(shape_, lines_, measured.numbers);
  check_ends(shape_, lines_);
}

bool Grid::has_all() const {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (lines_[k].size() != shape_.counts()[k]) return false;
  }
  return true;
}

std::vector<double> Grid::interpolated(const std::vector<double>& values) const {
  std::vector<Lines> all;
  for (const std::uint64_t count : shape_.counts()) all.push_back(all_of(count));
  return expanded(values, lines_, all);
}

/// Over all tasks, interpolated from every so many of the lines.
double Grid::sum(const std::vector<double>& values, std::size_t stride) const {
  std::vector<Lines> kept;
  for (const Lines& lines : lines_) kept.push_back(thinned(lines, stride));
  const std::vector<double> weights = weights_of(kept);
  const std::vector<double> of_kept = kept_of(values, lines_, kept);
  return std::inner_product(weights.begin(), weights.end(), of_kept.begin(), 0.0);
}

bool Grid::is_open() const {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (lines_[k].size() < 3 && lines_[k].size() != shape_.counts()[k]) return true;
  }
  return false;
}

std::vector<double> Grid::without_themselves(const std::vector<double>& values) const {
  std::vector<Lines> kept;
  for (const Lines& lines : lines_) kept.push_back(thinned(lines, 2));
  return expanded(kept_of(values, lines_, kept), kept, lines_);
}

std::vector<double> Grid::residuals(const std::vector<double>& values) const {
  const std::vector<double> guessed = without_themselves(values);
  std::vector<double> missed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (guessed[i] != values[i]) missed.push_back(values[i] - guessed[i]);
  }
  return missed;
}

Grid::Missing Grid::left_out(const std::vector<double>& values) const {
  const std::vector<double> guessed = without_themselves(values);
  const std::vector<double> weights = weights_of(lines_);
  Missing missing;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double one = std::pow(weights[i] * (values[i] - guessed[i]), 2);
    missing.variance += one;
    squares += one * one;
  }
  missing.dof = squares > 0 ? missing.variance * missing.variance / squares : 1;
  return missing;
}

Estimate Grid::total(const std::vector<double>& values, double confidence) const {
  const double value = sum(values, 1);
  if (has_all()) return {value, value, value};
  if (is_open()) return {value, unknown_value, unknown_value};
  // What the last halving changed, and the one before: the rest of a series of such steps.
  const double step = std::abs(value - sum(values, 2));
  const double before = std::abs(sum(values, 2) - sum(values, 4));
  constexpr double least_ratio = 0.25;  // of second-order errors, which smooth times have
  constexpr double most_ratio = 0.5;    // of times that leap
  const double ratio = std::clamp(before > 0 ? step / before : most_ratio, least_ratio, most_ratio);
  const Missing missing = left_out(values);
  const double share = static_cast<double>(values.size()) / static_cast<double>(shape_.size());
  const double random = student_quantile(confidence, std::max(1.0, missing.dof)) *
                        std::sqrt(missing.variance * (1 - share));
  const double half = std::hypot(step * ratio / (1 - ratio), random);
  const double known = std::accumulate(values.begin(), values.end(), 0.0);
  return {value, std::max(value - half, known), value + half};
}

}  // namespace commgauge::tasks
