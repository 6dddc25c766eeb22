#pragma once

#include <vector>

#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/measurements/experiment.hpp"
#include "messages/buffers.hpp"
#include "messages/transport.hpp"

namespace commgauge::bench {

/// Times several messages that are under way at once, in each repetition: the clock is read when
/// the first of them is over, and the others end after that, or when all are.
class MeetingTimer {
 public:
  MeetingTimer(const Transport& transport, MessageBuffers& buffers, const Clock& clock)
      : transport_{transport}, buffers_{buffers}, clock_{clock} {}

  /// One repetition. @return the clock's cost subtracted [s]
  [[nodiscard]] double time_as_root(const Experiment& experiment);
  void join_as_peer(const Experiment& experiment);

 private:
  void wait(const Experiment& experiment);

  Transport transport_;
  MessageBuffers& buffers_;
  const Clock& clock_;
  std::vector<MPI_Request> awaited_;  ///< of the root's one, or all, stop the clock
  std::vector<MPI_Request> asking_;   ///< what the root sends to its peers
};

}  // namespace commgauge::bench
