#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../libsimulate/made_machine.hpp"
#include "../libsimulate/whole_model.hpp"
#include "commgauge/costs/extended.hpp"
#include "commgauge/simulate/machine/topology.hpp"
#include "commgauge/tasks/master_worker.hpp"

namespace commgauge::tasks::quick_run_test {

using simulate::Machine;
using simulate::machine_of;

Work random_work(std::uint64_t tasks, unsigned seed, bool has_results = false) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> time(1 / 200e-6);
  Work work;
  for (std::uint64_t i = 0; i < tasks; ++i) work.times_s.push_back(time(random));
  for (std::uint64_t i = 0; has_results && i < tasks; ++i) {
    work.result_bytes.push_back(static_cast<std::uint32_t>(random() % 700));
  }
  return work;
}

void expect_same(const Machine& machine, const Work& work, const Protocol& protocol) {
  ASSERT_TRUE(is_plain(machine, work, protocol));
  const Run whole = run_on_virtual_machine(machine, work, protocol);
  const Run quick = run_quickly(machine, work, protocol);
  EXPECT_EQ(quick.time, whole.time);
  EXPECT_NEAR(quick.masters, whole.masters, 1e-9);
  EXPECT_NEAR(quick.workers, whole.workers, 1e-9);
}

class QuickRun : public ::testing::TestWithParam<std::string> {};

TEST_P(QuickRun, EqualsTheVirtualMachineToTheBit) {
  Machine machine = machine_of(simulate::whole::whole_model(), GetParam());
  machine.time_ratios = {{1, 1, 1}, {0.7, 0.7, 0.7}, {1.9, 1.9, 1.9}, {1, 1, 1}};
  for (const std::uint64_t chunk : {1, 3}) {
    for (const double serve : {0.0, 30e-6}) {
      for (const int masters : {1, 2}) {
        Protocol protocol;
        protocol.chunk = chunk;
        protocol.serve = Seconds{serve};
        protocol.masters = masters;
        for (const bool has_results : {false, true}) {
          expect_same(machine, random_work(300, 5, has_results), protocol);
        }
      }
    }
  }
}

TEST_P(QuickRun, EqualsTheVirtualMachineOnLargerMachines) {
  const Machine larger = machine_of(extended(simulate::whole::whole_model(), 1, 24), GetParam());
  for (const int ranks : {2, 5, 13, 24}) {
    expect_same(simulate::for_job(larger, ranks), random_work(2000, 7), {});
  }
}

TEST_P(QuickRun, EqualsItWhereTheMasterIsTheLimit) {
  const Machine larger = machine_of(extended(simulate::whole::whole_model(), 1, 16), GetParam());
  Work work = random_work(1000, 9);
  for (double& time : work.times_s) time /= 100;
  expect_same(simulate::for_job(larger, 16), work, {});
}

INSTANTIATE_TEST_SUITE_P(Models, QuickRun, ::testing::ValuesIn(simulate::emulated_models()),
                         [](const auto& model) { return model.param; });

TEST(Plainness, EndsWhereTheQuickRunCannotTell) {
  const Machine machine = machine_of(simulate::whole::whole_model(), "lmo");
  const Work work = random_work(10, 1);
  EXPECT_TRUE(is_plain(machine, work, {}));
  EXPECT_FALSE(is_plain(machine, work, {.result = Bytes{4993}})) << "a rendezvous";
  EXPECT_TRUE(is_plain(machine, work, {.result = Bytes{4992}}));
  EXPECT_FALSE(is_plain(machine, work, {.task = Bytes{5001}}));
  EXPECT_FALSE(is_plain(machine, work, {.split_after = Seconds{1e-3}}));
  Machine disturbed = machine;
  disturbed.disturbances.push_back(simulate::parse_disturbance("rank=1,speed=0.5"));
  EXPECT_FALSE(is_plain(disturbed, work, {}));
  EXPECT_EQ(run(machine, work, {.result = Bytes{9000}}).time,
            run_on_virtual_machine(machine, work, {.result = Bytes{9000}}).time);
}

TEST(PlainRun, AChunkIsNoMoreThanThereAre) {
  const Machine machine = machine_of(simulate::lmo_model(4, 100000), "lmo");
  const Work work{std::vector<double>(1000, 1e-3), {}};
  Protocol protocol;
  protocol.masters = 2;
  protocol.chunk = 1000;
  const double time = run(machine, work, protocol).time;
  EXPECT_NEAR(time, 0.5, 0.01);
  for (const std::uint64_t chunk :
       {std::uint64_t{1} << 62U, std::numeric_limits<std::uint64_t>::max()}) {
    protocol.chunk = chunk;
    EXPECT_TRUE(is_plain(machine, work, protocol));
    EXPECT_EQ(run(machine, work, protocol).time, time);
    EXPECT_EQ(run_on_virtual_machine(machine, work, protocol).time, time);
  }
}

}  // namespace commgauge::tasks::quick_run_test
