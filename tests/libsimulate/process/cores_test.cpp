#include "commgauge/simulate/process/cores.hpp"

#include <gtest/gtest.h>

namespace commgauge::simulate::cores_test {

double never_gone() { return 0; }

TEST(Cores, EachThreadComputesOnTheCoreThatIsFreeFirst) {
  Cores cores(2);
  EXPECT_EQ(cores.take(0, 10, never_gone), 0);
  EXPECT_EQ(cores.take(0, 5, never_gone), 0);
  EXPECT_EQ(cores.take(0, 1, never_gone), 5);
  EXPECT_EQ(cores.take(0, 10, never_gone), 6);
}

TEST(Cores, ComputingGoesIntoAPauseThatIsLongEnough) {
  Cores cores(1);
  EXPECT_EQ(cores.take(0, 10, never_gone), 0);
  EXPECT_EQ(cores.take(20, 10, never_gone), 20);
  EXPECT_EQ(cores.take(0, 11, never_gone), 30) << "the pause is too short";
  EXPECT_EQ(cores.take(0, 10, never_gone), 10);
}

TEST(Cores, NothingNeedsNoCore) {
  Cores cores(1);
  EXPECT_EQ(cores.take(0, 10, never_gone), 0);
  EXPECT_EQ(cores.take(3, 0, never_gone), 3);
}

/// Of a long past only what a thread could still compute in is kept.
TEST(Cores, ThePastIsForgottenWhereNobodyComputesInIt) {
  Cores cores(1);
  const auto all_are_here = [] { return 2999.0; };
  for (int k = 0; k < 3000; ++k) EXPECT_EQ(cores.take(2.0 * k, 1, all_are_here), 2.0 * k);
  EXPECT_EQ(cores.take(2000, 1, all_are_here), 2000) << "was taken, and is forgotten";
  EXPECT_EQ(cores.take(5000, 1, all_are_here), 5001);
}

}  // namespace commgauge::simulate::cores_test
