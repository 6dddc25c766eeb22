#pragma once

#include <vector>

#include "campaign/harness.hpp"
#include "campaign/launch.hpp"
#include "campaign/steps/pilot.hpp"
#include "commgauge/bench/calibrate.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "commgauge/plan/logp_plan.hpp"

namespace commgauge::bench {

/// One measurement from warm-up to the gathered rows: the sequence of its steps, each of which is
/// in campaign/steps. Every member is collective.
class Campaign {
 public:
  /// Checks the options, meets the other ranks, prepares buffers, opens every connection.
  Campaign(MPI_Comm comm, const Options& options);

  /// Probes the eager limit, sweeps, chooses sizes, runs the pilot and plans.
  void prepare();
  /// Instead of prepare(): just these experiments, each by itself.
  void prepare(const std::vector<Experiment>& experiments);

  [[nodiscard]] PlanSummary summary() const;
  /// All passes, or as many as time and the caller allow. @return rows on rank 0.
  [[nodiscard]] Measurements run();
  /// Instead of prepare() and run(): the eager limit and the sweeps. @return sweeps on rank 0.
  [[nodiscard]] Measurements run_sweeps();

 private:
  /// Before and, where sweeps are wanted, after them.
  void choose_sizes();
  /// @return on rank 0; elsewhere nothing.
  [[nodiscard]] std::vector<Round> plan_rounds(const Pilot& pilot, const LogPPlan& logp) const;
  /// @param planned  rank 0's count.
  void set_rounds(std::vector<Round> planned);
  /// @return on rank 0 all of it; elsewhere nothing.
  [[nodiscard]] Measurements hand_over(Launch launch, std::vector<Observation> rows);

  Harness harness_;
  std::vector<Observation> growth_;  ///< rows of which this rank is the root
  Findings findings_;
  std::vector<Round> rounds_;
  Seconds pass_time_;  ///< guessed from the pilot
};

}  // namespace commgauge::bench
