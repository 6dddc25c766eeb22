#include "base/requirements.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "base/role.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"

namespace commgauge::bench {

namespace {

void require_int(Bytes size) {
  require(size.value <= INT_MAX, "a message size of " + std::to_string(size.value) +
                                     " bytes is above " + std::to_string(INT_MAX) +
                                     " (MPI counts are of type int): give a smaller size");
}

void validate(const SweepOptions& sweeps) {
  const SweepPlan& plan = sweeps.plan;
  require(plan.first.value > 0 && plan.first < plan.last,
          "the sizes of a sweep go from " + to_text(plan.first) + " to " + to_text(plan.last) +
              " (the first is 0 or not below the last): give 1B to 1MiB, for example");
  require_int(plan.last);
  require(plan.per_octave >= 1, "a sweep has fewer than one size in a doubling: give at least 1");
  require(plan.precision > 0 && plan.precision < 1,
          "a sweep's precision is out of range (a relative distance of sizes): give a number "
          "between 0 and 1");
  require(plan.most_sizes >= 2, "a sweep's number of sizes is below 2: give more");
  require(sweeps.reps >= 3, "a sweep's repetitions are below 3 (a median needs some): give more");
  require(sweeps.root >= 0, "a sweep's root is negative: give a rank");
}

}  // namespace

void require(bool condition, const std::string& message) {
  if (!condition) throw InputError(message);
}

Bytes largest_size(const Options& options) {
  Bytes largest = options.sizes.empty() ? options.largest : std::ranges::max(options.sizes);
  if (options.size) largest = std::max(largest, *options.size);
  return largest;
}

void validate(const Options& options) {
  require(options.precision > 0 && options.precision < 1,
          "precision is out of range (a relative half width): give a number between 0 and 1");
  require(options.confidence > 0 && options.confidence < 1,
          "confidence is out of range: give a number between 0 and 1, as 0.95");
  require(options.min_reps >= 2, "min-reps is below 2 (one value has no spread): give more");
  require(options.max_reps >= options.min_reps, "max-reps is below min-reps: give more");
  require(options.passes >= 1, "passes is below 1: give at least 1, better 5 or more");
  require(options.triplets >= 1, "triplets is below 1: give at least 1, better 3 or more");
  require(!options.time_budget || options.time_budget->value > 0,
          "the time budget is not positive: give a duration, as 60s");
  require_int(largest_size(options));
  validate(options.sweeps);
  for (const std::string& name : options.models) require_model_name(name);
}

bool wants_sweeps(const Options& options, int ranks) {
  return options.sweeps.enabled && ranks >= 3;
}

void require_ranks(const Options& options, int ranks) {
  require(ranks >= 2,
          "one rank can't communicate: start at least two, as `mpiexec -n 4 estimate-model …`");
  for (const std::string& name : options.models) {
    if (ranks < 3 && needs_three_ranks(name)) {
      throw FitError("model " + name +
                     " takes at least three ranks: start more, or ask for hockney");
    }
  }
  require(!wants_sweeps(options, ranks) || options.sweeps.root < ranks,
          "a sweep's root is rank " + std::to_string(options.sweeps.root) + " (there are " +
              std::to_string(ranks) + " ranks): give one from 0 up, below that");
}

void require_sound(const Experiment& e, int ranks) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < ranks; };
  std::vector<int> served = e.peers;
  std::vector<int> answering = e.reply_order;
  std::ranges::sort(served);
  std::ranges::sort(answering);
  require(is_rank(e.root) && !e.peers.empty() && std::ranges::all_of(e.peers, is_rank) &&
              std::ranges::find(e.peers, e.root) == e.peers.end() &&
              std::ranges::adjacent_find(served) == served.end() && served == answering,
          "an experiment names ranks that are not there, twice, or not alike in peers and "
          "reply_order: give each peer once in both");
  require(e.kind != Kind::pairs_at_once || e.peers.size() % 2 == 1,
          "an experiment of pairs at once has a rank without a partner: give the root's partner, "
          "then pairs");
  require_int(std::max(e.out, e.back));
  if (!has_roles(e.kind)) return;
  // The root's messages are the largest of a tree.
  for (const Step& step : role_of(e, e.root).steps) require_int(step.size);
}

}  // namespace commgauge::bench
