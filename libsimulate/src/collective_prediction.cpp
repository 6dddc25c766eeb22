#include "commgauge/simulate/collective_prediction.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/simulate/collective.hpp"
#include "commgauge/simulate/simulation.hpp"

namespace commgauge::simulate {

namespace {

bool ends_at_root(schedule::Operation operation) {
  return operation == schedule::Operation::gather || operation == schedule::Operation::gatherv ||
         operation == schedule::Operation::reduce;
}

/// Whether the model was fitted for all sizes of the messages that have data.
bool is_inside(const Model& model, const std::string& name, const schedule::Collective& what,
               schedule::Algorithm algorithm) {
  const SizeSpan sizes = fitted_sizes(model, name);
  for (int rank = 0; rank < what.ranks; ++rank) {
    for (const schedule::Step& step : schedule_of(what, algorithm, rank).steps) {
      const Bytes size{step.here.count * what.unit.value};
      if (step.is_message() && size.value > 0 && (size < sizes.first || sizes.last < size)) {
        return false;
      }
    }
  }
  return true;
}

struct CollectiveRun {
  Seconds time;
  std::vector<TakenInTurn> in_turn;  ///< by rank
};

CollectiveRun run_of(const Machine& machine, const schedule::Collective& what,
                     schedule::Algorithm algorithm) {
  Simulation simulation(machine);
  simulation.run([&](CoroutineProcess& process) -> Task {
    Group all;
    all.ranks.resize(static_cast<std::size_t>(machine.ranks));
    std::iota(all.ranks.begin(), all.ranks.end(), 0);
    all.context = 1;
    MessagesOnly messages(all, what.unit);
    schedule::Schedule steps = schedule_of(what, algorithm, process.rank());
    const auto turns = in_turn(machine, what.operation, steps, all.ranks);
    Request request;
    request.kind = Request::Kind::collective;
    process.start_collective(request, perform(std::move(steps), messages, turns));
    co_await process.one(request);
  });
  CollectiveRun run;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const CoroutineProcess& process = simulation.process(rank);
    run.in_turn.push_back(process.in_turn());
    if (ends_at_root(what.operation) && rank != what.root) continue;
    run.time = std::max(run.time, Seconds{process.clock()});
  }
  return run;
}

}  // namespace

Seconds time_of(const Machine& machine, const schedule::Collective& what,
                schedule::Algorithm algorithm) {
  return run_of(machine, what, algorithm).time;
}

std::optional<OutOfStep> out_of_step(const Machine& machine, const ScheduledCollective& one) {
  const CollectiveRun run = run_of(machine, one.what, one.algorithm);
  return out_of_step(run.time, run.in_turn);
}

namespace {

/// One machine for each replicate.
std::vector<ByReplicates> collectives_by_replicates(const Model& model, const std::string& name,
                                                    std::span<const ScheduledCollective> all) {
  return by_replicates(model, name, [&](const Model& one) {
    const Machine machine = machine_of(one, name);
    std::vector<double> times;
    for (const auto& [what, algorithm] : all) {
      times.push_back(time_of(machine, what, algorithm).value);
    }
    return times;
  });
}

Prediction prediction_of(const Model& model, const std::string& name,
                         const ScheduledCollective& one, const ByReplicates& times) {
  Prediction prediction = time_by_replicates(model, name, times);
  prediction.on_machine = true;
  prediction.extrapolated = !is_inside(model, name, one.what, one.algorithm);
  return prediction;
}

/// Whether the machine can tell more than formulas do.
bool may_share_links(const Model& model, const Query& query) {
  return model.host_links && query.operation != commgauge::Operation::p2p && !query.processes &&
         query.order.empty() && facts_of(query.model).is_machine();
}

/// At once nothing is sent of empty blocks, and they overlap in turn, too.
schedule::Algorithm algorithm_of(const Query& query) {
  if (query.algorithm == commgauge::Algorithm::binomial) return schedule::Algorithm::binomial;
  const bool at_once = query.service == Service::at_once && query.size.value > 0;
  return at_once ? schedule::Algorithm::at_once : schedule::Algorithm::flat;
}

/// What the machine tells, by the query's place: of those that a formula answers, too, so that both
/// refuse the same.
std::map<std::size_t, PredictedByReplicates> told_by_machine(const Model& model,
                                                             std::span<const Query> queries) {
  std::vector<std::size_t> places;
  std::vector<ScheduledCollective> collectives;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const Query& query = queries[k];
    if (!may_share_links(model, query) || !predict_time_if_measured(model, query)) continue;
    places.push_back(k);
    collectives.push_back({collective_of(query, model.ranks), algorithm_of(query)});
  }
  if (places.empty()) return {};
  const std::string& name = queries.front().model;
  std::map<std::size_t, PredictedByReplicates> told;
  try {
    const std::vector<ByReplicates> times = collectives_by_replicates(model, name, collectives);
    for (std::size_t k = 0; k < places.size(); ++k) {
      told[places[k]] = {prediction_of(model, name, collectives[k], times[k]),
                         replicate_times_of(model, name, times[k])};
    }
  } catch (const InputError&) {  // it can't be emulated
  }
  return told;
}

}  // namespace

std::vector<Prediction> predict_collectives(const Model& model, const std::string& name,
                                            std::span<const ScheduledCollective> all) {
  const std::vector<ByReplicates> times = collectives_by_replicates(model, name, all);
  std::vector<Prediction> predictions;
  const Machine machine = machine_of(model, name);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Prediction& added = predictions.emplace_back(prediction_of(model, name, all[k], times[k]));
    // Without an interval `high` stays NaN.
    if (const auto found = out_of_step(machine, all[k])) added.high.value += found->longer();
  }
  return predictions;
}

Prediction predict_collective(const Model& model, const std::string& name,
                              const schedule::Collective& what, schedule::Algorithm algorithm) {
  const ScheduledCollective one{what, algorithm};
  return predict_collectives(model, name, {&one, 1}).front();
}

Prediction predict(const Model& model, const Query& query) {
  return simulate::predict(model, std::span{&query, 1}).front();
}

std::vector<Prediction> predict(const Model& model, std::span<const Query> queries) {
  const auto told = told_by_machine(model, queries);
  std::vector<Prediction> all;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const auto known = told.find(k);
    all.push_back(known != told.end() ? known->second.prediction
                                      : commgauge::predict(model, queries[k]));
  }
  return all;
}

std::vector<std::optional<PredictedByReplicates>> predict_with_replicates(
    const Model& model, std::span<const Query> queries) {
  auto all = commgauge::predict_with_replicates(model, queries);
  for (const auto& [place, one] : told_by_machine(model, queries)) all[place] = one;
  return all;
}

}  // namespace commgauge::simulate
