#include "campaign/steps/overhead_growth.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/plan/logp_plan.hpp"

namespace commgauge::bench {

namespace {

/// Ranks 0 and 1 to each other and to all ranks below `processes`.
void connect(Harness& harness, int processes, const Group& experiments) {
  const StopRule rule = warm_up_rule(harness.options);
  for (int other = 2; other < processes; ++other) {
    for (const int rank : {0, 1}) {
      (void)harness.run_round({group_of(round_trip(rank, other, Bytes{1}, Bytes{1}))}, rule);
    }
  }
  (void)harness.run_round({experiments}, rule);
}

}  // namespace

std::vector<Observation> measure_overhead_growth(Harness& harness) {
  const Options& options = harness.options;
  std::vector<Observation> rows;
  const std::vector<int> steps = growth_steps(harness.comm.size());
  if (steps.size() < 2) return rows;
  for (const int processes : steps) {
    harness.progress.report("overhead among " + std::to_string(processes) + " ranks");
    const Group group{{0, 1}, growth_experiments(processes, options.receive_progress)};
    connect(harness, processes, group);
    harness.watch.learn(harness.comm);
    for (int pass = 0; pass < options.passes; ++pass) {
      std::ranges::move(harness.run_round({group}, pass_rule(options), pass),
                        std::back_inserter(rows));
    }
  }
  return rows;
}

}  // namespace commgauge::bench
