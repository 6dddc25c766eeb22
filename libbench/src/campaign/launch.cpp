#include "campaign/launch.hpp"

#include "campaign/stop_rules.hpp"
#include "commgauge/bench/base/request.hpp"
#include "commgauge/measurements/quietness.hpp"

namespace commgauge::bench {

namespace {

std::string join(const std::vector<Bytes>& sizes) {
  std::string text;
  for (const Bytes size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size.value);
  return text;
}

/// Inside timed communication [s], whichever rank has the clock.
double time_of_all(const Harness& harness, bool serial) {
  double timed = (harness.runner.timed() + harness.collectives.timed()).value;
  if (!serial) timed += harness.runner.joined().value;
  double most = timed;
  double sum = timed;
  const MPI_Comm comm = harness.comm.get();
  check(MPI_Allreduce(&timed, &most, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  check(MPI_Allreduce(&timed, &sum, 1, MPI_DOUBLE, MPI_SUM, comm), "MPI_Allreduce");
  // Alone on the network, the ranks' times add up; side by side, the longest counts.
  return serial ? sum : most;
}

Disturbance describe_disturbance(const Harness& harness, const Findings& findings,
                                 const std::vector<Observation>& rows) {
  Disturbance result;
  result.not_watched = harness.watch.why_not();
  double stolen = harness.stolen.share();
  check(MPI_Allreduce(MPI_IN_PLACE, &stolen, 1, MPI_DOUBLE, MPI_MAX, harness.comm.get()),
        "MPI_Allreduce");
  result.stolen_share = stolen;
  result.remeasured_rows = findings.remeasured;
  result.blocks = findings.sweeps.blocks;
  result.lost_blocks = findings.sweeps.lost_blocks;
  count_blocks(rows, result);
  return result;
}

std::string incomplete_reason(Verdict verdict, const std::string& out_of_time) {
  switch (verdict) {
    case Verdict::go_on:
      return {};
    case Verdict::out_of_time:
      return out_of_time;
    case Verdict::cancelled:
      break;
  }
  return "cancelled";
}

}  // namespace

Launch describe_launch(const Harness& harness, const Findings& findings,
                       const std::vector<Observation>& rows) {
  const Options& options = harness.options;
  const double timed_s = time_of_all(harness, findings.schedule.serial);
  Launch launch = describe_process();
  launch.ranks = harness.places.ranks;
  launch.seed = options.seed;
  launch.confidence = options.confidence;
  launch.precision = options.precision;
  launch.clock_resolution_s = harness.clock.resolution().value;
  launch.clock_cost_s = harness.clock.cost().value;
  launch.wait = to_text(harness.wait);
  launch.buffers = options.buffers == Buffers::rotating ? "rotating" : "same";
  launch.schedule = to_text(findings.schedule);
  launch.contention = findings.schedule.contention;
  if (findings.eager_limit.limit) launch.eager_limit_bytes = findings.eager_limit.limit->value;
  launch.eager_probed_bytes = findings.eager_limit.probed.value;
  launch.passes = findings.passes.passes;
  launch.rounds = findings.passes.rounds;
  launch.elapsed_s = harness.timekeeper.elapsed().value;
  launch.timed_s = timed_s;
  launch.disturbance = describe_disturbance(harness, findings, rows);
  const Verdict verdict = harness.timekeeper.verdict();
  launch.complete = verdict == Verdict::go_on;
  launch.incomplete_reason = incomplete_reason(verdict, findings.passes.out_of_time);
  launch.options = findings.sweeps.options;
  launch.sweep_run = findings.sweeps.run;
  return launch;
}

std::map<std::string, std::string> describe_options(const Options& options,
                                                    const CampaignSizes& sizes) {
  return {{"models", request_of(options).at("models")},
          {"sizes", join(sizes.sweep)},
          {"one_to_two_size", std::to_string(sizes.one_to_two.value)},
          {"bulk_sizes", join(sizes.bulk)},
          {"check_sizes", join(sizes.checks)},
          {"min_reps", std::to_string(options.min_reps)},
          {"max_reps", std::to_string(options.max_reps)},
          {"passes", std::to_string(options.passes)},
          {"receive_progress", options.receive_progress ? "yes" : "no"},
          {"precision_of_a_pass", std::to_string(pass_rule(options).precision)}};
}

std::string to_text(const ScheduleChoice& schedule) {
  return schedule.serial ? "serial" : "parallel";
}

std::string to_text(WaitMode wait) { return wait == WaitMode::yield ? "yield" : "blocking"; }

}  // namespace commgauge::bench
