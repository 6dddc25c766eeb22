#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/replay/replay.hpp"
#include "commgauge/simulate/causes.hpp"
#include "commgauge/simulate/machine.hpp"
#include "commgauge/trace/trace.hpp"

/// Why a replayed program takes so long, and what would help (Kanbe et al. 2003, PerWiz).
/// All times are virtual [s].
namespace commgauge::replay {

inline constexpr int every_rank = -1;
/// The region around all others, which each rank enters once.
inline constexpr const char* whole_program = "(program)";

/// Somewhere in the program: what isn't said is meant wherever it is.
struct Whereabouts {
  int rank{every_rank};
  std::string region{};  ///< innermost
  std::string call{};    ///< "MPI_Recv"; empty also outside of calls
  std::string site{};    ///< "solve (solve.c:120)"; empty where the trace doesn't know it
  bool operator==(const Whereabouts&) const = default;
};

/// A message, as the critical path knows it.
struct PathMessage {
  int from{};
  int to{};
  std::uint64_t bytes{};
  bool operator==(const PathMessage&) const = default;
};

/// What the run's time consists of.
struct CriticalPath {
  /// All that passes at one place for one reason.
  struct Part {
    Whereabouts where;
    simulate::Why why{};
    double seconds{};  ///< of all parts together: the run's time
  };
  /// A stretch of it, without what takes no time.
  struct Step {
    int rank{};
    double from{};
    double to{};
    simulate::Why why{};
    std::string call;
    std::optional<PathMessage> message;
  };
  std::vector<Part> parts;  ///< most seconds first
  std::vector<Step> steps;  ///< in the order of time, joined where one continues another
  std::size_t left_out{};   ///< steps beyond Explaining::most_steps
};

/// What the run would take if one thing were mended.
struct Answer {
  enum class Kind : std::uint8_t {
    wait,          ///< one message's, or one rank's: its receiver or sender goes on without it
    call_site,     ///< all of one call of MPI in one region; of one site, where sites are known
    region,        ///< all within one region
    rank,          ///< all of one rank
    balance,       ///< a region's computing is divided evenly
    domino_path,   ///< all waits of one
    all_waits,     ///< nobody waits for a message
    all_balanced,  ///< all computing is divided evenly
    both           ///< the last two
  };
  Kind kind{};
  std::string title;   ///< "Rank 3 waits at MPI_Recv for a message of rank 0 at 0.80 s"
  std::string advice;  ///< what to do about it
  Whereabouts where;
  double time{};                      ///< of the run then
  double gain{};                      ///< how much less that is, > 0
  std::optional<double> confirmed{};  ///< `time` by a replay in which the receiver doesn't wait
};

/// From the end of a rank back: the wait without which the run is shortest, on to the partner when
/// it sent the message, and so on as long as that helps (the paper's figure 3).
struct DominoPath {
  struct Step {
    Whereabouts where;  ///< who waits
    double at{};        ///< when the wait ends
    int partner{};      ///< whom it waits for
  };
  int rank{};     ///< at whose end it begins
  double time{};  ///< of the run without all of its waits
  std::vector<Step> steps;
};

/// How evenly a region's computing is divided. An instance of it is the k-th time that each rank
/// enters it; those ranks take part that compute in it.
struct Balance {
  std::string region;
  std::size_t instances{};
  double sigma{};          ///< standard deviation of the ranks' computing, mean of the instances
  double mean_over_max{};  ///< of all instances: their means together over their maxima together
  double computing{};      ///< of all ranks
  int slowest{};           ///< the rank that computes most in it
  double time{};           ///< of the run if each instance's computing were divided evenly
};

/// How much is to be found out.
struct Explaining {
  Options replay{};                   ///< how the program was replayed
  std::size_t most_steps{100'000};    ///< of the critical path that are listed
  std::size_t most_waits{100};        ///< single waits that are listed
  std::size_t most_groups{64};        ///< calls, regions and ranks whose waits are taken away
  std::size_t most_domino_waits{32};  ///< of one domino path
  std::size_t most_confirmed{20};     ///< single waits that are taken away in a replay
  /// Is told what is going on, and how much of it is done. What it throws
  /// ends the explanation.
  std::function<void(const std::string& phase, std::size_t done, std::size_t all)> progress{};
};

struct Explanation {
  double time{};  ///< of the run
  int ranks{};
  CriticalPath critical_path;
  std::vector<Answer> answers;           ///< those that gain something, most gain first
  std::vector<DominoPath> domino_paths;  ///< that help, shortest run first
  std::vector<Balance> balance;          ///< least even first, weighed by computing
  std::vector<Diagnostic> notes;         ///< what was left out
};

/// Why the program takes so long there: some walks over the causes of its replay, each O(their
/// number), and a replay for each wait that is confirmed.
///
/// @param causes  of the trace's replay on that machine with Explaining::replay
/// @throws what replay() throws.
[[nodiscard]] Explanation explain(const trace::Trace& trace, const simulate::Machine& machine,
                                  const simulate::Causes& causes, const Explaining& options = {});

/// Names of reasons and kinds, as files have them: "gap_sending", "call_site".
[[nodiscard]] std::string to_text(simulate::Why why);
[[nodiscard]] std::string to_text(Answer::Kind kind);

}  // namespace commgauge::replay
