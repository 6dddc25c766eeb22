#pragma once

#include <cstdint>
#include <string>

#include "commgauge/base/statistics.hpp"
#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// A master hands out tasks one by one, as its workers ask for them.
struct MasterWorkerQuery {
  std::string model;  ///< logp | loggp | loggps | plogp
  int master{};       ///< rank; its measured pairs, on average, stand for all workers
  std::uint64_t tasks{};
  Seconds task_time;  ///< of computing one task
  int processes{};    ///< P: the master and P − 1 workers; may differ from the model's ranks
  Bytes request{8};   ///< a worker's message to the master
  Bytes task{8};      ///< the master's message to a worker
};

struct MasterWorkerPrediction {
  Prediction time;      ///< the larger of the two bounds
  Prediction master;    ///< while the master alone is the limit: N·(o_r + o_s)
  Prediction workers;   ///< while the busiest worker is: ⌈N/(P − 1)⌉·(task + round trip)
  Estimate saturation;  ///< P where the two are equal for many tasks; NaN: nowhere, or unknown
  bool has_growth{};    ///< overheads grow with P; else they are taken as the same at any P
};

/// Time of a master and workers after Mizutani, Ino, Hagihara (2004). Where the model has an
/// overhead_growth, o′ is o′_a + o′_b·P. The task's own time is taken as exact.
///
/// @throws InputError  not one of those models, or not in the file; the master no rank, no task, a
///                     negative time, P < 2, a message above the eager limit, none of the master's
///                     pairs measured.
/// O(n) times the number of replicates.
[[nodiscard]] MasterWorkerPrediction predict_master_worker(const Model& model,
                                                           const MasterWorkerQuery& query);

/// The best-ranked model of the file that knows overheads; else the most detailed one.
/// @throws InputError  there is none.
[[nodiscard]] std::string preferred_for_master_worker(const Model& model);

}  // namespace commgauge
