#pragma once

#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/measurements/experiment.hpp"
#include "messages/buffers.hpp"
#include "messages/transport.hpp"

namespace commgauge::bench {

/// Times send and receive overheads: the clock is read right before and after the one call of MPI
/// in each repetition.
class OverheadTimer {
 public:
  OverheadTimer(const Transport& transport, MessageBuffers& buffers, const Clock& clock)
      : transport_{transport}, buffers_{buffers}, clock_{clock} {}

  /// Before the repetitions of a receive overhead, by root and peer: finds how long after it was
  /// asked for a message has arrived for certain.
  void settle_as_root(const Experiment& experiment);
  void settle_as_peer(const Experiment& experiment);

  /// One repetition. @return inside the call, the clock's cost subtracted [s]
  [[nodiscard]] double time_as_root(const Experiment& experiment);
  void join_as_peer(const Experiment& experiment);

 private:
  [[nodiscard]] double time_send(const Experiment& experiment);
  [[nodiscard]] double time_receive(const Experiment& experiment);
  void ask(const Experiment& experiment) const;
  void wait_for_arrival(const Experiment& experiment) const;

  Transport transport_;
  MessageBuffers& buffers_;
  const Clock& clock_;
  double arrival_{};  ///< from a request to the answer's certain arrival [s]
};

}  // namespace commgauge::bench
