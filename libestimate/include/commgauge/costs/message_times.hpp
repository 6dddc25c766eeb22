#pragma once

#include "commgauge/costs/formulas.hpp"
#include "commgauge/costs/growth.hpp"

// Times of one message between ranks that have nothing else to do, from what it costs [s]; NaN for
// a pair that was not measured. See docs/models.md.

namespace commgauge {

/// Until the receive returns; both sides enter their calls at 0.
template <class View>
double one_way(const View& view, const Message& m) {
  const auto costs = costs_of(view, m);
  if (!CostsOf<View>::knows_protocols || !m.rendezvous()) return costs.one_way(m.size).at(m.size);
  return costs.request() + costs.reply() + costs.rendezvous_receiver(m.size).at(m.size);
}

/// Until the send returns. @pre the model tells it of such a message.
template <class View>
double send_time(const View& view, const Message& m) {
  const auto costs = costs_of(view, m);
  if (!m.rendezvous()) return costs.send_overhead(m.size).at(m.size);
  return costs.request() + costs.reply() + costs.rendezvous_sender(m.size).at(m.size);
}

/// How long a message that others may overlap keeps its sender from its next one.
template <class View>
double busy(const View& view, const Message& m) {
  const auto costs = costs_of(view, m);
  const double overhead = costs.send_overhead(m.size).at(m.size);
  if constexpr (CostsOf<View>::has_gap) return larger(overhead, costs.gap(m.size).at(m.size));
  return m.rendezvous() ? costs.rendezvous_send_port(m.size).at(m.size) : overhead;
}

/// How long it keeps a receiver that has others waiting.
template <class View>
double take_in(const View& view, const Message& m) {
  const auto costs = costs_of(view, m);
  const CostLine overhead = costs.receive_overhead(m.size);
  if constexpr (CostsOf<View>::has_gap) {
    return larger(overhead.at(m.size), costs.gap(m.size).at(m.size));
  }
  return (m.rendezvous() ? costs.rendezvous_receive_port(m.size) : overhead + costs.port(m.size))
      .at(m.size);
}

}  // namespace commgauge
