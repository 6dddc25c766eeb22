#include "commgauge/judge/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "commgauge/simulate/run/collective_time.hpp"

namespace commgauge {

namespace {

using simulate::Machine;

/// So many times another's time is something else.
constexpr double differs = 1.25;
/// Of a larger machine so many ranks are looked at, spread over it.
constexpr int most_ranks = 16;

/// Requests pass there: chance would make models differ that don't. Nothing: it can't be emulated.
std::optional<Machine> machine_if_possible(const Model& model, const std::string& kind) {
  try {
    Machine machine = simulate::machine_of(model, kind);
    machine.requests_queue = false;
    return machine;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Seconds exchange_time(const Machine& machine, int one, int other, Bytes size) {
  const schedule::Collective both{
      .operation = schedule::Operation::alltoall, .ranks = 2, .counts = {size.value}};
  return time_of(simulate::placed(machine, {one, other}), both, schedule::Algorithm::pairwise);
}

namespace {

/// An exchange, by the model that is taken and by another.
struct Exchange {
  int one{};
  int other{};
  Seconds taken;
  Seconds by_other;
  /// How many times as long the longer one is.
  [[nodiscard]] double factor() const {
    const double ratio = by_other.value / taken.value;
    return std::max(ratio, 1 / ratio);
  }
};

/// Of any two ranks that are looked at, where the machines differ most.
Exchange most_different(const Machine& machine, const Machine& other, Bytes size) {
  const int step = (machine.ranks + most_ranks - 1) / most_ranks;
  Exchange most{0, 0, Seconds{1}, Seconds{1}};
  for (int i = 0; i < machine.ranks; i += step) {
    for (int j = i + step; j < machine.ranks; j += step) {
      const Exchange one{i, j, exchange_time(machine, i, j, size),
                         exchange_time(other, i, j, size)};
      if (one.factor() > most.factor()) most = one;
    }
  }
  return most;
}

}  // namespace

std::optional<Diagnostic> differing_exchanges(const Model& model, const std::string& kind) {
  const auto is_taken = [&](const Ranking& place) { return place.model == kind; };
  if (std::ranges::none_of(model.ranking, is_taken)) return {};
  const auto taken = machine_if_possible(model, kind);
  if (!taken) return {};
  const Machine& machine = *taken;
  const Bytes size = fitted_sizes(model, kind).last;
  Exchange most{0, 0, Seconds{1}, Seconds{differs}};
  std::string by;
  for (const Ranking& place : model.ranking) {
    const FitFacts facts = facts_of(place.model);
    if (is_taken(place) || !facts.is_machine() || !facts.tells.any_size) continue;
    const auto alternative = machine_if_possible(model, place.model);
    if (!alternative) continue;
    const Exchange one = most_different(machine, *alternative, size);
    if (one.factor() <= most.factor()) continue;
    most = one;
    by = place.model;
  }
  if (by.empty()) return {};
  const double share = most.by_other.value / most.taken.value - 1;
  return Diagnostic{
      .kind = "differing_exchanges",
      .problem = "exchanges take up to " + std::to_string(std::lround(100 * std::abs(share))) +
                 (share < 0 ? " % less" : " % more") + " by " + by + " than by " + kind +
                 ", which is taken",
      .reason = "where ranks " + std::to_string(most.one) + " and " + std::to_string(most.other) +
                " send each other " + to_text(size) + " at once that takes " + to_text(most.taken) +
                " by " + kind + ", " + to_text(most.by_other) + " by " + by +
                ", and nothing measured tells which",
      .advice = "most collective operations exchange: look at --kind " + by + ", too"};
}

}  // namespace commgauge
