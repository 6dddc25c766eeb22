#include "timing/eager_probe.hpp"

#include <gtest/gtest.h>

#include "messages/communicator.hpp"

namespace commgauge::bench::eager_probe_test {

std::optional<Bytes> probed(const Communicator& comm, std::uint64_t largest) {
  return probe_eager_limit(comm.get(), 1, 0, Bytes{largest}, [](Bytes size) {
    return Seconds{1e-4 + 1e-9 * static_cast<double>(size.value)};
  });
}

TEST(EagerProbe, FindsNoLimitAmongSmallMessages) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() > 1) return;
  EXPECT_EQ(probed(comm, 64), std::nullopt);
}

/// A limit is a limit, however large the messages are that it is looked for among.
TEST(EagerProbe, FindsTheSameToTheByte) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() > 1) return;
  const auto limit = probed(comm, 4 << 20);
  ASSERT_TRUE(limit);
  EXPECT_GT(*limit, Bytes{64});
  EXPECT_EQ(probed(comm, limit->value + 1), limit);
  EXPECT_EQ(probed(comm, limit->value), std::nullopt);
}

}  // namespace commgauge::bench::eager_probe_test
