#include "commgauge/replay/prediction/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/replay/run/replay.hpp"
#include "prediction/job_machine.hpp"

namespace commgauge::replay {

namespace {

void check(const Change& change, const trace::Trace& trace, const Model& model) {
  if (change.factors.uplinks != 1 && !model.fabric) {
    throw InputError(
        "links between hosts are to change (the model has no `fabric`: none is known to limit "
        "messages): leave it out, or take bandwidth");
  }
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

simulate::ChangedComputing computing_of(const Change& change) {
  return {change.computing, change.ranks};
}

Model changed(const Model& model, const Change& change) {
  Model other = scaled(model, change.factors);
  if (change.eager_limit) other.eager_limit = change.eager_limit;
  return other;
}

Predicted run_with(const trace::Trace& trace, const Model& model, const Predicted& unchanged,
                   const PredictionOptions& options, const Change& change) {
  check(change, trace, model);
  PredictionOptions others = options;
  others.machine.kind = unchanged.machine.kind;
  others.machine.computing = computing_of(change);
  return predicted(trace, changed(model, change), others);
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

/// As much of it as a machine of that kind is made of.
Model central_parameters(const Model& model, const std::string& kind) {
  Model central = model;
  for_each_fit(
      [&](const FitFacts& facts, auto& fitted) {
        const bool is_needed =
            facts.model == kind || facts.name == "overhead_growth" || facts.name == "host_links";
        if (fitted && is_needed) {
          fitted->replicates.clear();
        } else {
          fitted.reset();
        }
      },
      central);
  return central;
}

/// The time on machines that differ in one quantity, by the model's central parameters.
class Slowed {
 public:
  /// All must outlive it. @param model  central_parameters()
  Slowed(const trace::Trace& trace, const Model& model, const Predicted& unchanged,
         const PredictionOptions& options, Quantity quantity)
      : trace_{trace},
        model_{model},
        unchanged_{unchanged},
        options_{options},
        quantity_{quantity} {
    runs_[0] = {unchanged.prediction.time.value, empty(unchanged.machine)};
  }
  struct Run {
    double time{};
    double empty{};  ///< an empty message's, if it is latency that grows
  };
  /// By how much its times were made longer, replayed so far; 0: the unchanged run.
  [[nodiscard]] const std::map<double, Run>& runs() const { return runs_; }
  /// @return the time
  double replay_with(double growth) {
    const simulate::Machine machine = machine_with(growth);
    runs_[growth] = {replay(trace_, machine, times_only(options_.replay)).time, empty(machine)};
    if (options_.progress) options_.progress(runs_.size() - 1, 0);
    return runs_[growth].time;
  }

 private:
  [[nodiscard]] simulate::Machine machine_with(double growth) const {
    const double factor = 1 + growth;
    const Change change =
        change_of(quantity_, quantity_ == Quantity::bandwidth ? 1 / factor : factor);
    if (quantity_ != Quantity::computing) {
      return job_machine(trace_, changed(model_, change), unchanged_.machine.kind, options_);
    }
    simulate::Machine machine = unchanged_.machine;
    simulate::change_computing(machine, computing_of(change));
    return machine;
  }
  [[nodiscard]] double empty(const simulate::Machine& machine) const {
    return quantity_ == Quantity::latency ? empty_message(machine) : 0;
  }

  const trace::Trace& trace_;
  const Model& model_;
  const Predicted& unchanged_;
  const PredictionOptions& options_;
  Quantity quantity_;
  std::map<double, Run> runs_;
};

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double most_growth = most_tolerated - 1;
constexpr double precision = 1e-3;      // of what may be added
constexpr double nothing_added = 1e-6;  // of what there is

/// Looks for the largest growth at which the run takes no longer.
class Search {
 public:
  /// @param least  a growth at which it certainly takes no longer
  Search(Slowed& slowed, double limit, double least)
      : slowed_{slowed}, limit_{limit}, least_{least} {}

  /// Infinite: beyond most_growth.
  [[nodiscard]] double largest_growth() {
    for (;;) {
      find_ends();
      if (good_.growth >= most_growth) return infinite;
      if (bad_.growth - good_.growth <= 2 * margin()) return good_.growth;
      const double next = bad_.growth < infinite ? between() : beyond();
      const bool is_good = slowed_.replay_with(next) <= limit_;
      in_a_row_ = is_good == was_good_ ? in_a_row_ + 1 : 1;
      was_good_ = is_good;
    }
  }

 private:
  struct Point {
    double growth{};
    double time{};
  };

  /// The largest up to which all that were tried are good, and the next one.
  void find_ends() {
    bad_ = {infinite, infinite};
    for (const auto& [growth, run] : slowed_.runs()) {
      if (run.time > limit_ && growth > 0) {
        bad_ = {growth, run.time};
        return;
      }
      before_ = good_;
      good_ = {growth, run.time};
    }
  }
  /// Nearer than that to an end, the end is good enough.
  [[nodiscard]] double margin() const {
    return std::max(precision * good_.growth, nothing_added) / 2;
  }
  [[nodiscard]] double where_limit_is(const Point& a, const Point& b) const {
    const double slope = (b.time - a.time) / (b.growth - a.growth);
    return slope > 0 ? b.growth + (limit_ - b.time) / slope : infinite;
  }

  /// Where it would be too long if it went on like that, and a bit more; more than that where that
  /// was too little before.
  double beyond() {
    in_a_row_ = 0;
    if (good_.growth == 0) return least_;
    const double step = where_limit_is(before_, good_) - good_.growth + margin();
    return std::min(good_.growth + std::ldexp(step, steps_beyond_++), most_growth);
  }

  /// Where the straight line between the ends says, and a bit towards the end that is farther off;
  /// in the middle if that has moved the same end twice.
  double between() {
    if (in_a_row_ >= 2) {
      in_a_row_ = 0;
      const bool are_apart = good_.growth > 0 && bad_.growth > 2 * good_.growth;
      return are_apart ? std::sqrt(good_.growth * bad_.growth) : (good_.growth + bad_.growth) / 2;
    }
    const double bit = 0.9 * margin();
    const double there = where_limit_is(good_, bad_) + (was_good_ ? bit : -bit);
    return std::clamp(there, good_.growth + bit, bad_.growth - bit);
  }

  Slowed& slowed_;
  double limit_;
  double least_;
  Point before_;
  Point good_;
  Point bad_;
  bool was_good_{};
  int in_a_row_{};
  int steps_beyond_{};
};

Tolerance tolerance(Slowed& slowed, Quantity quantity, double longer, double time) {
  const double growth = Search(slowed, (1 + longer) * time, longer).largest_growth();
  Tolerance found{quantity, longer, 1 + growth};
  if (quantity == Quantity::latency && std::isfinite(growth)) {
    found.added = slowed.runs().at(growth).empty - slowed.runs().at(0).empty;
  }
  return found;
}

/// Indexed by Quantity.
constexpr std::array<std::string_view, 6> names{"latency", "bandwidth", "overheads",
                                                "gaps",    "computing", "uplink"};

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
    case Quantity::uplink:
      change.factors.uplinks = 1 / factor;
      break;
  }
  return change;
}

WhatIf what_if(const trace::Trace& trace, const Model& model, const Predicted& unchanged,
               const PredictionOptions& options, const Change& change) {
  // Without an interval nothing is drawn: the messages that were late unchanged are late here, too.
  const PredictionOptions same =
      options.has_interval ? options : as_drawn(options, unchanged.machine);
  WhatIf answer{run_with(trace, model, unchanged, same, change), {}};
  const Prediction ratio = paired(model, unchanged.machine.kind, Relation::ratio,
                                  answer.run.prediction.time / unchanged.prediction.time,
                                  answer.run.times, unchanged.times);
  answer.ratio = {ratio.time.value, ratio.low.value, ratio.high.value};
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
  const Model central = central_parameters(model, unchanged.machine.kind);
  const PredictionOptions drawn = as_drawn(options, unchanged.machine);
  std::vector<Tolerance> all;
  for (const Quantity quantity :
       {Quantity::latency, Quantity::bandwidth, Quantity::overheads, Quantity::computing}) {
    Slowed slowed(trace, central, unchanged, drawn, quantity);
    for (const double share : longer) {
      all.push_back(tolerance(slowed, quantity, share, unchanged.prediction.time.value));
    }
  }
  return all;
}

}  // namespace commgauge::replay
