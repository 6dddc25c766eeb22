#include "commgauge/plan/budget.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "commgauge/model/model_list.hpp"

namespace commgauge {
namespace {

/// Of what is foretold: what else is done, and what is slower than the pilot.
constexpr double spare = 1.1;

/// Round trip with an empty answer: a line between the pilot's sizes, and beyond them.
double round_trip_time(const Pilot& pilot, const CampaignSizes& sizes, int from, int to,
                       Bytes size) {
  struct Point {
    double size;
    double time;
  };
  const auto medium = static_cast<double>(sizes.one_to_two.value);
  const auto bulk = static_cast<double>(sizes.bulk.back().value);
  Point left{0, pilot.empty(from, to)};
  Point right{bulk, pilot.bulk(from, to)};
  const auto x = static_cast<double>(size.value);
  if (medium > 0 && medium < bulk) {
    const Point middle{medium, pilot.medium(from, to)};
    (x < medium ? right : left) = middle;
  }
  const double slope = (right.time - left.time) / (right.size - left.size);
  return std::max(left.time + slope * (x - left.size), 0.0);
}

bool is_one_way(Kind kind) {
  return kind == Kind::scatter || kind == Kind::gather || kind == Kind::one_to_k_concurrent ||
         kind == Kind::k_to_one_concurrent;
}

/// With what is repeated before the blocks, and told to the peers.
double experiment_time(const Experiment& experiment, const Pilot& pilot, const CampaignSizes& sizes,
                       int blocks) {
  const double repetition = repetition_time(experiment, pilot, sizes).value;
  const double told = 2 * pilot.empty(experiment.root, experiment.peers.front());
  if (is_one_way(experiment.kind)) return told + blocks * (repetition + told);
  if (repetition > dear_repetition.value) return told + (1 + blocks) * repetition;
  if (repetition > long_repetition.value) return told + (3 + blocks) * repetition;
  constexpr int before = 4;
  return told + (before + blocks) * std::max(repetition, block_target.value);
}

/// What is taken where nothing is given.
std::vector<std::string> asked_models(const CampaignOptions& options) {
  if (!options.models.empty()) return options.models;
  return models_that([](const FitFacts& facts) { return !facts.needs.only_named(); });
}

class InTime {
 public:
  InTime(int n, const Pilot& pilot, const CampaignSizes& sizes, const CampaignOptions& options,
         bool serial)
      : n_{n}, pilot_{pilot}, sizes_{sizes}, options_{options}, serial_{serial} {}

  [[nodiscard]] std::vector<Round> rounds_of(std::vector<std::string> models) const {
    CampaignOptions options = options_;
    options.models = std::move(models);
    return plan_campaign(n_, pilot_, sizes_, options);
  }
  [[nodiscard]] double time_of(std::span<const Round> rounds, int blocks) const {
    return spare * pass_time(rounds, pilot_, sizes_, blocks, serial_).value;
  }

  /// Moves the model that takes least beside those that are chosen to these.
  /// @return whether there is time for it
  bool take_next(std::vector<std::string>& chosen, std::vector<std::string>& rest,
                 double left) const {
    const auto time_with = [&](const std::string& name) {
      std::vector<std::string> models = chosen;
      models.push_back(name);
      return time_of(rounds_of(std::move(models)), fewest_blocks);
    };
    std::vector<double> times;
    std::ranges::transform(rest, std::back_inserter(times), time_with);
    const auto least = std::ranges::min_element(times);
    const auto next = rest.begin() + (least - times.begin());
    if (*least > left && !chosen.empty()) return false;
    chosen.push_back(*next);
    rest.erase(next);
    return true;
  }

 private:
  int n_;
  const Pilot& pilot_;
  const CampaignSizes& sizes_;
  const CampaignOptions& options_;
  bool serial_;
};

}  // namespace

Seconds repetition_time(const Experiment& experiment, const Pilot& pilot,
                        const CampaignSizes& sizes) {
  const int root = experiment.root;
  double sum = 0;
  for (const int peer : experiment.peers) {
    if (peer == root) continue;
    sum += round_trip_time(pilot, sizes, root, peer, std::max(experiment.out, experiment.back));
  }
  return {experiment.delay.value + experiment.messages * sum};
}

Seconds pass_time(std::span<const Round> rounds, const Pilot& pilot, const CampaignSizes& sizes,
                  int blocks, bool serial) {
  double sum = 0;
  for (const Round& round : rounds) {
    double longest = 0;
    for (const Group& group : round) {
      double own = 0;
      for (const Experiment& experiment : group.experiments) {
        own += experiment_time(experiment, pilot, sizes, blocks);
      }
      longest = serial ? longest + own : std::max(longest, own);
    }
    sum += longest;
  }
  return {sum};
}

PassPlan plan_in_time(int n, const Pilot& pilot, const CampaignSizes& sizes,
                      const CampaignOptions& options, Seconds left, bool serial) {
  PassPlan plan{plan_campaign(n, pilot, sizes, options), false, {}};
  if (!std::isfinite(left.value)) return plan;
  const InTime in_time(n, pilot, sizes, options, serial);
  if (in_time.time_of(plan.rounds, few_blocks) <= left.value) return plan;
  plan.is_thin = true;
  if (in_time.time_of(plan.rounds, fewest_blocks) <= left.value) return plan;
  std::vector<std::string> chosen;
  plan.left_out = asked_models(options);
  while (!plan.left_out.empty()) {
    if (!in_time.take_next(chosen, plan.left_out, left.value)) break;
  }
  plan.rounds = in_time.rounds_of(std::move(chosen));
  return plan;
}

}  // namespace commgauge
