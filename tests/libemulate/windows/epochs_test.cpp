#include "windows/aligned_window.hpp"

namespace commgauge::virtual_time::epochs_test {

/// A lock, or what gives it back: a message there and one back.
constexpr double round_trip = 2 * message(0);

class Epochs : public AlignedWindow {};

TEST_F(Epochs, AFenceIsABarrier) {
  EXPECT_NEAR(time_of([&] { MPI_Win_fence(0, window_); }), 2 * message(0), eps);
  EXPECT_NEAR(time_of([&] { MPI_Win_fence(0, window_); }), 2 * message(0), eps);
}

TEST_F(Epochs, AFenceWaitsForTheOwnAccesses) {
  MPI_Win_fence(0, window_);
  align();
  const double time = time_of([&] {
    put(100 + rank_, next(), 1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
  });
  EXPECT_EQ(memory_[1], 100 + before());
  EXPECT_NEAR(time, message(4) + 2 * message(0), eps);
}

TEST_F(Epochs, ALockAndItsEndTakeARoundTripEach) {
  if (rank_ != 0) return;
  EXPECT_NEAR(time_of([&] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window_); }), round_trip, eps);
  EXPECT_NEAR(time_of([&] { MPI_Win_unlock(1, window_); }), round_trip, eps);
}

TEST_F(Epochs, WhatIsUncheckedNeedsNoMessages) {
  if (rank_ != 0) return;
  const double time = time_of([&] {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, window_);
    MPI_Win_unlock(1, window_);
  });
  EXPECT_NEAR(time, 0, eps);
}

TEST_F(Epochs, AFlushHearsThatAPutIsThere) {
  if (rank_ != 0) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window_);
  EXPECT_NEAR(put(5, 1, 0), 0, eps);
  EXPECT_NEAR(time_of([&] { MPI_Win_flush_local(1, window_); }), 0, eps);
  EXPECT_NEAR(time_of([&] { MPI_Win_flush(1, window_); }), message(4) + message(0), eps);
  MPI_Win_unlock(1, window_);
}

TEST_F(Epochs, AnExclusiveLockIsWaitedFor) {
  if (rank_ == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window_);
    pass(500 * us);
    MPI_Win_unlock(1, window_);
  } else if (rank_ == 2) {
    pass(100 * us);
    const double time = time_of([&] { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window_); });
    // The other one is given back at the target 530 us after the start.
    EXPECT_NEAR(time, 430 * us + message(0), 2 * eps);
    MPI_Win_unlock(1, window_);
  }
}

TEST_F(Epochs, SharedLocksAreNotWaitedFor) {
  if (rank_ == 1) return;
  EXPECT_NEAR(time_of([&] { MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window_); }), round_trip, eps);
  pass(100 * us);
  MPI_Win_unlock(1, window_);
}

TEST_F(Epochs, AllAreLockedAtOnce) {
  EXPECT_NEAR(time_of([&] { MPI_Win_lock_all(0, window_); }), round_trip, eps);
  // It looks at its own memory, too.
  EXPECT_NEAR(time_of([&] { MPI_Win_unlock_all(window_); }), round_trip, 2 * eps);
}

TEST_F(Epochs, AStartWaitsForThePostAndTheWaitForTheCompletion) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group other = MPI_GROUP_NULL;
  const int partner = rank_ ^ 1;
  MPI_Group_incl(all, 1, &partner, &other);
  if (rank_ % 2 == 0) {
    EXPECT_NEAR(time_of([&] { MPI_Win_start(other, 0, window_); }), message(0), eps);
    put(77, partner, 2);
    EXPECT_NEAR(time_of([&] { MPI_Win_complete(window_); }), message(4), eps);
  } else {
    EXPECT_NEAR(time_of([&] { MPI_Win_post(other, 0, window_); }), 0, eps);
    int flag = -1;
    MPI_Win_test(window_, &flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(memory_[2], 10 * rank_ + 2);
    const double start = MPI_Wtime();
    MPI_Win_wait(window_);
    EXPECT_NEAR(MPI_Wtime() - start, message(0) + message(4) + message(0), 2 * eps);
    EXPECT_EQ(memory_[2], 77);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

TEST_F(Epochs, CallsOutOfTheirOrderAreErrors) {
  EXPECT_EQ(class_of(MPI_Win_unlock(next(), window_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_unlock_all(window_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_complete(window_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_wait(window_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_flush(next(), window_)), MPI_ERR_RMA_SYNC);
  EXPECT_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, ranks_, 0, window_)), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPI_Win_lock(-1, next(), 0, window_)), MPI_ERR_LOCKTYPE);
}

}  // namespace commgauge::virtual_time::epochs_test
