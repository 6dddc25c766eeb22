#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::partitioned_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

/// Around a ring, eight ints: two for each partition of the sender, four for each of the receiver.
class Partitioned : public Aligned {
 protected:
  Partitioned() {
    for (int i = 0; i < 8; ++i) out_[static_cast<std::size_t>(i)] = 100 * rank_ + i;
    MPI_Psend_init(out_.data(), 4, 2, MPI_INT, next(), 0, all, MPI_INFO_NULL, &send_);
    MPI_Precv_init(in_.data(), 2, 4, MPI_INT, before(), 0, all, MPI_INFO_NULL, &receive_);
    MPI_Start(&send_);
    MPI_Start(&receive_);
    align();
  }
  ~Partitioned() override {
    MPI_Request_free(&send_);
    MPI_Request_free(&receive_);
  }
  void wait() {
    MPI_Wait(&send_, MPI_STATUS_IGNORE);
    MPI_Wait(&receive_, MPI_STATUS_IGNORE);
  }
  [[nodiscard]] bool has(int partition) const {
    int flag = -1;
    MPI_Parrived(receive_, partition, &flag);
    return flag != 0;
  }
  void expect_all() const {
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(in_[static_cast<std::size_t>(i)], 100 * before() + i);
    }
  }

  std::array<int, 8> out_{};
  std::array<int, 8> in_{};
  MPI_Request send_{MPI_REQUEST_NULL};
  MPI_Request receive_{MPI_REQUEST_NULL};
};

TEST_F(Partitioned, WhatIsReadyAtOnceTakesOneMessagesTime) {
  const double time = time_of([&] {
    MPI_Pready_range(0, 3, send_);
    wait();
  });
  expect_all();
  // The four follow one another from this rank to the next.
  EXPECT_NEAR(time, message(8), eps);
}

TEST_F(Partitioned, OnePartComesWhileTheOtherIsNotReady) {
  std::array<int, 2> first{1, 0};
  MPI_Pready_list(2, first.data(), send_);
  EXPECT_FALSE(has(0));
  pass(50 * us);
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1));
  EXPECT_EQ(in_[3], 100 * before() + 3);
  MPI_Pready(3, send_);
  MPI_Pready(2, send_);
  wait();
  expect_all();
}

TEST_F(Partitioned, ItIsStartedAgain) {
  MPI_Pready_range(0, 3, send_);
  wait();
  in_.fill(-1);
  MPI_Start(&receive_);
  MPI_Start(&send_);
  MPI_Pready_range(0, 3, send_);
  wait();
  expect_all();
}

TEST_F(Partitioned, WrongPartitionsAreErrors) {
  const ErrorsReturn errors_return;
  EXPECT_EQ(class_of(MPI_Pready(4, send_)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_Pready(-1, send_)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_Pready(0, receive_)), MPI_ERR_REQUEST);
  MPI_Pready_range(0, 3, send_);
  EXPECT_EQ(class_of(MPI_Pready(0, send_)), MPI_ERR_ARG);
  wait();
  EXPECT_EQ(class_of(MPI_Pready(0, send_)), MPI_ERR_REQUEST);
}

}  // namespace commgauge::virtual_time::partitioned_test
