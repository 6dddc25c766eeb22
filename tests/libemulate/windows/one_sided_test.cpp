#include "windows/aligned_window.hpp"

namespace commgauge::virtual_time::one_sided_test {

/// All may reach all, and who looks at what has come does so in the end.
class OneSided : public AlignedWindow {
 protected:
  OneSided() {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    align();
  }
  ~OneSided() override { close(); }
  void close() {
    if (is_open_) MPI_Win_unlock_all(window_);
    if (is_open_) MPI_Barrier(MPI_COMM_WORLD);
    is_open_ = false;
  }
  double flush(int target) {
    return time_of([&] { MPI_Win_flush(target, window_); });
  }

 private:
  bool is_open_{true};
};

TEST_F(OneSided, APutGoesLikeAMessage) {
  int value = 70 + rank_;
  const double time = time_of([&] {
    MPI_Put(&value, 1, MPI_INT, next(), 3, 1, MPI_INT, window_);
    value = -1;
    MPI_Win_flush(next(), window_);
  });
  close();
  EXPECT_NEAR(time, message(4) + message(0), eps);
  EXPECT_EQ(memory_, (std::array{10 * rank_, 10 * rank_ + 1, 10 * rank_ + 2, 70 + before()}));
}

TEST_F(OneSided, AGetIsAskedForAndComesBack) {
  std::array<int, 2> got{-1, -1};
  const double time = time_of([&] {
    MPI_Get(got.data(), 2, MPI_INT, next(), 1, 2, MPI_INT, window_);
    MPI_Win_flush(next(), window_);
  });
  EXPECT_NEAR(time, message(0) + message(8), eps);
  EXPECT_EQ(got, (std::array{10 * next() + 1, 10 * next() + 2}));
}

TEST_F(OneSided, ManyAddToOnePlace) {
  MPI_Accumulate(&rank_, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window_);
  close();
  if (rank_ == 0) {
    EXPECT_EQ(memory_[0], 6);
  }
}

TEST_F(OneSided, WhoFetchesSeesThoseThatCameBefore) {
  constexpr int one = 1;
  int before_own = -1;
  pass(rank_ * 100 * us);
  const double time = time_of([&] {
    MPI_Fetch_and_op(&one, &before_own, MPI_INT, 0, 0, MPI_SUM, window_);
    MPI_Win_flush(0, window_);
  });
  EXPECT_EQ(before_own, rank_);
  if (rank_ > 0) {
    EXPECT_NEAR(time, 2 * message(4), eps);
  }
  close();
  if (rank_ == 0) {
    EXPECT_EQ(memory_[0], 4);
  }
}

TEST_F(OneSided, OfThoseThatCompareTheFirstSwaps) {
  constexpr int unchanged = 2;
  const int own = 100 + rank_;
  int found = -1;
  pass((ranks_ - rank_) * 100 * us);
  MPI_Compare_and_swap(&own, &unchanged, &found, MPI_INT, 0, 2, window_);
  MPI_Win_flush(0, window_);
  EXPECT_EQ(found, rank_ == 3 ? unchanged : 103);
  close();
  if (rank_ == 0) {
    EXPECT_EQ(memory_[2], 103);
  }
}

TEST_F(OneSided, WhatIsFetchedWhileItIsReplacedIsTheOldValue) {
  const int own = -5;
  int old = 0;
  MPI_Get_accumulate(&own, 1, MPI_INT, &old, 1, MPI_INT, next(), 1, 1, MPI_INT, MPI_REPLACE,
                     window_);
  MPI_Win_flush(next(), window_);
  EXPECT_EQ(old, 10 * next() + 1);
  close();
  EXPECT_EQ(memory_[1], -5);
}

TEST_F(OneSided, ARequestOfAPutIsOverAtOnceAndOfAGetWithItsData) {
  int value = 9;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rput(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, window_, &request);
  EXPECT_NEAR(time_of([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }), 0, eps);
  MPI_Rget(&value, 1, MPI_INT, next(), 2, 1, MPI_INT, window_, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(value, 10 * next() + 2);
}

TEST_F(OneSided, ElementsWithGapsComeToTheirPlaces) {
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  const std::array<int, 2> values{-1, -2};
  MPI_Put(values.data(), 2, MPI_INT, next(), 1, 1, every_other, window_);
  MPI_Type_free(&every_other);
  close();
  EXPECT_EQ(memory_, (std::array{10 * rank_, -1, 10 * rank_ + 2, -2}));
}

TEST_F(OneSided, ToNobodyNothingGoes) {
  const double time = time_of([&] {
    put(1, MPI_PROC_NULL, 0);
    MPI_Win_flush(MPI_PROC_NULL, window_);
  });
  EXPECT_NEAR(time, 0, eps);
}

TEST_F(OneSided, WrongArgumentsAreErrors) {
  const int value = 0;
  const auto put_to = [&](int rank, int place, MPI_Datatype type) {
    return class_of(MPI_Put(&value, 1, type, rank, place, 1, type, window_));
  };
  EXPECT_EQ(put_to(ranks_, 0, MPI_INT), MPI_ERR_RANK);
  EXPECT_EQ(put_to(next(), -1, MPI_INT), MPI_ERR_DISP);
  EXPECT_EQ(put_to(next(), 4, MPI_INT), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(put_to(next(), 0, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
  EXPECT_EQ(class_of(MPI_Accumulate(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, MPI_NO_OP, window_)),
            MPI_ERR_OP);
}

TEST_F(OneSided, OutsideOfAnEpochNothingMayBeReached) {
  close();
  const int value = 0;
  EXPECT_EQ(class_of(MPI_Put(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, window_)),
            MPI_ERR_RMA_SYNC);
}

}  // namespace commgauge::virtual_time::one_sided_test
