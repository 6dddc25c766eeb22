#include "commgauge/simulate/collective_prediction.hpp"

#include <algorithm>
#include <numeric>
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

}  // namespace

Seconds time_of(const Machine& machine, const schedule::Collective& what,
                schedule::Algorithm algorithm) {
  Simulation simulation(machine);
  simulation.run([&](CoroutineProcess& process) -> Task {
    Group all;
    all.ranks.resize(static_cast<std::size_t>(machine.ranks));
    std::iota(all.ranks.begin(), all.ranks.end(), 0);
    all.context = 1;
    MessagesOnly messages(process, all, what.unit);
    Request request;
    request.kind = Request::Kind::collective;
    process.start_collective(request,
                             perform(schedule_of(what, algorithm, process.rank()), messages));
    co_await process.one(request);
  });
  if (ends_at_root(what.operation)) return {simulation.process(what.root).clock()};
  double last = 0;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    last = std::max(last, simulation.process(rank).clock());
  }
  return {last};
}

std::vector<Prediction> predict_collectives(const Model& model, const std::string& name,
                                            std::span<const ScheduledCollective> all) {
  const auto times = by_replicates(model, name, [&](const Model& one) {
    const Machine machine = machine_of(one, name);
    std::vector<double> of_machine;
    for (const auto& [what, algorithm] : all) {
      of_machine.push_back(time_of(machine, what, algorithm).value);
    }
    return of_machine;
  });
  std::vector<Prediction> predictions;
  for (std::size_t k = 0; k < all.size(); ++k) {
    predictions.push_back(time_by_replicates(model, name, times[k]));
    predictions.back().extrapolated = !is_inside(model, name, all[k].what, all[k].algorithm);
  }
  return predictions;
}

Prediction predict_collective(const Model& model, const std::string& name,
                              const schedule::Collective& what, schedule::Algorithm algorithm) {
  const ScheduledCollective one{what, algorithm};
  return predict_collectives(model, name, {&one, 1}).front();
}

bool is_told_by_machine(const Model& model, const Query& query) {
  return model.host_links && query.operation != commgauge::Operation::p2p && !query.processes &&
         query.service == Service::in_turn && query.order.empty() &&
         facts_of(query.model).is_machine();
}

Prediction predict_by_machine(const Model& model, const Query& query) {
  schedule::Collective what;
  what.operation = query.operation == commgauge::Operation::scatter  ? schedule::Operation::scatter
                   : query.operation == commgauge::Operation::gather ? schedule::Operation::gather
                                                                     : schedule::Operation::bcast;
  what.ranks = model.ranks;
  what.root = query.from;
  what.counts = {query.size.value};
  if (what.root < 0 || what.root >= model.ranks) {
    throw InputError("the root is rank " + std::to_string(what.root) + " (the model has " +
                     std::to_string(model.ranks) + " ranks): give one from 0 up, below that");
  }
  const bool is_flat = query.algorithm == commgauge::Algorithm::flat;
  return predict_collective(model, query.model, what,
                            is_flat ? schedule::Algorithm::flat : schedule::Algorithm::binomial);
}

}  // namespace commgauge::simulate
