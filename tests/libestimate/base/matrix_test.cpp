#include "commgauge/base/matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

namespace commgauge::matrix_test {

std::shared_ptr<const PairClasses> two_hosts(int per_host) {
  std::vector<PairClasses::Rank> ranks;
  for (int host = 0; host < 2; ++host) ranks.insert(ranks.end(), per_host, {0, host});
  return std::make_shared<const PairClasses>(std::move(ranks), 1);
}

TEST(Matrix, OfPairsHasOneValueForEach) {
  Matrix m(3, 1.0);
  m(0, 2) = 5;
  EXPECT_EQ(m(0, 2), 5);
  EXPECT_EQ(m(2, 0), 1);
  EXPECT_TRUE(std::isnan(m(1, 1)));
  ASSERT_EQ(m.values().size(), 9U);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(m.is_diagonal(k), k == 0 || k == 4 || k == 8);
}

TEST(Matrix, OfClassesHasOneValueForEach) {
  Matrix m(two_hosts(3), 1.0);
  EXPECT_EQ(m.size(), 6);
  EXPECT_EQ(m.values().size(), 2U);
  m(0, 4) = 5;
  EXPECT_EQ(std::as_const(m)(5, 1), 5);
  EXPECT_EQ(std::as_const(m)(5, 4), 1);
  EXPECT_FALSE(m.is_diagonal(0));
}

TEST(Matrix, TheDiagonalOfClassesIsNaN) {
  Matrix m(two_hosts(2), 1.0);
  EXPECT_TRUE(std::isnan(std::as_const(m)(0, 0)));
  m(0, 0) = 3;
  EXPECT_TRUE(std::isnan(m(0, 0)));
  EXPECT_EQ(m(0, 1), 1);
}

TEST(Matrix, OtherRanksShareTheValues) {
  Matrix m(two_hosts(2), 1.0);
  m(0, 2) = 5;
  const Matrix larger = m.laid_out(two_hosts(100));
  EXPECT_EQ(larger.size(), 200);
  EXPECT_EQ(larger(0, 199), 5);
  EXPECT_EQ(larger(101, 199), 1);
}

}  // namespace commgauge::matrix_test
