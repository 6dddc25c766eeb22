#include "commgauge/simulate/world/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::simulate::arena_test {

void expect_usable(Arena& arena) {
  std::vector<Offset> blocks;
  for (const std::size_t bytes : {1, 64, 65, 1000, 5000}) {
    const Offset block = arena.allocate(bytes);
    EXPECT_NE(block, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.at<char>(block)) % 64, 0U);
    std::memset(arena.at<char>(block), static_cast<int>(blocks.size()), bytes);
    blocks.push_back(block);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(*arena.at<char>(blocks[i]), static_cast<char>(i)) << "blocks overlap";
  }
  arena.release(blocks[3]);
  EXPECT_EQ(arena.allocate(900), blocks[3]) << "a block of that size was free";
}

TEST(Arena, OfItsOwnGrows) {
  Arena arena;
  expect_usable(arena);
  constexpr std::size_t large = 10'000'000;
  std::memset(arena.at<char>(arena.allocate(large)), 1, large);
  expect_usable(arena);
}

TEST(Arena, InOthersMemoryIsTheSameForAllWhoSeeIt) {
  alignas(64) static std::byte memory[100'000];
  Arena one(memory, sizeof memory, true);
  expect_usable(one);
  const Offset block = one.allocate(sizeof(int));
  *one.at<int>(block) = 17;
  Arena other(memory, sizeof memory, false);
  EXPECT_EQ(*other.at<int>(block), 17);
  EXPECT_NE(other.allocate(sizeof(int)), block);
}

TEST(Arena, InOthersMemoryEndsWithIt) {
  alignas(64) static std::byte memory[4096];
  Arena arena(memory, sizeof memory, true);
  EXPECT_THROW((void)arena.allocate(8192), InputError);
}

TEST(Arena, ReservesZeroedMemory) {
  Arena arena;
  const Offset place = arena.reserve(300);
  for (Offset k = 0; k < 300; ++k) EXPECT_EQ(*arena.at<char>(place + k), 0);
}

}  // namespace commgauge::simulate::arena_test
