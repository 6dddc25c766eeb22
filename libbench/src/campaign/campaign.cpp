#include "campaign/campaign.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/activity.hpp"
#include "base/requirements.hpp"
#include "campaign/checkpoint.hpp"
#include "campaign/rounds.hpp"
#include "campaign/sizes/size_advice.hpp"
#include "campaign/steps/logp_family.hpp"
#include "campaign/steps/overhead_growth.hpp"
#include "campaign/steps/remeasuring.hpp"
#include "campaign/steps/warm_up.hpp"
#include "commgauge/base/places.hpp"
#include "commgauge/plan/host_plan.hpp"
#include "messages/quiet.hpp"
#include "ranks/rank0.hpp"
#include "ranks/row_gathering.hpp"
#include "speed/processor_speed.hpp"

namespace commgauge::bench {

namespace {

constexpr int full_design_up_to = 8;  ///< ranks: 168 one-to-twos of each size

bool is_sparse(Design design, int ranks) {
  return design == Design::sparse || (design == Design::automatic && ranks > full_design_up_to);
}

}  // namespace

Campaign::Campaign(MPI_Comm comm, const Options& options,
                   std::optional<std::vector<Observation>> growth)
    : harness_{comm, options} {
  if (growth) {
    growth_ = std::move(*growth);
  } else if (wants_logp(options.models)) {
    growth_ = measure_overhead_growth(harness_);
  }
  measure_processor_speeds(harness_.comm, harness_.places);
  warm_up(harness_);
  harness_.watch.learn(harness_.comm);
}

Campaign::Campaign(MPI_Comm comm, const Options& options, Measurements checkpoint)
    : harness_{comm, options}, resumed_{std::move(checkpoint.launches.front())} {
  warm_up(harness_);
  harness_.watch.learn(harness_.comm);
  findings_.schedule.serial = resumed_->schedule == "serial";
  findings_.is_thin = is_thin(*checkpoint.plan);
  if (harness_.comm.rank() == 0) {
    checkpoint.launches = {*resumed_};
    const Disturbance of_sweeps = without_rows(checkpoint);
    findings_.sweeps.blocks = of_sweeps.blocks;
    findings_.sweeps.lost_blocks = of_sweeps.lost_blocks;
    findings_.sweeps.sweeps = std::move(checkpoint.sweeps);
    rows_ = std::move(checkpoint.observations);
    plan_ = std::move(checkpoint.plan);
  }
  set_rounds(plan_ ? rounds_of(*plan_) : std::vector<Round>{});
}

void Campaign::prepare() {
  const Options& options = harness_.options;
  require(largest_size(options).value > 0,
          "all messages are of 0 bytes (nothing tells a time per byte then): give sizes above 0, "
          "too");
  findings_.eager_limit = find_eager_limit(harness_);
  choose_sizes();
  LogPPlan logp;
  const std::optional<Bytes> limit = findings_.eager_limit.limit;
  if (wants_logp(options.models) || wants_curve(options.models)) {
    const TimedSizes round_trips = choose_round_trips(harness_, limit, findings_.sizes);
    if (wants_logp(options.models)) logp = plan_logp_family(harness_, limit, round_trips);
    if (wants_curve(options.models)) findings_.curve = round_trips.sizes;
  }
  findings_.schedule = choose_schedule(harness_, findings_.sizes.bulk.front());
  const PilotRun run = run_pilot(harness_, findings_.sizes, findings_.schedule.serial);
  set_rounds(plan_pass(run.pilot, logp));
  if (harness_.comm.rank() == 0) plan_ = plan_of(rounds_, options);
  if (plan_ && findings_.is_thin) mark_thin(*plan_);
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

std::vector<Round> Campaign::plan_pass(const Pilot& pilot, const LogPPlan& logp) {
  std::vector<Round> rounds;
  if (harness_.comm.rank() == 0) {
    PassPlan plan = plan_in_time(harness_.comm.size(), pilot, findings_.sizes,
                                 campaign_options(logp), time_left(), findings_.schedule.serial);
    findings_.is_thin = plan.is_thin;
    for (PassPlan::Part& part : plan.parts) {
      if (findings_.schedule.serial) part.rounds = serialised(part.rounds);
      std::ranges::move(part.rounds, std::back_inserter(rounds));
      if (!part.model.empty()) findings_.ends_of_models.push_back({part.model, std::ssize(rounds)});
    }
  }
  findings_.is_thin = agree_quietly(harness_.comm.get(), findings_.is_thin ? 1 : 0) != 0;
  return rounds;
}

Seconds Campaign::time_left() const {
  return harness_.timekeeper.budget() - harness_.timekeeper.elapsed();
}

CampaignOptions Campaign::campaign_options(const LogPPlan& logp) const {
  const Options& options = harness_.options;
  const int ranks = harness_.comm.size();
  std::vector<std::string> hosts;
  for (const RankPlace& place : harness_.places.ranks) hosts.push_back(place.host);
  for (std::size_t rank = 0; rank < options.places.size(); ++rank) {
    hosts[rank] = options.places[rank].host;
  }
  std::vector<int> cores(hosts.size());
  for (const std::vector<int>& there : ranks_of_hosts(hosts)) {
    for (const int rank : there) cores[at(rank)] = harness_.places.cores_of(there);
  }
  return {options.models,
          is_sparse(options.design, ranks),
          options.triplets,
          options.checks,
          options.seed,
          logp,
          logp_pairs(ranks, options.logp_pairs),
          findings_.curve,
          std::move(hosts),
          std::move(cores),
          options.memory,
          harness_.places.cores_are_shared()};
}

void Campaign::tell_what_is_missing() {
  std::string& text = findings_.passes.out_of_time;
  bool is_first = true;
  for (const auto& [model, rounds] : findings_.ends_of_models) {
    if (findings_.passes.rounds >= rounds) continue;
    text += (std::exchange(is_first, false) ? ", before it had all for " : ", ") + model;
  }
}

void Campaign::set_rounds(std::vector<Round> planned) {
  rounds_ = share_rounds(harness_.comm,
                         findings_.schedule.serial ? serialised(planned) : std::move(planned));
  harness_.buffers.reserve(bytes_at_once(rounds_, harness_.comm.rank()));
}

Measurements Campaign::run() {
  gather(std::exchange(growth_, {}));
  note_kept(resumed_.has_value());
  if (!resumed_) keep();
  const long done = resumed_ ? resumed_->rounds : 0;
  findings_.passes = Passes(harness_, rounds_, done, findings_.is_thin, keeping()).run();
  gather(std::exchange(findings_.passes.rows, {}));
  put_in_order(rows_);
  if (harness_.timekeeper.verdict() == Verdict::go_on) {
    findings_.remeasured = measure_again(harness_, rows_);
  }
  tell_what_is_missing();
  Launch launch = describe();
  if (harness_.comm.rank() != 0) return {};
  if (launch.complete) plan_.reset();
  return {
      {std::move(launch)}, std::move(rows_), std::move(findings_.sweeps.sweeps), std::move(plan_)};
}

Keeping Campaign::keeping() {
  return {[this](bool pass_is_over) {
            return plan_ && harness_.options.keep &&
                   rhythm_.is_due(harness_.timekeeper.elapsed(), pass_is_over);
          },
          [this](PassResults& so_far) {
            gather(std::exchange(so_far.rows, {}));
            findings_.passes.passes = so_far.passes + 1;
            findings_.passes.rounds = so_far.rounds;
            keep();
          }};
}

void Campaign::keep() {
  if (!harness_.options.keep) return;
  const Seconds begin = harness_.timekeeper.elapsed();
  Launch launch = describe();
  int is_kept = 0;
  on_rank_0(harness_.comm, [&] {
    if (!plan_) return;
    launch.complete = false;
    launch.incomplete_reason = "it was still going on";
    Measurements so_far{{std::move(launch)}, rows_, findings_.sweeps.sweeps, plan_};
    put_in_order(so_far.observations);
    is_kept = harness_.options.keep(so_far) ? 1 : 0;
  });
  is_kept = agree_quietly(harness_.comm.get(), is_kept);
  note_kept(is_kept != 0 && findings_.passes.rounds > 0);
  rhythm_.kept(begin, harness_.timekeeper.elapsed());
}

void Campaign::gather(const std::vector<Observation>& mine) {
  std::ranges::move(gather_rows(harness_.comm, mine), std::back_inserter(rows_));
}

Launch Campaign::describe() const {
  Launch launch = describe_launch(harness_, findings_, rows_);
  if (resumed_) return gone_on(*resumed_, launch);
  launch.options.merge(describe_options(harness_.options, findings_.sizes));
  std::vector<Bytes> round_trips;
  std::ranges::set_union(findings_.sizes.sweep, findings_.curve, std::back_inserter(round_trips));
  launch.sizes = {round_trips, findings_.sizes.one_to_two, findings_.sizes.bulk};
  return launch;
}

Measurements Campaign::run_sweeps() {
  findings_.schedule.serial = true;
  findings_.eager_limit = find_eager_limit(harness_);
  if (harness_.comm.size() >= 3) findings_.sweeps = measure_sweeps(harness_);
  findings_.passes.out_of_time = "the time budget ended it during the sweeps";
  Launch launch = describe_launch(harness_, findings_, {});
  if (harness_.comm.rank() != 0) return {};
  return {{std::move(launch)}, {}, std::move(findings_.sweeps.sweeps)};
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
