#include "arguments/accesses.hpp"

#include <gtest/gtest.h>

namespace commgauge::preload::accesses_test {

constexpr std::uint64_t ten = 10 * sizeof(int);
constexpr std::uint64_t four = 4 * sizeof(int);

/// @param op  MPI_REPLACE puts, MPI_NO_OP gets
AccessArguments access_of(MPI_Op op, MPI_Count here, MPI_Count there) {
  AccessArguments what{{nullptr, here, MPI_INT}, {}, {0, 0, there, MPI_INT}, op};
  if (op == MPI_NO_OP) what.result = what.origin;
  return what;
}

TEST(SizesOf, WhatIsPutGoesThere) {
  const AccessSizes sizes = sizes_of(access_of(MPI_REPLACE, 10, 10));
  EXPECT_EQ(sizes.there, ten);
  EXPECT_EQ(sizes.back, 0U);
  EXPECT_EQ(sizes.reached, ten);
}

TEST(SizesOf, WhatIsGotComesBack) {
  const AccessSizes sizes = sizes_of(access_of(MPI_NO_OP, 10, 10));
  EXPECT_EQ(sizes.there, 0U);
  EXPECT_EQ(sizes.back, ten);
}

TEST(SizesOf, TheLeastSideCounts) {
  EXPECT_EQ(sizes_of(access_of(MPI_REPLACE, 4, 10)).reached, four);
  EXPECT_EQ(sizes_of(access_of(MPI_REPLACE, 10, 4)).reached, four);
}

TEST(SizesOf, ComparingSendsTwoValues) {
  AccessArguments what = access_of(MPI_REPLACE, 1, 1);
  const int compared = 0;
  what.compared = &compared;
  what.result = what.origin;
  const AccessSizes sizes = sizes_of(what);
  EXPECT_EQ(sizes.there, 2 * sizeof(int));
  EXPECT_EQ(sizes.back, sizeof(int));
}

TEST(SizesOf, NobodyIsReachedBeyondTheLastRank) {
  AccessArguments what = access_of(MPI_REPLACE, 10, 10);
  what.target.rank = MPI_PROC_NULL;
  EXPECT_EQ(sizes_of(what).reached, 0U);
}

}  // namespace commgauge::preload::accesses_test
