#include "messages/transport.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <numeric>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/communicator.hpp"
#include "messages/tags.hpp"

namespace commgauge::bench::transport_test {

TEST(DecideWait, SharedCoresYieldUnlessAskedOtherwise) {
  EXPECT_EQ(decide_wait(Wait::automatic, false), WaitMode::blocking);
  EXPECT_EQ(decide_wait(Wait::automatic, true), WaitMode::yield);
  EXPECT_EQ(decide_wait(Wait::blocking, true), WaitMode::blocking);
  EXPECT_EQ(decide_wait(Wait::yield, false), WaitMode::yield);
}

class EachWait : public ::testing::TestWithParam<WaitMode> {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  Transport transport{comm.get(), GetParam()};
  int last = comm.size() - 1;
};

INSTANTIATE_TEST_SUITE_P(, EachWait, ::testing::Values(WaitMode::blocking, WaitMode::yield));

TEST_P(EachWait, IsWhatItSays) { EXPECT_EQ(transport.yielding(), GetParam() == WaitMode::yield); }

TEST_P(EachWait, ValuesArriveByTheirTags) {
  if (comm.rank() == 0) {
    transport.send_value(3.5, last, data_tag);
    transport.send_values(std::span<const int>(std::array{1, 2, 3}), last, control_tag);
  } else if (comm.rank() == last) {
    std::array<int, 3> several{};
    MPI_Request first = transport.start_receive(reinterpret_cast<std::byte*>(several.data()),
                                                Bytes{sizeof several}, 0, control_tag);
    EXPECT_EQ(transport.receive_value<double>(0, data_tag), 3.5);
    transport.wait(first);
    EXPECT_EQ(several, (std::array{1, 2, 3}));
  }
}

TEST_P(EachWait, AllThatWereStartedAreOver) {
  std::vector<std::byte> in(static_cast<std::size_t>(comm.size()));
  const auto own = static_cast<std::byte>(10 + comm.rank());
  std::vector<MPI_Request> requests;
  for (int rank = 0; rank < comm.size(); ++rank) {
    requests.push_back(
        transport.start_receive(&in[static_cast<std::size_t>(rank)], Bytes{1}, rank, data_tag));
    requests.push_back(transport.start_send(&own, Bytes{1}, rank, data_tag));
  }
  transport.make_progress(last);
  transport.wait_all(requests);
  for (int rank = 0; rank < comm.size(); ++rank) {
    EXPECT_EQ(in[static_cast<std::size_t>(rank)], static_cast<std::byte>(10 + rank));
  }
  EXPECT_EQ(requests.front(), MPI_REQUEST_NULL);
}

/// MPI's clocks may begin with their ranks.
double now_on_this_host() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST_P(EachWait, NobodyLeavesABarrierBeforeTheLastHasCome) {
  double came = 0;
  if (comm.rank() == last) {
    wait_until(Clock::now() + 5e-3, true);
    came = now_on_this_host();
  }
  transport.barrier();
  const double left = now_on_this_host();
  MPI_Bcast(&came, 1, MPI_DOUBLE, last, comm.get());
  EXPECT_GE(left, came);
}

/// The root's own share isn't touched.
TEST_P(EachWait, BlocksOfBytesGoToAndFromTheRoot) {
  constexpr Bytes block{100};
  const auto mark = [](int rank) { return static_cast<std::byte>(20 + rank); };
  std::vector<std::byte> whole;
  std::vector<std::byte> part(block.value);
  const bool is_root = comm.rank() == last;
  if (is_root) {
    for (int rank = 0; rank < comm.size(); ++rank)
      whole.insert(whole.end(), block.value, mark(rank));
  }
  transport.scatter(whole.data(), is_root ? nullptr : part.data(), block, last);
  if (!is_root) {
    EXPECT_EQ(part, std::vector(block.value, mark(comm.rank())));
  }
  if (is_root) std::fill(whole.begin(), whole.end(), std::byte{1});
  transport.gather(is_root ? nullptr : part.data(), whole.data(), block, last);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const int rank = static_cast<int>(i / block.value);
    EXPECT_EQ(whole[i], rank == last ? std::byte{1} : mark(rank));
  }
}

TEST_P(EachWait, MpisOwnScatterAndGatherHaveItsArguments) {
  std::vector<int> numbers(2 * static_cast<std::size_t>(comm.size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::array<int, 2> own{};
  transport.scatter(numbers.data(), 2, MPI_INT, own.data(), 2, MPI_INT, 0);
  EXPECT_EQ(own, (std::array{2 * comm.rank(), 2 * comm.rank() + 1}));
  std::vector<int> back(numbers.size());
  transport.gather(own.data(), 2, MPI_INT, back.data(), 2, MPI_INT, 0);
  if (comm.rank() == 0) {
    EXPECT_EQ(back, numbers);
  }
}

}  // namespace commgauge::bench::transport_test
