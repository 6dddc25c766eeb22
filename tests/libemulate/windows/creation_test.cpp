#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::creation_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

template <class Value>
Value attribute(MPI_Win window, int key) {
  Value* value = nullptr;
  int is_set = 0;
  MPI_Win_get_attr(window, key, static_cast<void*>(&value), &is_set);
  return is_set != 0 ? *value : Value{};
}

class Windows : public Aligned {
 protected:
  ~Windows() override {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }
  MPI_Win window_{MPI_WIN_NULL};
};

TEST_F(Windows, OneIsMadeAndFreedWhenAllHaveCome) {
  int own = 0;
  const double made =
      time_of([&] { MPI_Win_create(&own, sizeof own, sizeof own, MPI_INFO_NULL, all, &window_); });
  EXPECT_NEAR(made, 2 * message(0), eps);
  align();
  EXPECT_NEAR(time_of([&] { MPI_Win_free(&window_); }), 2 * message(0), eps);
  EXPECT_EQ(window_, MPI_WIN_NULL);
}

TEST_F(Windows, ItsBaseIsWhereTheProgramSaid) {
  std::vector<char> memory(100);
  MPI_Win_create(memory.data() + 3, 50, 1, MPI_INFO_NULL, all, &window_);
  void* base = nullptr;
  int is_set = 0;
  MPI_Win_get_attr(window_, MPI_WIN_BASE, static_cast<void*>(&base), &is_set);
  EXPECT_EQ(is_set, 1);
  EXPECT_EQ(base, memory.data() + 3);
  EXPECT_EQ(attribute<MPI_Aint>(window_, MPI_WIN_SIZE), 50);
}

TEST_F(Windows, EachRankHasItsOwnUnit) {
  std::vector<char> memory(64);
  MPI_Win_create(memory.data(), 64, rank_ + 1, MPI_INFO_NULL, all, &window_);
  MPI_Win_fence(0, window_);
  const char value = 'x';
  MPI_Put(&value, 1, MPI_CHAR, next(), 5, 1, MPI_CHAR, window_);
  MPI_Win_fence(0, window_);
  EXPECT_EQ(memory[static_cast<std::size_t>(5 * (rank_ + 1))], 'x');
}

TEST_F(Windows, MemoryCanBeMpis) {
  int* memory = nullptr;
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, all, static_cast<void*>(&memory),
                   &window_);
  memory[0] = memory[1] = -1;
  MPI_Win_fence(0, window_);
  MPI_Put(&rank_, 1, MPI_INT, next(), 1, 1, MPI_INT, window_);
  MPI_Win_fence(0, window_);
  EXPECT_EQ(memory[0], -1);
  EXPECT_EQ(memory[1], before());
}

TEST_F(Windows, OneInAnEpochIsNotFreed) {
  int own = 0;
  MPI_Win_create(&own, sizeof own, sizeof own, MPI_INFO_NULL, all, &window_);
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, window_);
  EXPECT_EQ(class_of(MPI_Win_free(&window_)), MPI_ERR_RMA_SYNC);
  MPI_Win_unlock_all(window_);
}

}  // namespace commgauge::virtual_time::creation_test
