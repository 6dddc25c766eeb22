#include "commgauge/simulate/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/simulate/collective_prediction.hpp"

namespace commgauge::simulate {

namespace {

/// A model is about as good with an error so many times the other's, or below this.
constexpr double comparable = 2;
constexpr double good = 0.02;
/// So many times another's time is something else.
constexpr double differs = 1.25;

double error_of(const Model& model, const std::string& kind) {
  const auto place = std::ranges::find(model.ranking, kind, &Ranking::model);
  return place == model.ranking.end() ? NAN : place->error;
}

/// Nothing: it can't be emulated.
std::optional<Machine> machine_if_lawful(const Model& model, const std::string& kind) {
  try {
    return machine_of(model, kind);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Seconds exchange_time(const Machine& machine, int one, int other, Bytes size) {
  const schedule::Collective both{.operation = schedule::Operation::alltoall,
                                  .ranks = 2,
                                  .counts = {size.value}};
  return time_of(placed(machine, {one, other}), both, schedule::Algorithm::pairwise);
}

std::optional<Diagnostic> differing_exchanges(const Model& model, const Machine& machine) {
  const double error = error_of(model, machine.kind);
  if (machine.ranks < 2 || std::isnan(error)) return {};
  const int last = machine.ranks - 1;
  const Bytes size = fitted_sizes(model, machine.kind).last;
  const Seconds taken = exchange_time(machine, 0, last, size);
  std::string others;
  std::string first;
  for (const Ranking& place : model.ranking) {
    if (place.model == machine.kind || place.error > std::max(comparable * error, good)) continue;
    const FitFacts facts = facts_of(place.model);
    if (!facts.is_machine() || !facts.tells.any_size) continue;
    const auto alternative = machine_if_lawful(model, place.model);
    if (!alternative) continue;
    const Seconds time = exchange_time(*alternative, 0, last, size);
    const double ratio = time.value / taken.value;
    if (1 / differs <= ratio && ratio <= differs) continue;
    others += ", " + to_text(time) + " by " + place.model;
    if (first.empty()) first = place.model;
  }
  if (others.empty()) return {};
  return Diagnostic{.kind = "differing_exchanges",
                    .problem = "models that explain this machine about as well as " + machine.kind +
                               " say something else of exchanges",
                    .reason = "where ranks 0 and " + std::to_string(last) + " send each other " +
                              to_text(size) + " at once that takes " + to_text(taken) + " by " +
                              machine.kind + others + ", and nothing measured tells which",
                    .advice = "most collective operations exchange: look at --kind " + first +
                              ", too"};
}

}  // namespace commgauge::simulate
