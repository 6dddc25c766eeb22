#include "commgauge/plan/budget.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {
namespace {

/// Of what is foretold: what else is done, and what is slower than the pilot.
constexpr double safety = 1.1;

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

/// With what is repeated before the blocks, and told to the peers.
double experiment_time(const Experiment& experiment, const Pilot& pilot, const CampaignSizes& sizes,
                       int blocks) {
  const double repetition = repetition_time(experiment, pilot, sizes).value;
  const double told = 2 * pilot.empty(experiment.root, experiment.peers.front());
  if (is_collective(experiment.kind)) return told + blocks * (repetition + told);
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

/// Puts the experiments of a pass into parts.
class PartMaker {
 public:
  PartMaker(int n, const Pilot& pilot, const CampaignSizes& sizes, const CampaignOptions& options,
            bool serial)
      : n_{n}, pilot_{pilot}, sizes_{sizes}, options_{options}, serial_{serial} {
    rest_ = asked_models(options);
    if (options.checks) rest_.push_back(checks);
    options_.models.clear();
    options_.checks = false;
  }

  [[nodiscard]] std::vector<PassPlan::Part> take() {
    std::vector<PassPlan::Part> parts;
    while (!rest_.empty()) parts.push_back(next());
    return parts;
  }

 private:
  static constexpr const char* checks = "";

  [[nodiscard]] CampaignOptions with(const std::string& name) const {
    CampaignOptions options = options_;
    if (name == checks) {
      options.checks = true;
    } else {
      options.models.push_back(name);
    }
    return options;
  }

  /// What isn't in a part yet. Of no model there is none.
  [[nodiscard]] std::vector<Round> more_with(const std::string& name) const {
    const CampaignOptions options = with(name);
    if (options.models.empty()) return {};
    std::vector<Round> rounds = plan_campaign(n_, pilot_, sizes_, options);
    for (Round& round : rounds) {
      for (Group& group : round) {
        std::erase_if(group.experiments,
                      [this](const Experiment& e) { return planned_.contains(e); });
      }
      std::erase_if(round, [](const Group& group) { return group.experiments.empty(); });
    }
    std::erase_if(rounds, [](const Round& round) { return round.empty(); });
    return rounds;
  }

  [[nodiscard]] PassPlan::Part next() {
    std::vector<std::vector<Round>> more;
    std::vector<double> times;
    for (const std::string& name : rest_) {
      more.push_back(more_with(name));
      times.push_back(pass_time(more.back(), pilot_, sizes_, fewest_blocks, serial_).value);
    }
    // A model comes first: the checks alone are of no use.
    if (options_.models.empty() && rest_.back() == checks) times.pop_back();
    const auto least = std::ranges::min_element(times) - times.begin();
    PassPlan::Part part{rest_[static_cast<std::size_t>(least)],
                        std::move(more[static_cast<std::size_t>(least)])};
    options_ = with(part.model);
    rest_.erase(rest_.begin() + least);
    for (const Round& round : part.rounds) {
      for (const Group& group : round) {
        planned_.insert(group.experiments.begin(), group.experiments.end());
      }
    }
    return part;
  }

  int n_;
  const Pilot& pilot_;
  const CampaignSizes& sizes_;
  CampaignOptions options_;  ///< of what is in parts
  bool serial_;
  std::vector<std::string> rest_;
  std::set<Experiment> planned_;
};

}  // namespace

Seconds repetition_time(const Experiment& experiment, const Pilot& pilot,
                        const CampaignSizes& sizes) {
  const int root = experiment.root;
  const Bytes size = std::max(experiment.out, experiment.back);
  double sum = 0;
  if (experiment.kind == Kind::ring) {
    // As if they shared all they pass: who is on whose host isn't known here.
    int from = root;
    for (const int to : experiment.peers) {
      sum += round_trip_time(pilot, sizes, std::exchange(from, to), to, size);
    }
    return {sum + round_trip_time(pilot, sizes, from, root, size)};
  }
  for (const int peer : experiment.peers) {
    if (peer == root) continue;
    sum += round_trip_time(pilot, sizes, root, peer, size);
  }
  return {experiment.messages * (sum + experiment.delay.value)};
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
  std::vector<Round> rounds = plan_campaign(n, pilot, sizes, options);
  const bool fits =
      !std::isfinite(left.value) ||
      safety * pass_time(rounds, pilot, sizes, few_blocks, serial).value <= left.value;
  if (fits) return {{{"", std::move(rounds)}}, false};
  return {PartMaker(n, pilot, sizes, options, serial).take(), true};
}

}  // namespace commgauge
