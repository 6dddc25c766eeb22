#include "campaign.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "campaign/rounds.hpp"
#include "campaign/steps/logp_family.hpp"
#include "campaign/steps/overhead_growth.hpp"
#include "campaign/steps/remeasuring.hpp"
#include "campaign/steps/size_advice.hpp"
#include "campaign/steps/warm_up.hpp"
#include "processor_speed.hpp"
#include "requirements.hpp"
#include "row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr int full_design_up_to = 8;  ///< ranks: 168 one-to-twos of each size

bool is_sparse(Design design, int ranks) {
  return design == Design::sparse || (design == Design::automatic && ranks > full_design_up_to);
}

}  // namespace

Campaign::Campaign(MPI_Comm comm, const Options& options) : harness_{comm, options} {
  if (wants_logp(options.models)) growth_ = measure_overhead_growth(harness_);
  measure_processor_speeds(harness_.comm, harness_.places);
  warm_up(harness_);
  harness_.watch.learn(harness_.comm);
}

void Campaign::prepare() {
  const Options& options = harness_.options;
  require(largest_size(options).value > 0,
          "all messages are of 0 bytes (nothing tells a time per byte then): give sizes above 0, "
          "too");
  findings_.eager_limit = find_eager_limit(harness_);
  choose_sizes();
  LogPPlan logp;
  if (wants_logp(options.models)) {
    logp = plan_logp_family(harness_, findings_.eager_limit.limit, findings_.sizes);
  }
  findings_.schedule = choose_schedule(harness_, findings_.sizes.bulk.front());
  const PilotRun run = run_pilot(harness_, findings_.sizes, findings_.schedule.serial);
  set_rounds(plan_rounds(run.pilot, logp));
  pass_time_ =
      guess_pass_time(run.took, harness_.comm.size(), count_experiments(rounds_), options.min_reps);
}

void Campaign::prepare(const std::vector<Experiment>& experiments) {
  findings_.schedule.serial = true;
  std::vector<Round> planned;
  for (const Experiment& experiment : experiments) {
    require_sound(experiment, harness_.comm.size());
    planned.push_back({group_of(experiment)});
  }
  set_rounds(std::move(planned));
}

void Campaign::choose_sizes() {
  const Options& options = harness_.options;
  const std::optional<Bytes> limit = findings_.eager_limit.limit;
  const std::vector<Bytes> round_trips =
      options.sizes.empty() ? default_sweep(limit, options.largest) : options.sizes;
  // Before the sweeps: what can't be measured is refused at once.
  findings_.sizes = commgauge::choose_sizes(limit, round_trips, options.size);
  if (!wants_sweeps(options, harness_.comm.size())) return;
  findings_.sweeps = measure_calibration_sweeps(harness_);
  harness_.timekeeper.require_going_on();
  const SizeAdvice advice = advise_sizes(harness_.comm, findings_.sweeps.sweeps,
                                         findings_.sizes.one_to_two, options.confidence);
  findings_.sizes = commgauge::choose_sizes(limit, round_trips, options.size, advice);
}

std::vector<Round> Campaign::plan_rounds(const Pilot& pilot, const LogPPlan& logp) const {
  if (harness_.comm.rank() != 0) return {};
  const Options& options = harness_.options;
  const int ranks = harness_.comm.size();
  return plan_campaign(ranks, pilot, findings_.sizes,
                       {options.models, is_sparse(options.design, ranks), options.triplets,
                        options.checks, options.seed, logp, logp_pairs(ranks, options.logp_pairs)});
}

void Campaign::set_rounds(std::vector<Round> planned) {
  rounds_ = share_rounds(harness_.comm,
                         findings_.schedule.serial ? serialised(planned) : std::move(planned));
  harness_.buffers.reserve(bytes_at_once(rounds_, harness_.comm.rank()));
}

Measurements Campaign::run() {
  findings_.passes = Passes(harness_, rounds_).run();
  std::vector<Observation> mine = std::move(growth_);
  std::ranges::move(findings_.passes.rows, std::back_inserter(mine));
  std::vector<Observation> rows = gather_rows(harness_.comm, mine);
  if (harness_.timekeeper.verdict() == Verdict::go_on) {
    findings_.remeasured = measure_again(harness_, rows);
  }
  Launch launch = describe_launch(harness_, findings_, rows);
  launch.options.merge(describe_options(harness_.options, findings_.sizes));
  launch.sizes = {findings_.sizes.sweep, findings_.sizes.one_to_two, findings_.sizes.bulk};
  return hand_over(std::move(launch), std::move(rows));
}

Measurements Campaign::run_sweeps() {
  findings_.schedule.serial = true;
  findings_.eager_limit = find_eager_limit(harness_);
  if (harness_.comm.size() >= 3) findings_.sweeps = measure_sweeps(harness_);
  findings_.passes.out_of_time = "the time budget ended it during the sweeps";
  return hand_over(describe_launch(harness_, findings_, {}), {});
}

Measurements Campaign::hand_over(Launch launch, std::vector<Observation> rows) {
  if (harness_.comm.rank() != 0) return {};
  return {{std::move(launch)}, std::move(rows), std::move(findings_.sweeps.sweeps)};
}

PlanSummary Campaign::summary() const {
  PlanSummary summary;
  summary.experiments = count_experiments(rounds_);
  summary.rounds = std::ssize(rounds_);
  summary.lower_bound_rounds = lower_bound_rounds(rounds_, harness_.comm.size());
  summary.passes = harness_.options.passes;
  const Seconds all = harness_.timekeeper.elapsed() + summary.passes * pass_time_;
  summary.expected = std::min(all, harness_.timekeeper.budget());
  summary.sizes = findings_.sizes.sweep;
  summary.one_to_two_size = findings_.sizes.one_to_two;
  summary.eager_limit = findings_.eager_limit.limit;
  summary.schedule = to_text(findings_.schedule);
  summary.wait = to_text(harness_.wait);
  return summary;
}

}  // namespace commgauge::bench
