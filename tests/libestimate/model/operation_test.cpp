#include "commgauge/model/operation.hpp"

#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"

namespace commgauge::operation_test {

TEST(OperationNames, GoBothWays) {
  for (const Operation operation : {Operation::p2p, Operation::exchange, Operation::ring,
                                    Operation::scatter, Operation::gather, Operation::bcast}) {
    EXPECT_EQ(parse_operation(to_text(operation)), operation);
  }
  EXPECT_THROW((void)parse_operation("alltoall"), InputError);
}

TEST(AlgorithmNames, GoBothWays) {
  for (const Algorithm algorithm : {Algorithm::flat, Algorithm::binomial}) {
    EXPECT_EQ(parse_algorithm(to_text(algorithm)), algorithm);
  }
  EXPECT_THROW((void)parse_algorithm("ring"), InputError);
}

/// As files have them.
TEST(OperationNames, AreWords) {
  EXPECT_EQ(to_text(Operation::p2p), "p2p");
  EXPECT_EQ(to_text(Operation::bcast), "bcast");
  EXPECT_EQ(to_text(Algorithm::flat), "flat");
  EXPECT_EQ(to_text(Algorithm::binomial), "binomial");
}

}  // namespace commgauge::operation_test
