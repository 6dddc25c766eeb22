#include "commgauge/predict/master_worker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/costs/message_times.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/model/spread.hpp"
#include "predict/prediction_rules.hpp"
#include "predict/with_fit.hpp"

namespace commgauge {

namespace {

/// Of one task, averaged over the workers. With P processes the master needs
/// master + growth·P, the round trip takes round_trip + 2·growth·P [s].
struct Costs {
  double master{};
  double round_trip{};
  double growth{};
};

/// What the messages between a master and its workers need to know of a query.
struct TaskExchange {
  int master;
  double request;
  double task;
  double eager_limit;
  [[nodiscard]] Message from_worker(int worker, double size) const {
    return {worker, master, size, eager_limit};
  }
  [[nodiscard]] Message to_worker(int worker, double size) const {
    return {master, worker, size, eager_limit};
  }
};

template <class View>
Costs costs_of_pair(const View& view, const TaskExchange& exchange, int worker) {
  const Message request = exchange.from_worker(worker, exchange.request);
  const Message task = exchange.to_worker(worker, exchange.task);
  return {costs_of(view, request).receive_overhead(request.size).at(request.size) +
              costs_of(view, task).send_overhead(task.size).at(task.size),
          one_way(view, request) + one_way(view, task), 0};
}

/// With o'_a in place of the model's o', where there is growth; o'_b comes to it for each process.
template <class Parameters>
Costs costs_of_pair(const Parameters& p, const OverheadGrowth* growth, const TaskExchange& exchange,
                    int worker) {
  if (growth == nullptr) return costs_of_pair(p, exchange, worker);
  Costs costs = costs_of_pair(GrownView<Parameters>{p, *growth, 0}, exchange, worker);
  costs.growth = growth->o_prime_b_s + growth->o_prime_b_r;
  return costs;
}

template <class Parameters>
std::vector<int> measured_workers(const Parameters& p, const TaskExchange& exchange, int ranks) {
  std::vector<int> workers;
  for (int worker = 0; worker < ranks; ++worker) {
    if (worker == exchange.master) continue;
    const Costs costs = costs_of_pair(p, exchange, worker);
    if (std::isfinite(costs.master + costs.round_trip)) workers.push_back(worker);
  }
  return workers;
}

template <class Parameters>
Costs mean_costs(const Parameters& p, const OverheadGrowth* growth, const TaskExchange& exchange,
                 const std::vector<int>& workers) {
  Costs mean;
  const auto count = static_cast<double>(workers.size());
  for (const int worker : workers) {
    const Costs one = costs_of_pair(p, growth, exchange, worker);
    mean.master += one.master / count;
    mean.round_trip += one.round_trip / count;
    mean.growth += one.growth / count;
  }
  return mean;
}

/// What is predicted from one set of parameters.
struct Outcome {
  double master;      ///< [s]
  double workers;     ///< [s]
  double messages;    ///< the part of `workers` that is no computation [s]
  double saturation;  ///< P
  [[nodiscard]] double time() const { return larger(master, workers); }
};

/// The least P > 1 with (P - 1)·(master + growth·P) = task + round_trip + 2·growth·P, a quadratic
/// equation in P - 1. The master's messages count `of_master` times, those of the round trip
/// `of_trip` times.
double saturation_of(const Costs& costs, double task_time, double of_master = 1,
                     double of_trip = 1) {
  const double alone = task_time + of_trip * (costs.round_trip + 2 * costs.growth);
  const double slope = of_master * (costs.master + costs.growth) - of_trip * 2 * costs.growth;
  const double root = std::sqrt(slope * slope + 4 * of_master * costs.growth * alone);
  const double workers = 2 * alone / (slope + root);
  return workers > 0 && std::isfinite(workers) ? 1 + workers : unknown_value;
}

Outcome outcome(const Costs& costs, const MasterWorkerQuery& query) {
  const auto tasks = static_cast<double>(query.tasks);
  const double P = query.processes;
  const double of_each = std::ceil(tasks / (P - 1));
  const double messages = of_each * (costs.round_trip + 2 * costs.growth * P);
  return {tasks * (costs.master + costs.growth * P), of_each * query.task_time.value + messages,
          messages, saturation_of(costs, query.task_time.value)};
}

/// The central outcome, and those of sets of replicates that vary independently of each other.
struct Outcomes {
  Costs costs;  ///< of the central outcome
  Outcome value;
  std::vector<std::vector<Outcome>> sets;
  std::vector<ReplicateKind> kinds;  ///< of each set
  double misfit{};                   ///< half width, relative to times of messages
  double confidence{};
  int passes{};
};

/// Replicates of model and growth belong together where they are as many; elsewhere each set varies
/// while the other stays.
template <class Parameters>
Outcomes outcomes_of(const Model& model, const Fitted<Parameters>& fitted,
                     const MasterWorkerQuery& query, const TaskExchange& exchange) {
  const std::vector<int> workers = measured_workers(fitted.value, exchange, model.ranks);
  if (workers.empty()) {
    throw InputError(
        "the model can't say (no pair of rank " + std::to_string(query.master) +
        " was measured both ways): calibrate with --pairs all, or take another master");
  }
  const auto one = [&](const Parameters& p, const OverheadGrowth* growth) {
    return outcome(mean_costs(p, growth, exchange, workers), query);
  };
  const auto& growth = model.overhead_growth;
  const OverheadGrowth* const grown = growth ? &growth->value : nullptr;
  const bool paired = growth && growth->replicate_kind == fitted.replicate_kind &&
                      growth->replicates.size() == fitted.replicates.size();
  Outcomes all{mean_costs(fitted.value, grown, exchange, workers),
               one(fitted.value, grown),
               {{}},
               {fitted.replicate_kind},
               0,
               model.confidence,
               passes_of(model)};
  for (std::size_t r = 0; r < fitted.replicates.size(); ++r) {
    all.sets[0].push_back(one(fitted.replicates[r], paired ? &growth->replicates[r] : grown));
  }
  if (growth && !paired) {
    all.sets.emplace_back();
    all.kinds.push_back(growth->replicate_kind);
    for (const OverheadGrowth& replicate : growth->replicates) {
      all.sets[1].push_back(one(fitted.value, &replicate));
    }
  }
  // A fit with nothing to spare has no residual: its misfit is unknown, and it warns of that.
  for (const double residual : {fitted.residual, growth ? growth->residual : unknown_value}) {
    if (!std::isnan(residual)) {
      all.misfit = std::max(all.misfit, normal_quantile(model.confidence) * residual);
    }
  }
  return all;
}

/// Logarithmic half width for one more replicate, of what `get` takes from an outcome.
template <class Get>
double next_half_width(const Outcomes& all, Get get) {
  double half = 0;
  for (std::size_t k = 0; k < all.sets.size(); ++k) {
    std::vector<double> values;
    for (const Outcome& outcome : all.sets[k]) {
      // A launch may lack a pair that others have.
      if (std::isfinite(outcome.time())) values.push_back(get(outcome));
    }
    const SpreadRule spread_of(all.kinds[k], values.size(), all.confidence, all.passes);
    half = std::hypot(half, next_log_half_width(spread_of, values, get(all.value)));
  }
  return half;
}

/// An interval about `value` that joins its own logarithmic half width with what a misfit takes it
/// to. @pre least <= value <= most.
/// @throws InputError  not all above zero.
Estimate interval(double value, double least, double most, double half) {
  if (!(least > 0)) {
    throw InputError(
        "the model says that messages take no time there (overheads that fall with the number of "
        "processes fall below zero): ask for fewer processes");
  }
  return {value, value / std::exp(std::hypot(half, std::log(value / least))),
          value * std::exp(std::hypot(half, std::log(most / value)))};
}

/// Messages of the master and of the round trip may miss in opposite directions. Where the master's
/// may take nothing the upper end is infinite.
Estimate saturation_interval(const Outcomes& all, double task_time, double half) {
  const double P = all.value.saturation;
  if (std::isnan(P)) return {unknown_value, unknown_value, unknown_value};
  const double more = std::exp(all.misfit);
  const double least = saturation_of(all.costs, task_time, more, 1 / more);
  const double most = saturation_of(all.costs, task_time, 1 / more, more);
  return interval(P, least, std::isnan(most) ? std::numeric_limits<double>::infinity() : most,
                  half);
}

MasterWorkerPrediction summary(const Outcomes& all, double task_time, bool extrapolated) {
  const auto& [master, workers, messages, _] = all.value;
  const double more = std::exp(all.misfit);
  const double computing = workers - messages;
  const auto predicted = [&](auto get, double least, double most) {
    const Estimate e = interval(get(all.value), least, most, next_half_width(all, get));
    return Prediction{Seconds{e.value}, Seconds{e.low}, Seconds{e.high}, extrapolated};
  };
  const double workers_least = computing + messages / more;
  const double workers_most = computing + messages * more;
  MasterWorkerPrediction result;
  result.time =
      predicted([](const Outcome& o) { return o.time(); }, larger(master / more, workers_least),
                larger(master * more, workers_most));
  result.master =
      predicted([](const Outcome& o) { return o.master; }, master / more, master * more);
  result.workers =
      predicted([](const Outcome& o) { return o.workers; }, workers_least, workers_most);
  result.saturation = saturation_interval(
      all, task_time, next_half_width(all, [](const Outcome& o) { return o.saturation; }));
  return result;
}

template <class Parameters>
MasterWorkerPrediction predict_with(const Model& model, const Fitted<Parameters>& fitted,
                                    const MasterWorkerQuery& query) {
  const TaskExchange exchange{query.master, static_cast<double>(query.request.value),
                              static_cast<double>(query.task.value), eager_limit_of(model)};
  const auto is_inside = [&](Bytes size) { return size >= fitted.first && size <= fitted.last; };
  const bool extrapolated =
      !is_inside(query.request) || !is_inside(query.task) || query.processes > model.ranks;
  MasterWorkerPrediction result =
      summary(outcomes_of(model, fitted, query, exchange), query.task_time.value, extrapolated);
  result.has_growth = model.overhead_growth.has_value();
  return result;
}

void check(const Model& model, const MasterWorkerQuery& query) {
  if (query.master < 0 || query.master >= model.ranks) {
    throw InputError("rank " + std::to_string(query.master) +
                     " is out of range (the model has ranks 0 to " +
                     std::to_string(model.ranks - 1) + "): give one of them");
  }
  if (query.tasks == 0) throw InputError("no tasks (nothing is to be done): give at least 1");
  if (query.processes < 2) {
    throw InputError("a master without workers (" + std::to_string(query.processes) +
                     " ranks): give at least 2");
  }
  if (!(query.task_time.value >= 0) || !std::isfinite(query.task_time.value)) {
    throw InputError("a task's time is negative or no number: give 0 or more seconds");
  }
  if (!model.eager_limit) return;
  const Bytes larger_size = std::max(query.request, query.task);
  if (larger_size > *model.eager_limit) {
    throw InputError("a message of " + to_text(larger_size) + " is above the eager limit of " +
                     to_text(*model.eager_limit) +
                     " (master and workers would wait for each other, which is not modelled): "
                     "give smaller messages");
  }
}

}  // namespace

MasterWorkerPrediction predict_master_worker(const Model& model, const MasterWorkerQuery& query) {
  check(model, query);
  if (!facts_of(query.model).has_overheads()) {
    throw InputError("'" + query.model + "' can't predict a master (it has no overheads): take " +
                     one_of(models_that(&FitFacts::has_overheads)));
  }
  MasterWorkerPrediction found;
  with_fit(model, query.model, [&](const auto& fit) {
    if constexpr (LogPFamily<std::remove_cvref_t<decltype(central(fit))>>) {
      found = predict_with(model, fit, query);
    }
  });
  return found;
}

std::string preferred_for_master_worker(const Model& model) {
  const auto can_tell = [&](const std::string& name) {
    return model.has(name) && facts_of(name).has_overheads();
  };
  const auto ranked = std::ranges::find_if(model.ranking, can_tell, &Ranking::model);
  if (ranked != model.ranking.end()) return ranked->model;
  const std::vector<std::string> names = models_that(&FitFacts::has_overheads);
  const auto any = std::ranges::find_if(names, can_tell);
  if (any != names.end()) return *any;
  throw InputError(
      "no model in the file has overheads (a master's time consists of them): calibrate with "
      "--models loggps");
}

}  // namespace commgauge
