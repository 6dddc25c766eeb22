#include "campaign/steps/pilot.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"

namespace commgauge::bench {

namespace {

constexpr int pilot_sizes = 3;
constexpr double pilot_blocks = 3;  ///< of an experiment, at least

/// Time of each root's round trip with each peer [s], on every rank.
Matrix share_on_all(const Communicator& comm, const std::vector<Observation>& mine) {
  Matrix all(comm.size(), 0.0);
  for (int i = 0; i < comm.size(); ++i) all(i, i) = 0;
  for (const Observation& row : mine) {
    all(row.experiment.root, row.experiment.peers.front()) = row.time_s;
  }
  check(MPI_Allreduce(MPI_IN_PLACE, all.values().data(), static_cast<int>(all.values().size()),
                      MPI_DOUBLE, MPI_SUM, comm.get()),
        "MPI_Allreduce");
  return all;
}

}  // namespace

Matrix time_round_trips(Harness& harness, Bytes size, bool serial) {
  std::vector<Observation> mine;
  for (const std::vector<Pair>& pairs : pair_rounds(harness.comm.size())) {
    Round round;
    for (const Pair& pair : pairs) {
      const auto [i, j] = pair;
      round.push_back(
          group_of(pair, {round_trip(i, j, size, Bytes{0}), round_trip(j, i, size, Bytes{0})}));
    }
    for (const Round& part : serial ? serialised({round}) : std::vector<Round>{round}) {
      std::ranges::move(harness.run_round(part, quick_rule(harness.options)),
                        std::back_inserter(mine));
    }
  }
  return share_on_all(harness.comm, mine);
}

PilotRun run_pilot(Harness& harness, const CampaignSizes& sizes, bool serial) {
  const double start = Clock::now();
  harness.progress.report("pilot");
  Pilot pilot{time_round_trips(harness, Bytes{0}, serial),
              time_round_trips(harness, sizes.one_to_two, serial),
              time_round_trips(harness, sizes.bulk.back(), serial)};
  return {std::move(pilot), {Clock::now() - start}};
}

Seconds guess_pass_time(Seconds pilot_took, int ranks, long experiments, int min_reps) {
  const double piloted = static_cast<double>(pilot_sizes) * ranks * (ranks - 1);
  return {pilot_took.value * static_cast<double>(experiments) / piloted * min_reps / pilot_blocks};
}

}  // namespace commgauge::bench
