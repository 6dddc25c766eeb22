#include <algorithm>
#include <array>
#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::access_test {

/// What accesses do to rank 0's memory.
template <class Value, std::size_t n>
class Accesses : public Aligned {
 protected:
  void open(const std::array<Value, n>& values) {
    memory_ = values;
    MPI_Win_create(memory_.data(), sizeof memory_, sizeof(Value), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    align();
  }
  void close() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  void combine(Value value, int place, MPI_Datatype type, MPI_Op op) {
    MPI_Accumulate(&value, 1, type, 0, place, 1, type, op, window_);
  }
  std::array<Value, n> memory_{};
  MPI_Win window_{MPI_WIN_NULL};
};

using OfInts = Accesses<int, 4>;

TEST_F(OfInts, EveryOperatorCombinesWhatIsThere) {
  open({0, 100, 1, 0});
  combine(rank_, 0, MPI_INT, MPI_MAX);
  combine(90 + rank_, 1, MPI_INT, MPI_MIN);
  combine(rank_ + 1, 2, MPI_INT, MPI_PROD);
  combine(1 << rank_, 3, MPI_INT, MPI_BOR);
  close();
  if (rank_ == 0) {
    EXPECT_EQ(memory_, (std::array{3, 90, 24, 15}));
  }
}

TEST_F(OfInts, TheyHaveTheirEffectInTheOrderOfTheirArrival) {
  open({-1, -1, -1, -1});
  pass((ranks_ - rank_) * 100 * us);
  combine(rank_, 0, MPI_INT, MPI_REPLACE);
  close();
  if (rank_ == 0) {
    EXPECT_EQ(memory_[0], 0) << "rank 0 came last";
  }
}

struct ShortAndPlace {
  short value;
  int place;
};
using OfPairs = Accesses<ShortAndPlace, 1>;

TEST_F(OfPairs, ThoseWithGapsAreCombinedToo) {
  open({ShortAndPlace{1, -1}});
  combine({static_cast<short>(10 * (rank_ % 3)), rank_}, 0, MPI_SHORT_INT, MPI_MAXLOC);
  close();
  if (rank_ == 0) {
    EXPECT_EQ(memory_[0].value, 20);
    EXPECT_EQ(memory_[0].place, 2);
  }
}

using OfMuch = Aligned;

TEST_F(OfMuch, DataBeyondWhatIsCopiedStayUntilTheyAreThere) {
  constexpr int bytes = 65 << 20;
  std::vector<char> memory(rank_ == 1 ? bytes : 0);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL,
                 MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  align();
  if (rank_ == 0) {
    std::vector<char> data(bytes, 'x');
    MPI_Put(data.data(), bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, window);
    EXPECT_NEAR(time_of([&] { MPI_Win_flush_local(1, window); }), message(bytes), eps);
    data.assign(data.size(), 'y');
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  if (rank_ == 1) {
    EXPECT_EQ(std::ranges::count(memory, 'x'), bytes);
  }
}

}  // namespace commgauge::virtual_time::access_test
