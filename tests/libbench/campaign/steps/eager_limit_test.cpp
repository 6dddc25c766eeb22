#include "campaign/steps/eager_limit.hpp"

#include <gtest/gtest.h>

#include "base/requirements.hpp"
#include "made_harness.hpp"

namespace commgauge::bench::eager_limit_test {

TEST(FindEagerLimit, TakesTheOneThatIsGiven) {
  Options options = quick_options();
  options.eager_limit = Bytes{777};
  options.probe_eager_limit = true;
  Harness harness(MPI_COMM_WORLD, options);
  const EagerLimit found = find_eager_limit(harness);
  EXPECT_EQ(found.limit, Bytes{777});
  EXPECT_EQ(found.probed, Bytes{0});
}

TEST(FindEagerLimit, KnowsNoneIfItMayNotProbe) {
  Harness harness(MPI_COMM_WORLD, quick_options());
  const EagerLimit found = find_eager_limit(harness);
  EXPECT_EQ(found.limit, std::nullopt);
  EXPECT_EQ(found.probed, Bytes{0});
}

/// Messages of 64 bytes are eager everywhere, those of 4 MiB nowhere.
TEST(FindEagerLimit, ProbesUpToTheLargestMessage) {
  for (const std::uint64_t largest : {64ULL, 4ULL << 20U}) {
    Options options = quick_options();
    options.probe_eager_limit = true;
    options.sizes = {Bytes{1}, Bytes{largest}};
    Harness harness(MPI_COMM_WORLD, options);
    const EagerLimit found = find_eager_limit(harness);
    EXPECT_EQ(found.probed, largest_size(options));
    EXPECT_EQ(found.limit.has_value(), largest > 64);
    if (!found.limit) continue;
    EXPECT_GT(*found.limit, Bytes{64});
    EXPECT_LT(*found.limit, Bytes{largest});
    std::uint64_t least = found.limit->value;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    EXPECT_EQ(found.limit->value, least) << "the same on every rank";
  }
}

}  // namespace commgauge::bench::eager_limit_test
