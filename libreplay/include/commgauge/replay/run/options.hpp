#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/schedule/choice.hpp"
#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::replay {

/// A receive of a program whose message the rank doesn't wait for: it goes on after its own part of
/// it, which the message's size tells, and takes the message when it comes, in no time.
struct Unawaited {
  int rank{};
  std::uint32_t event{};  ///< of the rank: that which starts the receive
  bool is_rendezvous{};   ///< whether the message's sender waits for the receiver
};

/// How a recorded program is replayed.
struct Options {
  schedule::Choice collectives;  ///< who decides how collective operations are carried out
  /// Whether what was computed between calls takes the time that it took (CPU time, if the trace
  /// has it, else real time), times the machine's ratio of the rank. Else it takes none.
  bool computes{true};
  /// Receives and probes from any source take what comes first here; else what they got when the
  /// program was recorded.
  bool rematches{};
  /// How many threads of a rank compute at a time; 0: as many as there are.
  int cores_per_rank{};
  bool keeps_timeline{};  ///< Result::timeline and marks; else the timeline is empty
  bool keeps_marks{};     ///< Result::marks, which are empty without one of the two
  bool counts_traffic{};  ///< Result::traffic; else it is empty
  /// Is told why everything happens when it does; places are the numbers of a rank's events. None:
  /// nobody wants to know.
  simulate::Causes* causes{};
  /// @pre what they got is known, and `rematches` isn't set
  std::vector<Unawaited> unawaited;
};

}  // namespace commgauge::replay
