#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::window_memory_test {

/// Of a dynamic window the ranks tell each other addresses.
class AttachedMemory : public Aligned {
 protected:
  AttachedMemory() {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  }
  ~AttachedMemory() override { MPI_Win_free(&window_); }

  void attach(int* first, int count) {
    MPI_Win_attach(window_, first, count * static_cast<MPI_Aint>(sizeof(int)));
  }
  /// @return the next rank's
  MPI_Aint exchange(const int* own) {
    MPI_Aint address = 0;
    MPI_Get_address(own, &address);
    MPI_Aint got = 0;
    MPI_Sendrecv(&address, 1, MPI_AINT, before(), 0, &got, 1, MPI_AINT, next(), 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return got;
  }
  /// @return the error's class
  int put(int count, MPI_Aint address) {
    constexpr std::array<int, 4> values{1, 2, 3, 4};
    MPI_Win_lock_all(0, window_);
    const int code =
        MPI_Put(values.data(), count, MPI_INT, next(), address, count, MPI_INT, window_);
    MPI_Win_unlock_all(window_);
    MPI_Barrier(MPI_COMM_WORLD);
    return class_of(code);
  }
  static MPI_Aint ints(int count) { return count * static_cast<MPI_Aint>(sizeof(int)); }

  std::array<int, 8> memory_{};
  MPI_Win window_{MPI_WIN_NULL};
};

TEST_F(AttachedMemory, WhatIsAttachedCanBeReached) {
  attach(&memory_[2], 2);
  const MPI_Aint there = exchange(&memory_[2]);
  EXPECT_EQ(put(2, there), MPI_SUCCESS);
  EXPECT_EQ(memory_, (std::array{0, 0, 1, 2, 0, 0, 0, 0}));
  MPI_Win_detach(window_, &memory_[2]);
}

TEST_F(AttachedMemory, BeyondItsEndNothingCan) {
  attach(&memory_[2], 2);
  const MPI_Aint there = exchange(&memory_[2]);
  EXPECT_EQ(put(3, there), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(put(1, MPI_Aint_add(there, -ints(1))), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(memory_, (std::array<int, 8>{}));
  MPI_Win_detach(window_, &memory_[2]);
}

TEST_F(AttachedMemory, TwoPiecesInARowAreAsOne) {
  attach(&memory_[4], 2);
  attach(&memory_[2], 2);
  const MPI_Aint there = exchange(&memory_[2]);
  EXPECT_EQ(put(4, there), MPI_SUCCESS);
  EXPECT_EQ(memory_, (std::array{0, 0, 1, 2, 3, 4, 0, 0}));
  MPI_Win_detach(window_, &memory_[2]);
  MPI_Win_detach(window_, &memory_[4]);
}

TEST_F(AttachedMemory, WhatIsDetachedIsGoneAndTheRestIsThere) {
  attach(&memory_[0], 1);
  attach(&memory_[3], 1);
  attach(&memory_[6], 1);
  const MPI_Aint there = exchange(&memory_[0]);
  MPI_Win_detach(window_, &memory_[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(put(1, MPI_Aint_add(there, ints(3))), MPI_ERR_RMA_RANGE);
  EXPECT_EQ(put(1, there), MPI_SUCCESS);
  EXPECT_EQ(put(1, MPI_Aint_add(there, ints(6))), MPI_SUCCESS);
  EXPECT_EQ(memory_, (std::array{1, 0, 0, 0, 0, 0, 1, 0}));
  MPI_Win_detach(window_, &memory_[0]);
  MPI_Win_detach(window_, &memory_[6]);
}

TEST_F(AttachedMemory, OfAnotherKindOfWindowNothingIsAttached) {
  int own = 0;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(&own, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  EXPECT_EQ(class_of(MPI_Win_attach(window, &own, sizeof own)), MPI_ERR_RMA_FLAVOR);
  MPI_Win_free(&window);
}

}  // namespace commgauge::virtual_time::window_memory_test
