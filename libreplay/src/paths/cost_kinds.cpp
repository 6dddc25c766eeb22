#include "commgauge/replay/paths/cost_kinds.hpp"

#include <numeric>

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Machine;
using simulate::Moment;
using simulate::Why;

namespace {

/// Costs are linear in the factors, so that it may be large: there is little rounding.
constexpr double factor_step = 1.0 / 1024;

constexpr std::array factors_of_kinds{std::pair{CostKind::overheads, &Factors::overheads},
                                      std::pair{CostKind::latency, &Factors::latency},
                                      std::pair{CostKind::bytes, &Factors::per_byte},
                                      std::pair{CostKind::gaps, &Factors::gaps}};

double& at(CostsByKind& costs, CostKind kind) { return costs[static_cast<std::size_t>(kind)]; }

/// Where a delay is no message's cost.
CostKind own_kind(Why why) {
  switch (why) {
    case Why::computing:
    case Why::own_part:
      return CostKind::computing;
    case Why::sleeping:
      return CostKind::sleeping;
    case Why::asking:
    case Why::waiting:
      return CostKind::asking;
    default:
      return CostKind::other;
  }
}

double ratio(const Machine& machine, int rank) {
  return machine.time_ratios[static_cast<std::size_t>(rank)].value;
}

}  // namespace

std::string to_text(CostKind kind) {
  static const std::array<const char*, cost_kind_count> names{
      "computing", "sleeping", "overheads", "latency", "bytes", "gaps", "asking", "other"};
  return names[static_cast<std::size_t>(kind)];
}

CostDivision::CostDivision(const Causes& causes, const Machine& machine,
                           const MachineWith& machine_with)
    : causes_{causes}, machine_{machine} {
  if (!machine_with) return;
  for (const auto& [kind, factor] : factors_of_kinds) {
    Factors slower;
    slower.*factor += factor_step;
    slower_.push_back(machine_with(slower));
  }
}

CostsByKind CostDivision::of(const Cause& cause) const {
  CostsByKind costs{};
  const double cost = causes_.cost_of(cause, machine_);
  if (cost != 0 && !slower_.empty()) {
    for (std::size_t i = 0; i < factors_of_kinds.size(); ++i) {
      at(costs, factors_of_kinds[i].first) =
          (causes_.cost_of(cause, slower_[i]) - cost) / factor_step;
    }
  }
  at(costs, own_kind(cause.why)) += cause.delay - std::accumulate(costs.begin(), costs.end(), 0.0);
  return costs;
}

LongestPaths::Delay delays_on(const Causes& causes, const Machine& own, const Machine& other) {
  return [&](Moment to, const Cause& cause) {
    if (cause.why == Why::computing && cause.message == simulate::no_message) {
      const int rank = causes.rank(to);
      return cause.delay * (ratio(other, rank) / ratio(own, rank));
    }
    return cause.delay + (causes.cost_of(cause, other) - causes.cost_of(cause, own));
  };
}

}  // namespace commgauge::replay
