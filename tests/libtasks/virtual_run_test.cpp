#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../libsimulate/made_machine.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/tasks/master_worker.hpp"

namespace commgauge::tasks::virtual_run_test {

using simulate::Machine;
using simulate::machine_of;

/// Of n bytes, on the machine of lmo_model(): what it keeps its sender, and its receiver, and all.
double overhead(double size) { return 10e-6 + size * 1e-9; }
double way(double size) { return 2 * overhead(size) + 20e-6 + size * 2e-9; }

/// 8 bytes ask, 8 answer, and a result has 4.
TEST(VirtualRun, OneWorkerByHand) {
  const Machine machine = machine_of(simulate::lmo_model(2, 100000), "lmo");
  const Work work{{1e-3, 2e-3}, {}};
  for (const auto& whole :
       {run_on_virtual_machine(machine, work, {}), run_quickly(machine, work, {})}) {
    EXPECT_NEAR(whole.time, 3e-3 + 4 * way(8) + 2 * way(12), 1e-12);
    EXPECT_NEAR(whole.workers * whole.time, 3e-3, 1e-15);
    EXPECT_NEAR(whole.masters * whole.time, 4 * overhead(8) + 2 * overhead(12), 1e-12);
    EXPECT_EQ(whole.splits, 0);
  }
}

TEST(VirtualRun, AMasterServesEachRequestAndAWorkerHasItsSpeed) {
  Machine machine = machine_of(simulate::lmo_model(2, 100000), "lmo");
  machine.time_ratios[1] = {1.5, 1.5, 1.5};
  const Work work{{1e-3, 2e-3}, {100, 300}};
  const auto whole = run_on_virtual_machine(machine, work, {.serve = Seconds{50e-6}});
  const double ways = way(8) + way(108) + way(308) + 3 * way(8);
  EXPECT_NEAR(whole.time, 4.5e-3 + 3 * 50e-6 + ways, 1e-12);
  EXPECT_NEAR(whole.workers * whole.time, 4.5e-3, 1e-15);
}

/// Both ask at once; the requests pass the master's port one after the other.
TEST(VirtualRun, RequestsAreServedInTheOrderOfArrival) {
  const Machine machine = machine_of(simulate::lmo_model(3, 100000), "lmo");
  const Work work{{1e-3, 5e-3}, {}};
  const auto whole = run_on_virtual_machine(machine, work, {});
  // Rank 1 has the first, short task, so rank 2 is the last: it waited for the master to serve 1.
  EXPECT_NEAR(whole.time, way(8) + 2 * overhead(8) + way(8) + 5e-3 + way(12) + way(8), 1e-12);
  EXPECT_NEAR(whole.workers * whole.time, 6e-3 / 2, 1e-15);
}

TEST(VirtualRun, TasksAreSharedByMasters) {
  const Machine machine = machine_of(simulate::lmo_model(8, 100000), "lmo");
  const Work work{std::vector<double>(600, 1e-3), {}};
  Protocol two;
  two.masters = 2;
  // 3 workers do 300 tasks instead of 7 workers 600
  EXPECT_NEAR(run_on_virtual_machine(machine, work, two).time, 0.1, 0.01);
  EXPECT_NEAR(run_on_virtual_machine(machine, work, {}).time, 600.0 / 7 * 1e-3, 0.01);
}

TEST(VirtualRun, ABusyMasterSplits) {
  const Machine machine = machine_of(simulate::lmo_model(16, 100000), "lmo");
  const Work work{std::vector<double>(2000, 1e-3), {}};
  Protocol protocol;
  protocol.serve = Seconds{300e-6};
  const auto alone = run_on_virtual_machine(machine, work, protocol);
  protocol.split_after = Seconds{1e-3};
  const auto split = run_on_virtual_machine(machine, work, protocol);
  EXPECT_EQ(alone.splits, 0);
  EXPECT_GT(split.splits, 0);
  EXPECT_LT(split.time, 0.8 * alone.time);
}

TEST(VirtualRun, AMasterOfFewWorkersOrTasksDoesNotSplit) {
  Protocol protocol;
  protocol.serve = Seconds{300e-6};
  protocol.split_after = Seconds{1e-9};
  const auto splits = [&](int ranks, std::size_t tasks) {
    const Machine machine = machine_of(simulate::lmo_model(ranks, 100000), "lmo");
    return run_on_virtual_machine(machine, {std::vector<double>(tasks, 1e-6), {}}, protocol).splits;
  };
  EXPECT_EQ(splits(4, 1000), 0) << "3 workers are too few";
  EXPECT_EQ(splits(5, 32), 0) << "16 are left when 16 have told how long they waited";
  EXPECT_GT(splits(5, 1000), 0);
}

TEST(VirtualRun, ASplitJobDoesEachTaskOnce) {
  const Machine machine = machine_of(simulate::lmo_model(16, 100000), "lmo");
  Work work;
  double sum = 0;
  for (int i = 0; i < 2000; ++i) sum += work.times_s.emplace_back(1e-6 * (i % 97));
  const auto whole = run_on_virtual_machine(
      machine, work, {.serve = Seconds{300e-6}, .split_after = Seconds{1e-3}});
  EXPECT_GT(whole.splits, 1);
  EXPECT_NEAR(whole.workers * whole.time * 15, sum, 1e-12);
}

TEST(VirtualRun, RefusesWhatCannotRun) {
  const Machine machine = machine_of(simulate::lmo_model(4, 100000), "lmo");
  const Work work{std::vector<double>(10, 1e-3), {}};
  for (const auto& run_it : {run, run_on_virtual_machine, run_quickly}) {
    EXPECT_THROW((void)run_it(machine, work, {.masters = 3}), InputError);
    EXPECT_THROW((void)run_it(machine, work, {.masters = 0}), InputError);
    EXPECT_THROW((void)run_it(machine, work, {.chunk = 0}), InputError);
    EXPECT_THROW((void)run_it(machine, {}, {}), InputError);
  }
}

}  // namespace commgauge::tasks::virtual_run_test
