#include "judge/looks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/model/spread.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

namespace {

constexpr double few_trips_scatter = 0.05;  ///< of one or two, which don't tell it
constexpr double enough_bytes = 0.25;       ///< of an empty message's time, or bytes aren't told

/// What a model says of a time [s].
struct ToldTime {
  double time{};
  double misfit{};  ///< standard deviation of what the model leaves out
  std::vector<double> replicates;

  ToldTime& operator+=(const ToldTime& other) {
    time += other.time;
    misfit = std::hypot(misfit, other.misfit);
    if (replicates.empty()) replicates.resize(other.replicates.size());
    for (std::size_t r = 0; r < replicates.size(); ++r) replicates[r] += other.replicates[r];
    return *this;
  }
};

/// How replicates of a model tell the spread of a further launch's or pass's time.
class Spreading {
 public:
  explicit Spreading(const Model& model)
      : confidence_{model.confidence},
        z_{normal_quantile(model.confidence)},
        passes_{passes_of(model)} {}

  void set(ReplicateKind kind) { kind_ = kind; }

  /// Of a time's logarithm; where the model doesn't tell it as much as hosts of a kind may differ.
  /// A replicate that lacks the pair is left out.
  [[nodiscard]] double sd(std::vector<double> replicates, double time) const {
    std::erase_if(replicates, [](double one) { return !std::isfinite(one); });
    if (replicates.size() < 2) return std::log1p(alike_within);
    const SpreadRule rule(kind_, replicates.size(), confidence_, passes_);
    return next_log_half_width(rule, replicates, time) / z_;
  }

  /// The misfit is what the whole interval holds beyond that.
  [[nodiscard]] double misfit(const Prediction& prediction,
                              const std::vector<double>& replicates) const {
    if (!prediction.has_interval() || !(prediction.low.value > 0)) return 0;
    const double whole = std::log(prediction.high / prediction.low) / 2 / z_;
    const double own = sd(replicates, prediction.time.value);
    if (!(whole > own)) return 0;
    return prediction.time.value * std::sqrt(whole * whole - own * own);
  }

 private:
  double confidence_;
  double z_;
  int passes_;
  ReplicateKind kind_{};
};

/// Measured and told times of one size.
class Trips {
 public:
  void add(double time, const ToldTime& told) {
    logs_.push_back(std::log(time / told.time));
    sum_ += told;
  }
  [[nodiscard]] bool any() const { return !logs_.empty(); }
  /// Mean over the trips.
  [[nodiscard]] ToldTime told() const {
    const auto count = static_cast<double>(logs_.size());
    ToldTime mean = sum_;
    mean.time /= count;
    mean.misfit /= std::sqrt(count);
    for (double& one : mean.replicates) one /= count;
    return mean;
  }
  [[nodiscard]] double log_ratio() const { return median(logs_); }
  [[nodiscard]] double measured() const { return told().time * std::exp(log_ratio()); }
  /// Trips of one job may be off together, by where its ranks run: the more don't tell the better.
  [[nodiscard]] double scatter() const {
    if (logs_.size() < 3) return few_trips_scatter;
    return robust_deviation(logs_) * few_values_factor(logs_.size());
  }

