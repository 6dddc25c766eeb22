#include "base/own_memory.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace commgauge::emulate::own_memory_test {

TEST(OwnMemory, AContainerGrowsInIt) {
  std::vector<int, OwnMemory<int>> numbers;
  for (int i = 0; i < 10'000; ++i) numbers.push_back(i);
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), 9'999 * 5'000);
  const auto* const start = own_memory().at<std::byte>(0);
  EXPECT_GT(reinterpret_cast<const std::byte*>(numbers.data()), start);
}

TEST(OwnMemory, WhatIsGivenBackIsUsedAgain) {
  OwnMemory<int> memory;
  int* const block = memory.allocate(100);
  memory.deallocate(block, 100);
  EXPECT_EQ(memory.allocate(100), block);
  memory.deallocate(block, 100);
}

}  // namespace commgauge::emulate::own_memory_test
