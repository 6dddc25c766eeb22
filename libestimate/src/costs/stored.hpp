#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "commgauge/costs/pair_costs.hpp"

namespace commgauge {

/// Curves of what formulas say, a piece for each line.
/// @param breaks  where lines may change; others than sizes above 0 are passed over
template <class LineAt>
Curve curve_of(std::vector<double> breaks, LineAt&& line_at) {
  std::erase_if(breaks, [](double size) { return !std::isfinite(size) || !(size > 0); });
  std::ranges::sort(breaks);
  Curve curve;
  curve.first = line_at(0);
  CostLine last = curve.first;
  for (const double size : breaks) {
    const CostLine line = line_at(size);
    if (line == last) continue;
    curve.later.push_back({size, line});
    last = line;
  }
  return curve;
}

/// All costs of a pair, as a machine keeps them.
template <class Costs>
PairCosts stored(const Costs& costs) {
  std::vector<double> breaks;
  costs.add_breaks(breaks);
  PairCosts result;
  const auto keep = [&](Curve& kept, auto&& line_at) { kept = curve_of(breaks, line_at); };
  keep(result.send_overhead, [&](double size) { return costs.send_overhead(size); });
  keep(result.arrival, [&](double size) { return costs.arrival(size); });
  keep(result.one_way, [&](double size) { return costs.one_way(size); });
  keep(result.receive_overhead, [&](double size) { return costs.receive_overhead(size); });
  keep(result.gap, [&](double size) { return costs.gap(size); });
  keep(result.link, [&](double size) { return costs.link(size); });
  keep(result.port, [&](double size) { return costs.port(size); });
  keep(result.rendezvous_sender, [&](double size) { return costs.rendezvous_sender(size); });
  keep(result.rendezvous_receiver, [&](double size) { return costs.rendezvous_receiver(size); });
  keep(result.rendezvous_send_port, [&](double size) { return costs.rendezvous_send_port(size); });
  keep(result.rendezvous_receive_port,
       [&](double size) { return costs.rendezvous_receive_port(size); });
  result.keeps_receiver = Costs::keeps_receiver;
  result.passes_at_once = Costs::passes_at_once;
  result.ends_together = Costs::ends_together;
  result.request = costs.request();
  result.reply = costs.reply();
  result.has_handshake = Costs::has_handshake;
  result.reply_overhead = costs.reply_overhead();
  return result;
}

}  // namespace commgauge
