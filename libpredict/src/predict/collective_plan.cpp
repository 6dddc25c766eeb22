#include "commgauge/predict/collective_plan.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/predict/tree.hpp"

namespace commgauge {

namespace {

using Candidate = std::optional<CollectivePlan>;

/// Measured against predicted: up to here it is the model's own error, which the tree shares.
constexpr double common_error = 1.25;

CollectivePlan plan_of(const Model& model, const Query& query) {
  CollectivePlan plan;
  plan.operation = query.operation;
  plan.ranks = model.ranks;
  plan.root = query.from;
  plan.size = plan.piece = query.size;
  plan.model = query.model;
  plan.algorithm = query.algorithm;
  plan.order = query.order;
  plan.time = predict_time(model, query);
  return plan;
}

bool is_eager(const Model& model, Bytes size) {
  return !model.eager_limit || size <= *model.eager_limit;
}

/// What the flat collectives that no fit saw say of this model's time, at the size nearest to the
/// query's on one side of the eager limit: of its root, or else of all.
struct Evidence {
  Bytes size;
  std::vector<double> of_root;
  std::vector<double> of_all;  ///< measured / predicted
};

Evidence evidence_for(const Model& model, const Query& query, bool eager) {
  Evidence evidence;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Check& check : model.checks) {
    if (is_eager(model, check.size) != eager || check.size.value == 0) continue;
    if (check.operation != query.operation || check.model != query.model) continue;
    if (!(check.predicted_s > 0)) continue;
    const double distance = std::abs(
        std::log(static_cast<double>(check.size.value) / static_cast<double>(query.size.value)));
    if (distance > nearest) continue;
    if (distance < nearest) evidence = {check.size, {}, {}};
    nearest = distance;
    const double ratio = check.measured_s / check.predicted_s;
    evidence.of_all.push_back(ratio);
    if (check.from == query.from) evidence.of_root.push_back(ratio);
  }
  return evidence;
}

/// Where flat collectives took far longer than predicted (packets were dropped, say), so much
/// longer is this one taken to be; less so, in proportion to the size, below the size that shows
/// it.
double stretch(const Model& model, const Query& query) {
  if (query.size.value == 0) return 1;
  const bool together = query.algorithm == Algorithm::at_once || is_eager(model, query.size);
  Evidence evidence = evidence_for(model, query, together);
  std::vector<double>& ratios = evidence.of_root.empty() ? evidence.of_all : evidence.of_root;
  if (ratios.empty()) return 1;
  const double ratio = median(ratios);
  if (ratio <= common_error) return 1;
  const double share =
      static_cast<double>(query.size.value) / static_cast<double>(evidence.size.value);
  return 1 + (ratio - 1) * std::min(1.0, share);
}

/// @param algorithm  flat or at_once
CollectivePlan flat(const Model& model, Query query, Algorithm algorithm) {
  query.algorithm = algorithm;
  query.order = serving_order(model, query);
  CollectivePlan plan = plan_of(model, query);
  plan.time = stretch(model, query) * plan.time;
  return plan;
}

/// Nothing where it is a star, or where a message would be too large.
Candidate tree(const Model& model, Query query) {
  std::uint64_t largest = 1;
  for (const Branch& branch : binomial_tree(model.ranks, query.from)) {
    largest = std::max(largest, static_cast<std::uint64_t>(branch.ranks));
  }
  if (largest == 1 || query.size.value > INT_MAX / largest) return std::nullopt;
  query.algorithm = Algorithm::binomial;
  return plan_of(model, query);
}

/// Pieces of one size, as large as may be: a gather for each. The sweep has shown these to be
/// regular, whatever larger ones do.
CollectivePlan in_pieces(const Model& model, Query query, Bytes largest) {
  const Bytes whole = query.size;
  const std::uint64_t pieces = (whole.value + largest.value - 1) / largest.value;
  query.size = {(whole.value + pieces - 1) / pieces};
  query.algorithm = Algorithm::at_once;
  query.order = serving_order(model, query);
  CollectivePlan plan = plan_of(model, query);
  plan.size = whole;
  plan.time = static_cast<double>(pieces) * plan.time;
  return plan;
}

Candidate faster(const Candidate& a, const Candidate& b) {
  if (!a || !b) return a ? a : b;
  return a->time < b->time ? a : b;
}

/// Where both take the same time flat, which forwards nothing. @pre one of them is there
CollectivePlan flat_or_tree(const Candidate& star, const Candidate& tree) {
  if (!star || !tree) return star ? *star : *tree;
  return star->time <= tree->time ? *star : *tree;
}

CollectivePlan choose_scatter(const Model& model, const Query& query) {
  Candidate star = flat(model, query, Algorithm::at_once);
  if (!is_eager(model, query.size)) star = faster(star, flat(model, query, Algorithm::flat));
  return flat_or_tree(star, tree(model, query));
}

bool escalates(const MachineThresholds& thresholds) {
  return thresholds.gather_m1.size || thresholds.gather_m2.size;
}

/// Up to here gather is regular where it escalates.
Bytes regular_up_to(const MachineThresholds& thresholds) {
  const Threshold& m1 = thresholds.gather_m1;
  return m1.low ? *m1.low : m1.size.value_or(Bytes{0});
}

/// Where it escalates: it is regular again above.
std::optional<Bytes> regular_above(const MachineThresholds& thresholds) {
  return thresholds.gather_m2.size ? thresholds.gather_m2.high : std::nullopt;
}

/// Where a gather is regular. Without a sweep, or where that saw no escalations: everywhere.
struct Regularity {
  std::optional<Bytes> together;  ///< all may send at once, up to here; nothing: at any size
  bool swept{};                   ///< so that pieces are safe
  Bytes piece;                    ///< that may follow each other
  bool escalates{};
  std::optional<Bytes> in_turn;  ///< where it escalates: larger ones may come in turn
};

Regularity regularity_of(const Model& model) {
  Regularity result;
  result.together = model.eager_limit;
  if (!model.thresholds) return result;
  result.swept = model.thresholds->gather_sweep.has_value();
  result.escalates = escalates(*model.thresholds);
  result.piece = result.together.value_or(Bytes{});
  if (!result.escalates) return result;
  const Bytes regular = regular_up_to(*model.thresholds);
  result.together = std::min(regular, result.together.value_or(regular));
  result.piece = {result.together->value / 2};
  result.in_turn = regular_above(*model.thresholds);
  return result;
}

CollectivePlan choose_gather(const Model& model, const Query& query) {
  const Regularity regular = regularity_of(model);
  const bool together = !regular.together || query.size <= *regular.together;
  if (together) {
    return flat_or_tree(flat(model, query, Algorithm::at_once), tree(model, query));
  }
  const bool may_wait = !is_eager(model, query.size) &&
                        (!regular.escalates || (regular.in_turn && query.size > *regular.in_turn));
  const bool may_cut = regular.swept && regular.piece.value > 0;
  Candidate best;
  if (may_wait) best = flat(model, query, Algorithm::flat);
  if (may_cut) best = faster(best, in_pieces(model, query, regular.piece));
  // What escalates at once may do so in a tree, too, but there is nothing better.
  if (best && regular.escalates) return *best;
  const Candidate up = tree(model, query);
  return best || up ? flat_or_tree(best, up) : flat(model, query, Algorithm::flat);
}

/// @param longer  how many times as long a flat one takes as is predicted
FasterAlgorithm faster_of(const Model& model, const Query& query, const Prediction& flat,
                          const Prediction& tree, double longer) {
  const bool is_flat = longer * flat.time <= tree.time;
  const bool apart = is_flat ? longer * flat.high < tree.low : tree.high < longer * flat.low;
  const Regularity regular = regularity_of(model);
  const bool may_escalate =
      query.operation == Operation::gather && regular.escalates && query.size > *regular.together;
  return {is_flat ? Algorithm::flat : Algorithm::binomial,
          apart && !flat.extrapolated && !tree.extrapolated && !may_escalate};
}

/// By the best-ranked model that can say, where none is named.
template <class Choose>
CollectivePlan choose_by_best(const Model& model, Query query, Choose&& choose) {
  if (query.from < 0 || query.from >= model.ranks) {
    throw InputError("the root is rank " + std::to_string(query.from) +
                     " (the model has ranks 0 to " + std::to_string(model.ranks - 1) +
                     "): give one of them");
  }
  if (!query.model.empty()) return choose(model, query);
  query.model = model.preferred();  // refuses a file without models
  std::exception_ptr best_refuses;
  for (const std::string& name : model.names()) {
    query.model = name;
    try {
      return choose(model, query);
    } catch (const InputError&) {
      if (!best_refuses) best_refuses = std::current_exception();
    }
  }
  std::rethrow_exception(best_refuses);
}

}  // namespace

