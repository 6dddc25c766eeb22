#include "machine/monotone_projection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../testbeds/synthetic.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "made_machine.hpp"
#include "note_of.hpp"

namespace commgauge::simulate::monotone_projection_test {

using testing::HasSubstr;

TEST(FlawOf, CostsOfAMachineHaveNone) {
  const Model model = lmo_model(2, 100);
  const PairCosts costs = costs_of_pairs(model, "lmo")(0, 1);
  EXPECT_EQ(flaw_of(costs), "");
  EXPECT_NE(flaw_of(costs, 1), "") << "an empty message takes less than a second";
}

TEST(FlawOf, ATimeThatNobodyTellsIsOne) {
  PairCosts costs = costs_of_pairs(lmo_model(2, 100), "lmo")(0, 1);
  costs.one_way.first.fixed = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(flaw_of(costs), HasSubstr(tells_no_time));
}

/// LMO whose L from 0 to 1 is below zero, with an interval that ends at `high`.
Model model_with_negative_latency(double high) {
  Model model = lmo_model(3, 100000);
  model.lmo->value.L(0, 1) = model.lmo->value.L(1, 0) = -15e-6;
  model.lmo->low = model.lmo->high = model.lmo->value;
  model.lmo->high.L(0, 1) = model.lmo->high.L(1, 0) = high;
  model.lmo->last = Bytes{1000};
  return model;
}

TEST(MonotoneProjection, CostsThatCannotBeAreMovedWithinTheirInterval) {
  const Machine machine = machine_of(model_with_negative_latency(-5e-6), "lmo");
  const PairCosts& costs = machine.pair(0, 1);
  EXPECT_NEAR(costs.arrival.at(0), 1e-9, 1e-12) << "C + L, to the nearest above nothing";
  EXPECT_NEAR(costs.one_way.at(0), 10e-6 + 1e-9, 1e-12);
  EXPECT_NEAR(machine.pair(0, 2).arrival.at(0), 30e-6, 1e-18) << "others stay";
  EXPECT_EQ(note_of(machine, "moved_costs").value().count, 2);
  EXPECT_EQ(
      note_of(machine, "moved_costs")->text(),
      "what messages of 2 of 6 pairs take by lmo is moved, within the intervals of all pairs "
      "together, to the nearest that can be (a message would take less than no time from rank 0 to "
      "1): an empty message "
      "of these takes up to 5.00 µs longer by that, one of 1000 B up to 5.00 µs; calibrate again "
      "where that matters");
  EXPECT_FALSE(note_of(machine_of(lmo_model(3, 100000), "lmo"), "moved_costs"));
}

TEST(MonotoneProjection, CostsThatCannotBeWithinTheirIntervalAreRefused) {
  // 95 % for all six pairs together reach 1.35 times as far.
  EXPECT_TRUE(note_of(machine_of(model_with_negative_latency(-11e-6), "lmo"), "moved_costs"));
  Model model = model_with_negative_latency(-12e-6);
  EXPECT_THROW((void)machine_of(model, "lmo"), InputError);
  model.bottleneck = exact(synthetic::bottleneck_parameters(3));
  EXPECT_EQ(machine_of(model, "").kind, "bottleneck");
  EXPECT_EQ(note_of(machine_of(model, ""), "not_emulated").value().kind, "not_emulated");
}

TEST(MonotoneProjection, ATimePerByteThatFallsIsMovedToo) {
  Model model = lmo_model(3, 100000);
  model.lmo->value.t[0] = -1e-9;
  model.lmo->low = model.lmo->high = model.lmo->value;
  model.lmo->high.t[0] = 2e-9;
  const Machine machine = machine_of(model, "lmo");
  EXPECT_NEAR(machine.pair(0, 1).send_overhead.at(1000), 10e-6, 1e-12);
  EXPECT_NEAR(machine.pair(1, 0).receive_overhead.at(1000), 10e-6, 1e-12);
  EXPECT_EQ(note_of(machine, "moved_costs").value().count, 4);
}

/// o' = 8 us in jobs takes the place of 12 us: with L = -9 us an empty message would arrive before
/// it is sent.
TEST(MonotoneProjection, CostsThatCannotBeInAJobAreMovedToo) {
  Model model = lmo_model(3, 100000);
  LogGpsParameters p = loggps_parameters(3);
  p.L = Matrix(3, -9e-6);
  model.loggps = exact(p);
  model.loggps->high.L = Matrix(3, 9e-6);
  OverheadGrowth growth;
  growth.o_prime_a_s = growth.o_prime_a_r = 8e-6;
  growth.o_prime_b_s = growth.o_prime_b_r = 0;
  model.overhead_growth = exact(growth);
  const Machine machine = machine_of(model, "loggps");
  EXPECT_EQ(note_of(machine, "moved_costs").value().count, 6);
  EXPECT_NEAR(for_job(machine, 3).pair(0, 1).arrival.at(0), 1e-9, 1e-12);
}

}  // namespace commgauge::simulate::monotone_projection_test
