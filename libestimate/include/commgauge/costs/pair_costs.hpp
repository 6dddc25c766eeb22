#pragma once

#include <algorithm>

#include "commgauge/costs/curve.hpp"

namespace commgauge {

/// What the messages of one ordered pair cost [s]. Sender and receiver enter their calls at t_s and
/// t_r.
///   eager       the sender goes on at t_s + send_overhead; the message arrives at t_s + arrival;
///               the receiver goes on at max(t_s + one_way, t_r + receive_overhead)
///   rendezvous  the request and the receiver's reply travel first: the data start at
///               start = max(t_s + request, t_r) + reply; the sender goes on at start +
///               rendezvous_sender, the receiver at start + rendezvous_receiver
/// Messages that are under way together wait for one another: those of a pair for its link, those
/// of a rank for its port.
struct PairCosts {
  Curve send_overhead;     ///< of an eager message
  Curve arrival;           ///< from here on wildcard receives, probes and tests find an eager one
  Curve one_way;           ///< of an eager message, received at once
  Curve receive_overhead;  ///< of an eager message
  /// Least time between the starts of two eager messages of a sender, and between those of two
  /// receive overheads.
  Curve gap;
  /// Least time between the arrivals of two messages of the pair, or the starts of two rendezvous.
  Curve link;
  /// How long an eager message keeps the receiver's port, whatever the receiver does meanwhile.
  Curve port;
  Curve rendezvous_sender;
  Curve rendezvous_receiver;
  /// How long a rendezvous message keeps the sender's port, and the receiver's.
  Curve rendezvous_send_port;
  Curve rendezvous_receive_port;
  bool keeps_receiver{};  ///< a rendezvous's data start when the receiver's port is free, too
  /// Whether its bytes pass both ports and the link at once, each as fast as the slowest lets them;
  /// else they pass the link alone, between what the ranks do.
  bool passes_at_once{};
  bool ends_together{};     ///< of a rendezvous: what delays the receiver delays the sender
  double request{};         ///< of a rendezvous: from the send to the receiver's knowing of it
  double reply{};           ///< and from the receiver's answer to the start of the data
  bool has_handshake{};     ///< request and reply are messages, with overheads of sending
  double reply_overhead{};  ///< the part of `reply` that is one
  bool assumed{};           ///< not measured: costs the mean of those that were
  /// An empty message, and an answer to a request, is late by so much more in the mean: by chance.
  double jitter{};
  double jitter_per_byte{};  ///< and data by so much more for each byte
  [[nodiscard]] bool is_late_by_chance() const { return jitter > 0 || jitter_per_byte > 0; }
  /// When the receiver's probes find the request of a rendezvous. Without a handshake it arrives no
  /// later than the data could: an empty eager message may take longer.
  [[nodiscard]] double request_arrival(double size) const {
    const double eager = arrival.at(0);
    return has_handshake ? eager : std::min(eager, rendezvous_receiver.at(size));
  }
  friend bool operator==(const PairCosts&, const PairCosts&) = default;
};

/// Calls visit(curve) for each of the costs' curves. `Costs` may be const.
template <class Costs, class Visit>
void visit_curves(Costs& costs, Visit&& visit) {
  for (auto* curve :
       {&costs.send_overhead, &costs.arrival, &costs.one_way, &costs.receive_overhead, &costs.gap,
        &costs.link, &costs.port, &costs.rendezvous_sender, &costs.rendezvous_receiver,
        &costs.rendezvous_send_port, &costs.rendezvous_receive_port}) {
    visit(*curve);
  }
}

}  // namespace commgauge
