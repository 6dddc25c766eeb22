#pragma once

#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time {

/// Four ints of each rank in a window: 10·rank, 10·rank + 1, ...
class AlignedWindow : public Aligned {
 protected:
  AlignedWindow() {
    for (int i = 0; i < 4; ++i) memory_[static_cast<std::size_t>(i)] = 10 * rank_ + i;
    MPI_Win_create(memory_.data(), sizeof memory_, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window_);
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    align();
  }
  ~AlignedWindow() override { MPI_Win_free(&window_); }

  /// @return [s]
  double put(int value, int target, int place) {
    return time_of([&] { MPI_Put(&value, 1, MPI_INT, target, place, 1, MPI_INT, window_); });
  }

  std::array<int, 4> memory_{};
  MPI_Win window_{MPI_WIN_NULL};
};

}  // namespace commgauge::virtual_time
