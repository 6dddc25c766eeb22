#pragma once

#include <algorithm>

#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

/// Where bytes pass that others may share with them.
enum class CarrierKind : std::uint8_t { link, out_port, in_port, host_link };

/// Calls use(kind, number of a host's link, seconds) for what a message's bytes pass, with how long
/// they need there alone: more than 0 s.
template <class Use>
void for_each_carrier(const Machine& machine, int from, int to, double size, bool rendezvous,
                      Use&& use) {
  if (from == to || !(size > 0)) return;
  const PairCosts& costs = machine.pair(from, to);
  const auto pass = [&](CarrierKind kind, int number, double needs) {
    if (needs > 0) use(kind, number, needs);
  };
  pass(CarrierKind::link, 0, of_bytes(costs.link, size));
  if (costs.passes_at_once) {
    pass(CarrierKind::out_port, 0,
         of_bytes(rendezvous ? costs.rendezvous_send_port : costs.send_overhead, size));
    pass(CarrierKind::in_port, 0,
         of_bytes(rendezvous ? costs.rendezvous_receive_port : costs.port, size));
  }
  if (!machine.host_links.is_shared()) return;
  for (const SharedHostLinks::Stay& stay : machine.host_links.route(from, to)) {
    if (stay.link >= 0) pass(CarrierKind::host_link, stay.link, size * stay.keeps);
  }
}

/// What a message's bytes take where no others share anything with them [s]; 0: nothing is shared.
[[nodiscard]] inline double bytes_alone(const Machine& machine, int from, int to, double size,
                                        bool rendezvous) {
  double longest = 0;
  for_each_carrier(machine, from, to, size, rendezvous,
                   [&](CarrierKind, int, double needs) { longest = std::max(longest, needs); });
  return longest;
}

}  // namespace commgauge::simulate
