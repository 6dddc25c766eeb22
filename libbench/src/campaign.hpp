#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collective_timer.hpp"
#include "commgauge/bench/calibrate.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "commgauge/plan/pace.hpp"
#include "communicator.hpp"
#include "core_watch.hpp"
#include "experiment_runner.hpp"
#include "provenance.hpp"
#include "sweeper.hpp"

namespace commgauge::bench {

/// One measurement from warm-up to the gathered rows. Every member is collective.
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
  enum class Verdict { go_on, out_of_time, cancelled };

  void warm_up();
  void probe();
  [[nodiscard]] std::optional<Bytes> probe_with(int receiver);
  /// Round trips and overheads between ranks 0 and 1 while connections to ever more ranks open.
  void measure_growth();
  void connect(int processes);
  void plan_logp_family();
  [[nodiscard]] std::map<Bytes, Seconds> time_family_round_trips();
  [[nodiscard]] std::vector<Bytes> next_round_trips(const std::map<Bytes, Seconds>& timed) const;
  /// Quick, between ranks 0 and 1. @return on rank 0, in the order of the experiments [s].
  [[nodiscard]] std::vector<Seconds> pilot_times(const std::vector<Experiment>& experiments);
  void settle_flood();
  void measure_contention();
  [[nodiscard]] Pilot run_pilot();
  [[nodiscard]] Matrix pilot_round_trips(Bytes size);
  [[nodiscard]] std::vector<Observation> run_round(const Round& round, const StopRule& rule,
                                                   int pass);
  /// Sum of the times of `counted` while all of `round` runs.
  [[nodiscard]] double time_round(const Round& round, const Round& counted);
  void run_pass(int pass);
  [[nodiscard]] bool sweeps_wanted() const;
  [[nodiscard]] SweepOptions sweep_of_calibration() const;
  /// @param enough  as Sweeper::Settings::enough
  void measure_sweeps(const SweepOptions& sweep, Seconds enough);
  [[nodiscard]] SizeAdvice advice_of_sweeps() const;
  [[nodiscard]] Verdict verdict_of_rank() const;
  [[nodiscard]] Verdict agree(Verdict mine);
  /// @throws FitError  cancelled, or out of time, when there is nothing yet to return.
  void require_going_on() const;
  [[nodiscard]] bool another_pass_fits(int done) const;
  void report(const std::string& phase);
  /// What this rank's widest experiment has under way as its root.
  [[nodiscard]] std::size_t bytes_at_once() const;
  void set_rounds(std::vector<Round> planned);
  /// Those of rank 0, on every rank.
  [[nodiscard]] std::vector<Round> share(std::vector<Round> planned) const;
  /// Rows that stand out among their passes, at most twice each, while there is time.
  void measure_again(std::vector<Observation>& rows);
  /// As the passes of rounds of one experiment each. @return on rank 0 as many as time allowed.
  [[nodiscard]] std::vector<Observation> measure_once(const std::vector<Round>& rounds);
  [[nodiscard]] Matrix share_on_all(const std::vector<Observation>& mine) const;
  /// @param all  what was gathered, on rank 0.
  [[nodiscard]] Launch describe(int passes, const Measurements& all) const;
  [[nodiscard]] Disturbance disturbance_of(const Measurements& all) const;
  [[nodiscard]] std::map<std::string, std::string> described_options() const;
  [[nodiscard]] StopRule stop_rule() const;
  [[nodiscard]] StopRule quick_rule() const;
  [[nodiscard]] double elapsed() const { return Clock::now() - start_; }

  Options options_;
  Communicator comm_;
  Clock clock_;
  Places places_;
  double start_;
  WaitMode wait_;
  Transport transport_;
  std::unique_ptr<MessageBuffers> buffers_;
  CoreWatch watch_;
  StolenTime stolen_;
  std::unique_ptr<CollectiveTimer> collectives_;
  std::unique_ptr<ExperimentRunner> runner_;
  Verdict verdict_{Verdict::go_on};

  std::optional<Bytes> eager_limit_;
  Bytes eager_probed_;  ///< the largest size; 0: not probed
  Contention contention_;
  bool serial_{};
  std::vector<Sweep> sweeps_;  ///< on rank 0
  long sweep_blocks_{};        ///< repetitions, each timed by itself
  long lost_sweep_blocks_{};
  std::map<std::string, std::string> sweep_options_;
  CampaignSizes sizes_;
  LogPPlan logp_;
  std::vector<Round> rounds_;
  double pilot_pass_s_{};  ///< what one pass would take, guessed from the pilot
  Pace pace_;
  long rounds_done_{};
  std::vector<Observation> rows_;  ///< of the experiments whose root this rank was
  long remeasured_{};              ///< rows, on rank 0
};

}  // namespace commgauge::bench
