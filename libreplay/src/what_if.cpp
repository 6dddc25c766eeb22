#include "commgauge/replay/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/predict/by_replicates.hpp"

namespace commgauge::replay {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void check(const Change& change, const trace::Trace& trace) {
  if (!std::isfinite(change.computing) || change.computing < 0) {
    throw InputError("no factor " + std::to_string(change.computing) +
                     " of computing (its time would be below zero, or unknown): give one from 0 "
                     "on");
  }
  for (const int rank : change.ranks) {
    if (rank >= 0 && rank < static_cast<int>(trace.ranks.size())) continue;
    throw InputError("rank " + std::to_string(rank) + "'s computing is to change (the trace has " +
                     std::to_string(trace.ranks.size()) + " ranks, from 0 on): name one of them");
  }
}

void change_computing(simulate::Machine& machine, const Change& change) {
  for (std::size_t r = 0; r < machine.time_ratios.size(); ++r) {
    const bool is_meant =
        change.ranks.empty() ||
        std::ranges::find(change.ranks, static_cast<int>(r)) != change.ranks.end();
    if (!is_meant) continue;
    Estimate& ratio = machine.time_ratios[r];
    for (double* const one : {&ratio.value, &ratio.low, &ratio.high}) *one *= change.computing;
  }
}

PredictionOptions changed(PredictionOptions options, const Change& change) {
  options.machine_of = [made_by = options.machine_of, change](const Model& model,
                                                              const std::string& kind) {
    simulate::Machine machine = made_by ? made_by(model, kind) : simulate::machine_of(model, kind);
    change_computing(machine, change);
    return machine;
  };
  return options;
}

Model changed(const Model& model, const Change& change) {
  Model other = scaled(model, change.factors);
  if (change.eager_limit) other.eager_limit = change.eager_limit;
  return other;
}

Predicted run_with(const trace::Trace& trace, const Model& model, const Predicted& unchanged,
                   const PredictionOptions& options, const Change& change) {
  check(change, trace);
  PredictionOptions others = changed(options, change);
  others.kind = unchanged.machine.kind;
  return predicted(trace, changed(model, change), others);
}

/// Of times by the same replicates, in the order of predict_by_replicates().
Prediction ratio_over(const Model& model, const std::string& kind, std::span<const double> before,
                      std::span<const double> after) {
  std::size_t next = 0;
  const auto ratio = [&] {
    const std::size_t k = next++;
    return after[k] / before[k];
  };
  const double value = after.front() / before.front();
  // The misfit may be to either side.
  const auto slower = [&](double) {
    const double stretched = ratio();
    return std::max(stretched, value * value / stretched);
  };
  return predict_by_replicates(
      model, kind, [&](const Model&) { return ratio(); }, slower);
}

/// Whether each time of one has the other's of the same replicate.
bool are_paired(const Predicted& before, const Predicted& after) {
  const auto same_count = [](const auto& a, const auto& b) { return a.size() == b.size(); };
  return !before.times_by_end.empty() &&
         std::ranges::equal(before.times_by_end, after.times_by_end, same_count);
}

Estimate ratio_of(const Model& model, const Predicted& before, const Predicted& after) {
  const double value = after.prediction.time / before.prediction.time;
  const Estimate alone{value, unknown, unknown};
  if (!are_paired(before, after)) return alone;
  Estimate all{value, value, value};
  for (std::size_t end = 0; end < before.times_by_end.size(); ++end) {
    const Prediction one =
        ratio_over(model, before.machine.kind, before.times_by_end[end], after.times_by_end[end]);
    if (!one.has_interval()) return alone;
    all.low = std::min(all.low, one.low.value);
    all.high = std::max(all.high, one.high.value);
  }
  return all;
}

/// One-way time of an empty message, mean of the job's ordered pairs [s].
double empty_message(const simulate::Machine& machine) {
  double sum = 0;
  double count = 0;
  for (const simulate::PairTable::Alike& alike : machine.pairs.all_alike()) {
    const auto pairs = static_cast<double>(alike.count);
    sum += pairs * machine.pair(alike.from, alike.to).one_way.at(0);
    count += pairs;
  }
  return sum / count;
}

/// Replays with one quantity times a factor, each once.
class Slowed {
 public:
  explicit Slowed(std::function<Predicted(double factor)> run) : run_{std::move(run)} {}
  [[nodiscard]] double time(double growth) { return at(growth).time; }
  [[nodiscard]] double empty(double growth) { return at(growth).empty; }

