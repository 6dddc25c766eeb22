#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/thresholds/thresholds.hpp"

namespace commgauge::block_size_test {

using ::testing::HasSubstr;

/// Sizes 1 ... 16 and times of a line of 1 us a byte, by 10 ns off it in turn; beyond 8 by `jump`
/// longer and `steeper` by so much a byte.
Threshold block_size(double jump, double steeper) {
  std::vector<Bytes> sizes;
  std::vector<Seconds> times;
  for (std::uint64_t size = 1; size <= 16; ++size) {
    const double off = size % 2 == 0 ? 1e-8 : -1e-8;
    const double beyond = size > 8 ? jump + steeper * static_cast<double>(size - 8) : 0;
    sizes.push_back(Bytes{size});
    times.push_back({1e-6 * static_cast<double>(size) + off + beyond});
  }
  return find_block_size(sizes, times);
}

TEST(BlockSize, IsWhereTheTimeJumps) {
  EXPECT_EQ(block_size(20e-6, 0).size, Bytes{8});
  EXPECT_EQ(block_size(20e-6, 0).high, Bytes{9});
}

TEST(BlockSize, IsNoneWithoutAJumpUp) {
  EXPECT_EQ(block_size(0, 0).reason, "one line explains all sizes");
  EXPECT_THAT(block_size(0, 1e-6).reason, HasSubstr("only the time per byte changes"));
  EXPECT_FALSE(block_size(-4e-6, 0).size) << "a step down";
}

TEST(BlockSize, BadInputIsRefused) {
  const std::vector<Bytes> sizes{{1}, {2}, {2}};
  const std::vector<Seconds> times{{1}, {1}, {1}};
  EXPECT_THROW((void)find_block_size(sizes, times), InputError);
  EXPECT_THROW((void)find_block_size(std::span(sizes).first(2), times), InputError);
  const std::vector<Seconds> none{{1}, {0}};
  EXPECT_THROW((void)find_block_size(std::span(sizes).first(2), none), InputError);
}

}  // namespace commgauge::block_size_test
