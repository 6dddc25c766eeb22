#pragma once

#include <optional>
#include <vector>

#include "campaign/harness.hpp"
#include "campaign/keep_rhythm.hpp"
#include "campaign/launch.hpp"
#include "campaign/steps/pilot.hpp"
#include "commgauge/bench/campaign/plan_summary.hpp"
#include "commgauge/plan/budget.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "commgauge/plan/logp_plan.hpp"

namespace commgauge::bench {

/// One measurement from warm-up to the gathered rows: the sequence of its steps, each of which is
/// in campaign/steps. Every member is collective.
class Campaign {
 public:
  /// Checks the options, meets the other ranks, prepares buffers, opens every connection.
  /// @param growth  on rank 0 all rows of measure_overhead_growth(), where that was done among more
  ///                ranks than these; nothing: it is done first, if a model takes it.
  Campaign(MPI_Comm comm, const Options& options,
           std::optional<std::vector<Observation>> growth = std::nullopt);
  /// Instead, and of prepare(): resumes from a checkpoint.
  /// @param options  options_to_resume(). @param checkpoint  as share_checkpoint() returns it.
  Campaign(MPI_Comm comm, const Options& options, Measurements checkpoint);

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
  [[nodiscard]] std::vector<Round> plan_pass(const Pilot& pilot, const LogPPlan& logp);
  [[nodiscard]] CampaignOptions campaign_options(const LogPPlan& logp) const;
  [[nodiscard]] Seconds time_left() const;
  /// Says for which models the time budget was too short.
  void tell_what_is_missing();
  /// @param planned  rank 0's count.
  void set_rounds(std::vector<Round> planned);
  [[nodiscard]] Keeping keeping();
  /// Hands what is complete so far to the caller.
  void keep();
  /// Puts this rank's new rows to those that rank 0 has of all.
  void gather(const std::vector<Observation>& mine);
  /// Of all that was done so far.
  [[nodiscard]] Launch describe() const;

  Harness harness_;
  std::vector<Observation> growth_;  ///< rows of which this rank is the root
  std::vector<Observation> rows_;    ///< of all ranks, on rank 0
  Findings findings_;
  std::vector<Round> rounds_;
  std::optional<LaunchPlan> plan_;  ///< on rank 0, where it can be gone on with
  std::optional<Launch> resumed_;   ///< the checkpoint's
  KeepRhythm rhythm_;
  Seconds pass_time_;  ///< guessed from the pilot
};

}  // namespace commgauge::bench
