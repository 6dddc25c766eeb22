#include "machine/monotone_projection.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge::simulate {

namespace {

/// The least time of whatever lets one rank know of another [s].
double least_effect(const PairCosts& costs) {
  const double data = costs.reply + costs.rendezvous_receiver.least();
  return std::min({costs.arrival.least(), costs.request + data, data,
                   costs.reply + costs.rendezvous_sender.least()});
}

bool has_one_line(const PairCosts& costs) {
  bool all = true;
  visit_curves(costs, [&](const Curve& curve) { all = all && curve.later.empty(); });
  return all;
}

Model at_upper_ends(Model model, const std::string& kind) {
  const auto move = [&](const FitFacts& facts, auto& fitted) {
    if (fitted && facts.model == kind) fitted->value = fitted->high;
  };
  for_each_fit(move, model);
  return model;
}

/// How far intervals reach that hold for all pairs together, in those that hold for each: of many
/// pairs' intervals some miss, and by more, the fewer replicates they are made of (Bonferroni).
double joint_reach(const Model& model, const std::string& kind) {
  double replicates = 0;
  for_each_fit(
      [&](const FitFacts& facts, const auto& fitted) {
        if (fitted && facts.name == kind)
          replicates = static_cast<double>(fitted->replicates.size());
      },
      model);
  const auto ranks = static_cast<std::size_t>(model.ranks);
  const std::size_t pairs =
      model.classes ? model.classes->pairs->pair_counts().size() : ranks * (ranks - 1);
  const double each = model.confidence;
  const double all = 1 - (1 - each) / static_cast<double>(std::max<std::size_t>(pairs, 1));
  if (replicates < 2) return normal_quantile(all) / normal_quantile(each);
  return student_quantile(all, replicates - 1) / student_quantile(each, replicates - 1);
}

}  // namespace

std::string flaw_of(const PairCosts& costs, double least) {
  std::string flaw;
  const auto expect = [&](bool holds, const char* otherwise) {
    if (!holds && flaw.empty()) flaw = otherwise;
  };
  visit_curves(costs, [&](const Curve& curve) {
    expect(std::isfinite(curve.least()), tells_no_time);
    expect(!curve.has_falling_line(), "a longer message would take less time");
    expect(curve.least() >= 0, "a message would take less than no time");
  });
  if (flaw.empty()) {
    expect(least_effect(costs) > least,
           "an empty message would take no time: its latency and fixed delays are zero");
  }
  return flaw;
}

MonotoneProjection::MonotoneProjection(const Model& model, std::string kind,
                                       const OverheadGrowth* growth)
    : model_{model},
      kind_{std::move(kind)},
      growth_{growth},
      central_{costs_of_pairs(model, kind_)} {}

PairCosts MonotoneProjection::operator()(int from, int to) {
  PairCosts costs = central_(from, to);
  return flaw(costs, 0).empty() ? costs : nearest(costs, from, to);
}

std::string MonotoneProjection::flaw(const PairCosts& costs, double least) const {
  std::string found = flaw_of(costs, least);
  if (growth_ == nullptr) return found;
  for (const int processes : {2, model_.ranks}) {
    if (!found.empty()) break;
    PairCosts grown = costs;
    grow(grown, *growth_, processes);
    found = flaw_of(grown, least);
  }
  return found;
}

PairCosts MonotoneProjection::nearest(const PairCosts& costs, int from, int to) {
  const PairCosts end = utmost()(from, to);
  // Not more than is needed: fixed costs alone, or those of bytes, where they are each a number.
  const std::vector<Shares> ways = has_one_line(costs) ? std::vector<Shares>{{1, 0}, {0, 1}, {1, 1}}
                                                       : std::vector<Shares>{{1, 1}};
  for (const Shares& way : ways) {
    const std::optional<PairCosts> found = nearest(costs, end, way);
    if (!found) continue;
    note(costs, *found, from, to);
    return *found;
  }
  return costs;
}

std::optional<PairCosts> MonotoneProjection::nearest(const PairCosts& costs, const PairCosts& end,
                                                     const Shares& way) const {
  constexpr double least = 1e-9;  // [s] clocks tell less from nothing
  const auto at = [&](double share) {
    return between(costs, end, {share * way.fixed, share * way.per_byte});
  };
  double impossible = 0;
  double possible = joint_reach(model_, kind_);
  if (!flaw(at(possible), least).empty()) return std::nullopt;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double share = (impossible + possible) / 2;
    (flaw(at(share), least).empty() ? possible : impossible) = share;
  }
  return at(possible);
}

const CostsOfPairs& MonotoneProjection::utmost() {
  if (!utmost_) {
    at_upper_ends_ = at_upper_ends(model_, kind_);
    utmost_ = costs_of_pairs(*at_upper_ends_, kind_);
  }
  return utmost_;
}

void MonotoneProjection::note(const PairCosts& before, const PairCosts& after, int from, int to) {
  if (!moved_.emplace(from, to).second) return;
  moved_pairs_ += pairs_like(from, to);
  if (first_flaw_.empty()) {
    first_flaw_ =
        flaw(before, 0) + " from rank " + std::to_string(from) + " to " + std::to_string(to);
  }
  const auto largest = static_cast<double>(fitted_sizes(model_, kind_).last.value);
  const auto longer = [&](double size) { return after.one_way.at(size) - before.one_way.at(size); };
  empty_longer_ = std::max(empty_longer_, longer(0));
  largest_longer_ = std::max(largest_longer_, longer(largest));
}

std::int64_t MonotoneProjection::pairs_like(int from, int to) const {
  if (!model_.classes) return 1;
  const PairClasses& classes = *model_.classes->pairs;
  return classes.pair_counts()[static_cast<std::size_t>(classes.class_of(from, to))];
}

std::optional<Diagnostic> MonotoneProjection::moved() const {
  if (moved_.empty()) return std::nullopt;
  const std::int64_t ranks = model_.ranks;
  const std::string all = std::to_string(ranks * (ranks - 1));
  return Diagnostic{
      .kind = "moved_costs",
      .count = moved_pairs_,
      .problem = "what messages of " + std::to_string(moved_pairs_) + " of " + all +
                 " pairs take by " + kind_ +
                 " is moved, within the intervals of all pairs together, to the nearest that "
                 "can be",
      .reason = first_flaw_,
      .advice = "an empty message of these takes up to " + to_text(Seconds{empty_longer_}) +
                " longer by that, one of " + to_text(fitted_sizes(model_, kind_).last) + " up to " +
                to_text(Seconds{largest_longer_}) + "; calibrate again where that matters"};
}

}  // namespace commgauge::simulate
