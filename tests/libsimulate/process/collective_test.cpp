#include "commgauge/simulate/process/collective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "commgauge/predict/predict.hpp"
#include "simulated_job.hpp"

namespace commgauge::simulate::collective_test {

using namespace job;

struct CollectiveCase {
  commgauge::Operation predicted;
  schedule::Operation operation;
  commgauge::Algorithm by;
  schedule::Algorithm algorithm;
};

class SimulatedCollective : public testing::TestWithParam<CollectiveCase> {};

/// Up to the eager limit a prediction and a simulation of the same messages are the same.
TEST_P(SimulatedCollective, TakesWhatIsPredicted) {
  const auto& [predicted, operation, by, algorithm] = GetParam();
  for (const int ranks : {2, 3, 5, 8}) {
    const Model model = lmo_model(ranks, 100'000);
    for (const std::uint64_t size : {0, 100, 4000}) {
      schedule::Collective what{.operation = operation, .ranks = ranks, .counts = {size}};
      Query query{"lmo", predicted, 0, -1, Bytes{size}};
      query.algorithm = by;
      const double expected = predict_time(model, query).value;
      const double found = std::ranges::max(run(machine_of(model, "lmo"), what, algorithm));
      EXPECT_NEAR(found, expected, 1e-12 * expected) << ranks << " ranks, " << size << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulatedCollective,
    testing::Values(CollectiveCase{commgauge::Operation::scatter, schedule::Operation::scatter,
                                   commgauge::Algorithm::flat, schedule::Algorithm::flat},
                    CollectiveCase{commgauge::Operation::scatter, schedule::Operation::scatter,
                                   commgauge::Algorithm::binomial, schedule::Algorithm::binomial},
                    CollectiveCase{commgauge::Operation::gather, schedule::Operation::gather,
                                   commgauge::Algorithm::flat, schedule::Algorithm::flat},
                    CollectiveCase{commgauge::Operation::gather, schedule::Operation::gather,
                                   commgauge::Algorithm::binomial, schedule::Algorithm::binomial},
                    CollectiveCase{commgauge::Operation::bcast, schedule::Operation::bcast,
                                   commgauge::Algorithm::binomial, schedule::Algorithm::binomial}));

/// In each of the three rounds a message goes out while one comes in.
TEST(Collective, RecursiveDoublingTakesItsRounds) {
  const Machine machine = machine_of(hockney_model(8), "hockney");
  const schedule::Collective what{
      .operation = schedule::Operation::allreduce, .ranks = 8, .counts = {1000}, .unit = Bytes{8}};
  for (const double end : run(machine, what, schedule::Algorithm::recursive_doubling)) {
    EXPECT_NEAR(end, 3 * (20 * us + 8000e-9), eps);
  }
}

}  // namespace commgauge::simulate::collective_test