 private:
  std::vector<double> logs_;
  ToldTime sum_;
};

LookPart part_of_empty(const Trips& empty, const Spreading& spreading) {
  if (!empty.any()) return {};
  const ToldTime told = empty.told();
  if (!(told.time > 0)) return {};
  const double sd = spreading.sd(told.replicates, told.time);
  return {empty.log_ratio(), std::hypot(sd, empty.scatter()), told.misfit / told.time};
}

/// What bytes add: by the model's replicates of that, for errors of both sizes go together.
LookPart part_of_bytes(const Trips& empty, const Trips& large, const Spreading& spreading) {
  if (!empty.any() || !large.any()) return {};
  const ToldTime of_empty = empty.told();
  if (!(of_empty.time > 0)) return {};
  const ToldTime of_large = large.told();
  const double predicted = of_large.time - of_empty.time;
  const double measured = large.measured() - empty.measured();
  if (predicted < enough_bytes * of_empty.time || measured <= 0) return {};
  std::vector<double> replicates;
  for (std::size_t r = 0; r < of_large.replicates.size(); ++r) {
    replicates.push_back(of_large.replicates[r] - of_empty.replicates[r]);
  }
  const double scatter =
      std::hypot(large.scatter() * large.measured(), empty.scatter() * empty.measured()) / measured;
  const double model = spreading.sd(replicates, predicted);
  return {std::log(measured / predicted), std::hypot(model, scatter), of_large.misfit / predicted};
}

void check(const SurveyedTrip& trip, int ranks) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < ranks; };
  if (!is_rank(trip.from) || !is_rank(trip.to) || trip.from == trip.to || !(trip.time_s > 0)) {
    throw InputError("no round trip of ranks " + std::to_string(trip.from) + " and " +
                     std::to_string(trip.to) + " in " + std::to_string(trip.time_s) +
                     " s (the job has " + std::to_string(ranks) +
                     " ranks, from 0 on, and messages take time): measure again");
  }
}

/// What a model says of messages, each asked once.
class ToldMessages {
 public:
  ToldMessages(const Model& job, const std::vector<SurveyedTrip>& trips, Spreading& spreading) {
    const std::string name = model_that_tells(job);
    std::vector<Query> queries;
    const auto ask = [&](int from, int to, Bytes size) {
      const bool is_new = places_.try_emplace({from, to, size}, queries.size()).second;
      if (is_new) queries.push_back({name, Operation::p2p, from, to, size});
    };
    for (const SurveyedTrip& trip : trips) {
      ask(trip.from, trip.to, trip.size);
      ask(trip.to, trip.from, Bytes{0});
    }
    const auto found = predict_with_replicates(job, queries);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (!found[k]) {
        throw InputError("the model doesn't know messages from rank " +
                         std::to_string(queries[k].from) + " to rank " +
                         std::to_string(queries[k].to) + ": calibrate with --pairs all");
      }
      const auto& [prediction, replicates] = *found[k];
      spreading.set(replicates.kind);
      told_.push_back({prediction.time.value, spreading.misfit(prediction, replicates.times_s),
                       replicates.times_s});
    }
  }

  /// Both of a trip's messages.
  [[nodiscard]] ToldTime operator()(const SurveyedTrip& trip) const {
    ToldTime both = told_[places_.at({trip.from, trip.to, trip.size})];
    both += told_[places_.at({trip.to, trip.from, Bytes{0}})];
    return both;
  }

 private:
  std::map<std::tuple<int, int, Bytes>, std::size_t> places_;
  std::vector<ToldTime> told_;
};

}  // namespace

Bytes large_size(const std::vector<SurveyedTrip>& trips) {
  Bytes size{1};
  for (const SurveyedTrip& trip : trips) size = std::max(size, trip.size);
  return size;
}

std::vector<Look> looks_of(const JobPairs& job, const std::vector<SurveyedTrip>& trips) {
  const auto size = static_cast<double>(large_size(trips).value);
  for (const SurveyedTrip& trip : trips) check(trip, job.model.ranks);
  Spreading spreading(job.model);
  const ToldMessages told(job.model, trips, spreading);
  std::map<std::pair<int, int>, std::array<Trips, 2>> of_pairs;
  for (const SurveyedTrip& trip : trips) {
    const std::size_t which = trip.size.value > 0 ? 1 : 0;
    of_pairs[std::minmax(trip.from, trip.to)][which].add(trip.time_s, told(trip));
  }
  std::vector<Look> looks;
  for (const auto& [pair, both] : of_pairs) {
    const auto& [empty, large] = both;
    const bool has_both = empty.any() && large.any();
    looks.push_back({pair.first,
                     pair.second,
                     job.class_of(pair.first, pair.second),
                     {part_of_empty(empty, spreading), part_of_bytes(empty, large, spreading)},
                     has_both ? (large.told().time - empty.told().time) / size : 0});
  }
  return looks;
}

}  // namespace commgauge
