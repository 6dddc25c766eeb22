#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/classes/given_places.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/measurements/sweep.hpp"
#include "commgauge/plan/logp_plan.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"

namespace commgauge::bench {

enum class Schedule { automatic, parallel, serial };
enum class Wait { automatic, blocking, yield };
enum class Buffers { rotating, same };
enum class Design { automatic, full, sparse };
enum class Result { every_rank, root_only };

/// What the time of a collective operation is (the three ways of MPIBlib).
enum class Timing {
  global,  ///< from a common start to the last rank's end, on synchronised clocks
  root,    ///< the root's own time, after a barrier
  longest  ///< the longest of the ranks' own times, after a barrier
};

/// Whose scatter and gather.
enum class Algorithms {
  flat,     ///< commgauge's own: the root serves the ranks one after the other, as models assume
  library,  ///< MPI_Scatter and MPI_Gather
  both
};

/// Sweeps of scatter and gather over message sizes, from which thresholds are found.
struct SweepOptions {
  bool enabled{true};  ///< before a calibration; needs three ranks
  int root{0};
  Timing timing{Timing::global};
  Algorithms algorithms{Algorithms::flat};
  SweepPlan plan;
  int reps{15};  ///< of each size; fewer where one takes long
};

/// Whether a sample of the ranks may stand for all of them (commgauge/classes/find_classes.hpp).
enum class Classes {
  automatic,  ///< with more than eight ranks, where hosts or ranks are alike
  none        ///< every pair is measured
};

/// How far a measurement has come.
struct Progress {
  std::string phase;
  long done{};   ///< rounds
  long total{};  ///< rounds, as planned now
  Seconds elapsed;
  Seconds remaining;  ///< estimate; negative: not known yet
};

/// What to measure and how well. The defaults suit a first calibration of any machine.
struct Options {
  /// Empty: hockney, lom, lmo, bottleneck. The LogP family and curves take longer
  /// and are named.
  std::vector<std::string> models;
  double precision{0.025};  ///< half width of an interval relative to its value
  double confidence{0.95};
  int min_reps{7};   ///< blocks of repetitions, at least; fewer where one repetition is long
  int max_reps{60};  ///< blocks at most
  int passes{8};
  std::optional<Seconds> time_budget;
  std::optional<Bytes> size;  ///< of the one-to-two experiments; default: below the eager limit
  std::vector<Bytes> sizes;   ///< of the round trips; default: both sides of the eager limit
  Bytes largest{1 << 20};     ///< of the round trips where no sizes are given
  bool probe_eager_limit{true};
  std::optional<Bytes> eager_limit;  ///< given instead of probed
  Schedule schedule{Schedule::automatic};
  Wait wait{Wait::automatic};
  Buffers buffers{Buffers::rotating};
  Design design{Design::automatic};
  int triplets{4};  ///< of the sparse design, for each rank
  LogPPairs logp_pairs{LogPPairs::sample};
  /// Whether MPI is kept going while a message is waited for whose receive overhead is measured.
  bool receive_progress{false};
  Classes classes{Classes::automatic};  ///< on rank 0
  /// On rank 0: by rank, in place of what processor names and times tell; empty: these do.
  std::vector<GivenPlace> places;
  std::uint64_t seed{1};
  SweepOptions sweeps;
  bool fabric{true};  ///< look for links that hosts share; of four hosts or more
  bool memory{true};  ///< look for what pairs within hosts share
  bool checks{true};  ///< measure what no fit sees as well, to judge the models by
  bool raw{false};    ///< keep every block mean
  Result result{Result::every_rank};

  std::function<void(const Progress&)> progress;  ///< called on rank 0 between rounds
  /// Called on rank 0 with what is complete so far: at the end of a pass, and in long ones every
  /// half a minute, but less often where it takes long: at most a twentieth of the time. Given on
  /// every rank, or on none. @return whether that outlives this process (activity()). What it
  /// throws ends the measurement on every rank.
  std::function<bool(const Measurements&)> keep;
  std::function<bool()> cancelled;  ///< asked on every rank between rounds; one true ends it
};

}  // namespace commgauge::bench
