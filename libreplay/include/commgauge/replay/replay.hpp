#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/replay/timeline.hpp"
#include "commgauge/schedule/choice.hpp"
#include "commgauge/simulate/causes.hpp"
#include "commgauge/simulate/machine.hpp"
#include "commgauge/simulate/process.hpp"
#include "commgauge/trace/trace.hpp"

/// Recorded programs on the virtual machine.
namespace commgauge::replay {

/// A receive of a program whose message the rank doesn't wait for: it goes on after its own part of
/// it, which the message's size tells, and takes the message when it comes, in no time.
struct Unawaited {
  int rank{};
  std::uint32_t event{};  ///< of the rank: that which starts the receive
  bool is_rendezvous{};   ///< whether the message's sender waits for the receiver
};

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

struct RankResult {
  double end{};  ///< when the rank comes to MPI_Finalize [s]
  /// What the program itself computed, on the processors where it was recorded, undisturbed [s].
  double work{};
  simulate::Shares shares;   ///< of all threads
  double further_threads{};  ///< how long further ones were there, together [s]
  simulate::TakenInTurn in_turn;
};

/// When a call or region began or ended.
struct Mark {
  double time{};              ///< [s]
  double computing{};         ///< what the rank had computed by then, undisturbed [s]
  simulate::Moment moment{};  ///< of Options::causes, where these are kept
};

struct Result {
  double time{};  ///< until the last rank has come to its end [s]
  std::vector<RankResult> ranks;
  Timeline timeline;
  /// By rank: when each of its calls and regions began or ended, in the order of its enter, leave,
  /// region_begin and region_end events.
  std::vector<std::vector<Mark>> marks;
  /// The communication matrix, by sender and receiver; pairs without messages are left out.
  std::vector<Traffic> traffic;

  Bytes largest_message;

  [[nodiscard]] double computing() const;  ///< of all ranks together [s]
  [[nodiscard]] double work() const;       ///< likewise
  /// Which share of the time is computing, of all ranks or of one of `ranks`; 0 where no time
  /// passes. With what others take of the processor, without sleeping.
  [[nodiscard]] double utilisation() const;
  [[nodiscard]] double utilisation(const RankResult& rank) const;
  /// The run's time, and that of the rank's further threads [s].
  [[nodiscard]] double whole(const RankResult& rank) const { return time + rank.further_threads; }
};

/// Runs the recorded program. The same as the program itself takes under emulation, to the bit
/// where computing takes no time.
/// @throws InputError  a rank of the trace didn't come to its end, or does what can't be (rank,
///                     event, reason); the machine has not its number of ranks.
///         simulate::DeadlockError
[[nodiscard]] Result replay(const trace::Trace& trace, const simulate::Machine& machine,
                            const Options& options = {});

}  // namespace commgauge::replay
