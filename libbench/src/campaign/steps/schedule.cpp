#include "campaign/steps/schedule.hpp"

#include <algorithm>
#include <vector>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge::bench {

namespace {

constexpr int samples = 9;
constexpr int pairs_alone = 4;
constexpr double confidence = 0.9;        ///< leaves out the two extreme samples
constexpr double contention_limit = 1.2;  ///< together may take this much longer than alone

/// Sum of the times of `counted` while all of `round` runs [s]. The same on every rank.
double time_round(Harness& harness, const Round& round, const Round& counted) {
  double mine = 0;
  for (const Observation& row : harness.run_round(round, quick_rule(harness.options))) {
    const auto counts = [&](const Group& group) { return takes_part(group, row.experiment.root); };
    if (std::ranges::any_of(counted, counts)) mine += row.time_s;
  }
  double sum = 0;
  check(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, harness.comm.get()), "MPI_Allreduce");
  return sum;
}

Round pairs_together(int ranks, Bytes bulk) {
  const std::vector<Pair> pairs = pair_rounds(ranks).front();
  Round together;
  for (const Pair& pair : pairs) {
    const auto [i, j] = pair;
    together.push_back(
        group_of(pair, {round_trip(i, j, Bytes{0}, Bytes{0}), round_trip(i, j, bulk, Bytes{0})}));
  }
  return together;
}

/// Time together / time alone. The same on every rank.
double sample_contention(Harness& harness, const Round& together) {
  // All pairs at once, but only some of them alone: spread over the round.
  const std::size_t step = std::max<std::size_t>(1, together.size() / pairs_alone);
  double alone = 0;
  Round sampled;
  for (std::size_t k = 0; k < together.size(); k += step) {
    sampled.push_back(together[k]);
    alone += time_round(harness, {together[k]}, {together[k]});
  }
  return time_round(harness, together, sampled) / alone;
}

}  // namespace

ScheduleChoice choose_schedule(Harness& harness, Bytes bulk) {
  const Schedule asked = harness.options.schedule;
  const Communicator& comm = harness.comm;
  if (asked != Schedule::automatic || comm.size() < 4) return {asked == Schedule::serial, {}};
  harness.progress.report("contention");
  const Round together = pairs_together(comm.size(), bulk);
  std::vector<double> ratios(samples);
  for (double& ratio : ratios) ratio = sample_contention(harness, together);
  const LocationInterval ratio = median_interval(ratios, confidence);
  // In doubt one at a time: that only takes longer. Ranks that share cores always contend.
  int serial = harness.places.cores_are_shared() || ratio.high > contention_limit;
  check(MPI_Bcast(&serial, 1, MPI_INT, 0, comm.get()), "MPI_Bcast");
  return {serial != 0, {true, ratio.value, ratio.low, ratio.high}};
}

}  // namespace commgauge::bench