CollectivePlan plan_scatter(const Model& model, int root, Bytes size, const std::string& name) {
  return choose_by_best(model, {name, Operation::scatter, root, -1, size}, choose_scatter);
}

CollectivePlan plan_gather(const Model& model, int root, Bytes size, const std::string& name) {
  return choose_by_best(model, {name, Operation::gather, root, -1, size}, choose_gather);
}

bool gather_escalates(const Model& model, Bytes size) {
  if (!model.thresholds || !escalates(*model.thresholds)) return false;
  const std::optional<Bytes> again = regular_above(*model.thresholds);
  return size > regular_up_to(*model.thresholds) && !(again && size > *again);
}

FasterAlgorithm faster_algorithm(const Model& model, const Query& query) {
  return faster_algorithms(model, {&query, 1}).front();
}

std::vector<FasterAlgorithm> faster_algorithms(const Model& model, std::span<const Query> queries) {
  std::vector<Query> both;
  for (const Query& query : queries) {
    both.insert(both.end(), 2, query);
    both.back().algorithm = Algorithm::binomial;
    both.back().order.clear();
  }
  if (both.empty()) return {};
  const std::vector<Prediction> told = predict(model, both);
  std::vector<FasterAlgorithm> found;
  for (std::size_t k = 0; k < both.size(); k += 2) {
    found.push_back(
        faster_of(model, queries[k / 2], told[k], told[k + 1], stretch(model, queries[k / 2])));
  }
  return found;
}

}  // namespace commgauge
