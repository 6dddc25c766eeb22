#include "commgauge/replay/replay.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "made_machine.hpp"
#include "recorded_rank.hpp"

namespace commgauge::replay {
namespace {

trace::Trace trace_of(int ranks) {
  trace::Trace trace;
  trace.ranks.resize(static_cast<std::size_t>(ranks));
  trace.communicators.resize(1);
  for (int r = 0; r < ranks; ++r) trace.communicators[0].members.push_back(r);
  return trace;
}

struct Recorded {
  trace::Trace trace;
  std::vector<double> ends;  ///< [s]
};

Recorded record_random(const simulate::Machine& machine, std::uint64_t seed) {
  Recorded recorded{trace_of(machine.ranks), {}};
  simulate::Simulation simulation(machine);
  std::vector<int> notes(static_cast<std::size_t>(machine.ranks));
  simulation.run([&](simulate::CoroutineProcess& process) -> simulate::Task {
    random_program::SimulatedRank simulated(process, notes);
    random_program::RecordedRank rank(
        simulated, recorded.trace.ranks[static_cast<std::size_t>(process.rank())]);
    random_program::Program program(rank, seed);
    co_await program.run();
  });
  for (int r = 0; r < machine.ranks; ++r) recorded.ends.push_back(simulation.process(r).clock());
  return recorded;
}

class RandomPrograms : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  static simulate::Machine machine() {
    const auto& [kind, ranks] = GetParam();
    if (kind == "hockney") return simulate::machine_of(simulate::hockney_model(ranks), kind);
    return simulate::machine_of(simulate::lmo_model(ranks, 300), kind);
  }
};

TEST_P(RandomPrograms, TakeTheSameTimesAgain) {
  const simulate::Machine made = machine();
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const Recorded recorded = record_random(made, seed);
    for (const bool rematches : {false, true}) {
      Options options;
      options.rematches = rematches;
      const Result again = replay(recorded.trace, made, options);
      for (std::size_t r = 0; r < recorded.ends.size(); ++r) {
        EXPECT_EQ(again.ranks[r].end, recorded.ends[r])
            << "seed " << seed << ", rank " << r << ", rematches " << rematches;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomPrograms,
                         testing::Combine(testing::Values("lmo", "hockney"),
                                          testing::Values(3, 6)));

}  // namespace
}  // namespace commgauge::replay
