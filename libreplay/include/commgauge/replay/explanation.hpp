#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/replay/cost_kinds.hpp"
#include "commgauge/replay/efficiency.hpp"
#include "commgauge/replay/prediction.hpp"
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
    CostKind kind{};
    double seconds{};  ///< of all parts together: the run's time
  };
  /// A stretch of it, without what takes no time.
  struct Step {
    int rank{};
    double from{};
    double to{};
    CostKind kind{};  ///< of what most of it is
    std::string call;
    std::optional<PathMessage> message;  ///< that is on its way meanwhile
  };
  std::vector<Part> parts;  ///< most seconds first
  std::vector<Step> steps;  ///< in the order of time, joined where one continues another
  std::size_t left_out{};   ///< steps beyond Explaining::most_steps
};

/// [s]; NaN: not known
struct Interval {
  double low{std::numeric_limits<double>::quiet_NaN()};
  double high{std::numeric_limits<double>::quiet_NaN()};
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
  Interval time_interval{};           ///< of the first ones
  Interval gain_interval{};           ///< of the gain by each replicate, not of the two times
  std::optional<double> confirmed{};  ///< `time` by a replay in which the receiver doesn't wait
  /// When calls and regions would begin and end, as walked_marks() tells it, of the first
  /// Explaining::most_afters answers that are no bounds and differ in their time; else it is
  /// empty.
  std::vector<std::vector<Mark>> marks{};
};

/// From the end of a rank back: the wait without which the run is shortest, on to the partner when
/// it sent the message, and so on as long as that helps (the paper's figure 3). A message that a
/// rank waits for more than once, as by a probe and by a receive, is one wait.
struct DominoPath {
  struct Step {
    Whereabouts where;          ///< who waits
    double at{};                ///< when the wait ends
    simulate::Moment moment{};  ///< the same
    int partner{};              ///< whom it waits for
    /// For what: all of the rank's waits for it are gone. simulate::no_message: others to
    /// meet, or, where it is the partner itself, another of its threads.
    std::uint32_t message{simulate::no_message};
  };
  int rank{};     ///< at whose end it begins
  double time{};  ///< of the run without all of its waits
  std::vector<Step> steps;
};

/// How evenly a region's computing is divided, with sleeping: by it a program may stand for what it
/// would compute. An instance of it is the k-th time that each rank
/// enters it, whether it computes anything there or not.
struct Balance {
  std::string region;
  std::size_t instances{};
  double sigma{};          ///< standard deviation of the ranks' computing, mean of the instances
  double mean_over_max{};  ///< of all instances: their means together over their maxima together
  double computing{};      ///< of all ranks, with sleeping
  double sleeping{};       ///< of that
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
  std::size_t most_intervals{20};     ///< answers that get one, beside the upper bounds
  /// The machine with other factors of its costs. Empty: messages' costs aren't divided by kind.
  CostDivision::MachineWith machine_with{};
  /// Computes times on the machines of a model's replicates: values_by_replicates(). Empty: answers
  /// have no intervals.
  std::function<std::vector<ByEnds>(const ValuesOn&)> by_replicates{};
  const Model* model{};       ///< whose; needed for that
  std::size_t most_afters{};  ///< answers whose Answer::marks are to be found
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
  Efficiencies efficiency;
  std::vector<Diagnostic> notes;  ///< what was left out
};

/// Why the program takes so long there: some walks over the causes of its replay, each O(their
/// number), a replay for the efficiency, and one for each wait that is confirmed.
///
/// @param result, causes  of the trace's replay on that machine with Explaining::replay, with marks
/// @throws what replay() throws.
[[nodiscard]] Explanation explain(const trace::Trace& trace, const simulate::Machine& machine,
                                  const Result& result, const simulate::Causes& causes,
                                  const Explaining& options = {});

/// By what predicted(trace, model, how) was found of: costs by kind, and intervals where the
/// prediction has one. The trace and the model must outlive what is returned.
/// @param run  the prediction
[[nodiscard]] Explaining explaining(const trace::Trace& trace, const Model& model,
                                    const Predicted& run, const PredictionOptions& how);

/// Whether it is nothing to do, but how much there is to gain at most.
[[nodiscard]] constexpr bool is_bound(Answer::Kind kind) {
  return kind == Answer::Kind::all_waits || kind == Answer::Kind::all_balanced ||
         kind == Answer::Kind::both;
}

/// As files have it: "call_site".
[[nodiscard]] std::string to_text(Answer::Kind kind);

}  // namespace commgauge::replay
