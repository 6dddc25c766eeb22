#include "commgauge/replay/parts.hpp"

#include <numeric>

namespace commgauge::replay {

using simulate::Cause;
using simulate::Causes;
using simulate::Machine;
using simulate::Moment;
using simulate::Why;

namespace {

/// Costs are linear in the factors, so that it may be large: there is little rounding.
constexpr double step = 1.0 / 1024;

constexpr std::array factors_of_parts{
    std::pair{Part::overheads, &Factors::overheads}, std::pair{Part::latency, &Factors::latency},
    std::pair{Part::bytes, &Factors::per_byte}, std::pair{Part::gaps, &Factors::gaps}};

double& at(Parts& parts, Part part) { return parts[static_cast<std::size_t>(part)]; }

/// Where a delay is no message's cost.
Part own_part(Why why) {
  switch (why) {
    case Why::computing:
    case Why::own_part:
      return Part::computing;
    case Why::sleeping:
      return Part::sleeping;
    case Why::asking:
    case Why::waiting:
      return Part::asking;
    default:
      return Part::disturbed;
  }
}

double ratio(const Machine& machine, int rank) {
  return machine.time_ratios[static_cast<std::size_t>(rank)].value;
}

}  // namespace

std::string to_text(Part part) {
  static const std::array<const char*, part_count> names{
      "computing", "sleeping", "overheads", "latency", "bytes", "gaps", "asking", "disturbed"};
  return names[static_cast<std::size_t>(part)];
}

PartsOfDelays::PartsOfDelays(const Causes& causes, const Machine& machine,
                             const MachineWith& machine_with)
    : causes_{causes}, machine_{machine} {
  for (const auto& [part, factor] : factors_of_parts) {
    Factors slower;
    slower.*factor += step;
    slower_.push_back(machine_with(slower));
  }
}

Parts PartsOfDelays::of(const Cause& cause) const {
  Parts parts{};
  const double cost = causes_.cost_of(cause, machine_);
  if (cost != 0) {
    for (std::size_t i = 0; i < factors_of_parts.size(); ++i) {
      at(parts, factors_of_parts[i].first) = (causes_.cost_of(cause, slower_[i]) - cost) / step;
    }
  }
  at(parts, own_part(cause.why)) += cause.delay - std::accumulate(parts.begin(), parts.end(), 0.0);
  return parts;
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
