#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::window_test {

/// Two of them, over the same memory.
class TwoWindows : public Aligned {
 protected:
  TwoWindows() {
    for (MPI_Win& window : windows_) {
      MPI_Win_create(&memory_, sizeof memory_, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
      MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    }
    align();
  }
  ~TwoWindows() override {
    for (MPI_Win& window : windows_) {
      if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    }
  }
  int memory_{rank_};
  std::array<MPI_Win, 2> windows_{MPI_WIN_NULL, MPI_WIN_NULL};
};

TEST_F(TwoWindows, EachHasItsOwnLocks) {
  if (rank_ != 0) return;
  const double time = time_of([&] {
    for (const MPI_Win window : windows_) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  });
  EXPECT_NEAR(time, 2 * 2 * message(0), eps);
  for (const MPI_Win window : windows_) MPI_Win_unlock(1, window);
}

TEST_F(TwoWindows, AFlushIsOfItsOwnAccesses) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, windows_[0]);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, windows_[1]);
  const int value = 5;
  MPI_Put(&value, 1, MPI_INT, next(), 0, 1, MPI_INT, windows_[0]);
  EXPECT_NEAR(time_of([&] { MPI_Win_flush(next(), windows_[1]); }), 0.1 * us, eps);
  EXPECT_NEAR(time_of([&] { MPI_Win_flush(next(), windows_[0]); }), message(4) + message(0),
              2 * eps);
  MPI_Win_unlock_all(windows_[0]);
  MPI_Win_unlock_all(windows_[1]);
}

TEST_F(TwoWindows, OneThatIsFreedIsUnknown) {
  const ErrorsReturn errors_return;
  const MPI_Win freed = windows_[0];
  MPI_Win_free(&windows_[0]);
  EXPECT_EQ(class_of(MPI_Win_fence(0, freed)), MPI_ERR_WIN);
  EXPECT_EQ(class_of(MPI_Win_fence(0, windows_[1])), MPI_SUCCESS);
}

}  // namespace commgauge::virtual_time::window_test
