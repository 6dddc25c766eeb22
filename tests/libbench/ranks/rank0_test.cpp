#include "ranks/rank0.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "commgauge/base/error.hpp"

namespace commgauge::bench::rank0_test {

TEST(Broadcast, EveryRankHasWhatTheRootHas) {
  const Communicator comm(MPI_COMM_WORLD);
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  const std::string text("a\0b", 3);
  EXPECT_EQ(broadcast(comm, is_last ? text : "longer than the other", last), text);
  const std::vector<std::uint64_t> numbers{~std::uint64_t{}, 7};
  EXPECT_EQ(broadcast(comm, comm.rank() == 0 ? numbers : std::vector<std::uint64_t>{}), numbers);
  EXPECT_EQ(broadcast(comm, std::vector<double>(comm.rank() == 0 ? 2 : 5, 0.1)),
            std::vector(2, 0.1));
  const std::vector<Bytes> sizes{Bytes{1}, Bytes{1ull << 40U}};
  EXPECT_EQ(broadcast(comm, is_last ? sizes : std::vector<Bytes>(5), last), sizes);
  EXPECT_EQ(broadcast(comm, comm.rank() == 0 ? std::string{} : "x"), "");
}

TEST(OnRank0, WorksThereAlone) {
  const Communicator comm(MPI_COMM_WORLD);
  int calls = 0;
  on_rank_0(comm, [&] { ++calls; });
  EXPECT_EQ(calls, comm.rank() == 0 ? 1 : 0);
}

template <class Thrown>
std::string caught(const Communicator& comm, const std::function<void()>& work) {
  try {
    on_rank_0(comm, work);
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing";
}

TEST(OnRank0, ThrowsOnEveryRank) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_EQ(caught<InputError>(comm, [] { throw InputError("no such file"); }), "no such file");
  EXPECT_EQ(caught<FitError>(comm, [] { throw FitError("no fit"); }), "no fit");
  EXPECT_EQ(caught<FitError>(comm, [] { throw std::runtime_error("disk full"); }), "disk full");
}

}  // namespace commgauge::bench::rank0_test