 private:
  struct Run {
    double time;
    double empty;
  };
  const Run& at(double growth) {
    const auto found = runs_.find(growth);
    if (found != runs_.end()) return found->second;
    const Predicted run = run_(1 + growth);
    return runs_.emplace(growth, Run{run.prediction.time.value, empty_message(run.machine)})
        .first->second;
  }

  std::function<Predicted(double)> run_;
  std::map<double, Run> runs_;
};

constexpr double least_growth = 1.0 / 1024;
constexpr double most_growth = most_tolerated - 1;
constexpr double precision = 1e-3;      // of what may be added
constexpr double nothing_added = 1e-6;  // of what there is

/// The largest growth at which the run takes no longer; infinite: beyond most_growth.
double largest_growth(Slowed& slowed, double limit) {
  double good = 0;
  double bad = least_growth;
  while (slowed.time(bad) <= limit) {
    if (bad == most_growth) return std::numeric_limits<double>::infinity();
    good = std::exchange(bad, std::min(2 * bad, most_growth));
  }
  while (bad - good > std::max(precision * good, nothing_added)) {
    const double middle = (good + bad) / 2;
    (slowed.time(middle) <= limit ? good : bad) = middle;
  }
  return good;
}

Tolerance tolerance(Slowed& slowed, Quantity quantity, double longer, double time) {
  const double growth = largest_growth(slowed, (1 + longer) * time);
  Tolerance found{quantity, longer, 1 + growth};
  if (quantity == Quantity::latency && std::isfinite(growth)) {
    found.added = slowed.empty(growth) - slowed.empty(0);
  }
  return found;
}

/// Indexed by Quantity.
constexpr std::array<std::string_view, 5> names{"latency", "bandwidth", "overheads", "gaps",
                                                "computing"};

}  // namespace

std::string_view to_text(Quantity quantity) { return names.at(static_cast<std::size_t>(quantity)); }

Change change_of(Quantity quantity, double factor) {
  Change change;
  switch (quantity) {
    case Quantity::latency:
      change.factors.latency = factor;
      break;
    case Quantity::bandwidth:
      change.factors.per_byte = 1 / factor;
      break;
    case Quantity::overheads:
      change.factors.overheads = factor;
      break;
    case Quantity::gaps:
      change.factors.gaps = factor;
      break;
    case Quantity::computing:
      change.computing = factor;
      break;
  }
  return change;
}

WhatIf what_if(const trace::Trace& trace, const Model& model, const Predicted& unchanged,
               const PredictionOptions& options, const Change& change) {
  WhatIf answer{run_with(trace, model, unchanged, options, change), {}};
  answer.ratio = ratio_of(model, unchanged, answer.run);
  return answer;
}

std::vector<Point> curve(const trace::Trace& trace, const Model& model, const Predicted& unchanged,
                         const PredictionOptions& options, Quantity quantity, double first,
                         double last, std::size_t count) {
  if (!(first > 0) || !(last > 0) || !std::isfinite(first * last) || count < 2) {
    throw InputError("no curve from " + std::to_string(first) + " to " + std::to_string(last) +
                     " (its factors are in equal ratios): give ends above zero, and two points or "
                     "more");
  }
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double factor = i + 1 == count ? last : first * std::pow(last / first, share);
    const WhatIf one = what_if(trace, model, unchanged, options, change_of(quantity, factor));
    points.push_back({factor, one.run.prediction, one.ratio});
  }
  return points;
}

std::vector<Tolerance> tolerances(const trace::Trace& trace, const Model& model,
                                  const Predicted& unchanged, const PredictionOptions& options,
                                  const std::vector<double>& longer) {
  PredictionOptions once = options;
  once.has_interval = false;
  std::vector<Tolerance> all;
  for (const Quantity quantity :
       {Quantity::latency, Quantity::bandwidth, Quantity::overheads, Quantity::computing}) {
    Slowed slowed([&](double factor) {
      const bool divides = quantity == Quantity::bandwidth;
      return run_with(trace, model, unchanged, once,
                      change_of(quantity, divides ? 1 / factor : factor));
    });
    for (const double share : longer) {
      all.push_back(tolerance(slowed, quantity, share, unchanged.prediction.time.value));
    }
  }
  return all;
}

}  // namespace commgauge::replay
