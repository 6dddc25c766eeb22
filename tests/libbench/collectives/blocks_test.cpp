#include "collectives/blocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "commgauge/base/error.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench::blocks_test {

/// The first and third of four integers.
class EverySecond {
 public:
  EverySecond() {
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector_);
    MPI_Type_create_resized(vector_, 0, 4 * sizeof(int), &type_);
    MPI_Type_commit(&type_);
  }
  ~EverySecond() {
    MPI_Type_free(&type_);
    MPI_Type_free(&vector_);
  }
  EverySecond(const EverySecond&) = delete;
  EverySecond& operator=(const EverySecond&) = delete;
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype vector_{MPI_DATATYPE_NULL};
  MPI_Datatype type_{MPI_DATATYPE_NULL};
};

std::vector<int> counting(int numbers) {
  std::vector<int> all(static_cast<std::size_t>(numbers));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Blocks, OfPlainNumbersLieOneBehindTheOther) {
  const std::vector<int> numbers = counting(12);
  const Blocks blocks(numbers.data(), 3, MPI_INT);
  EXPECT_EQ(blocks.size(), Bytes{3 * sizeof(int)});
  EXPECT_TRUE(blocks.dense());
  const Part part = blocks.of(2);
  EXPECT_EQ(static_cast<const void*>(part.at), &numbers[6]);
  EXPECT_EQ(part.count, 3);
  EXPECT_EQ(part.type, MPI_INT);
}

TEST(Blocks, WithGapsHaveLessDataThanExtent) {
  const EverySecond type;
  const std::vector<int> numbers = counting(16);
  const Blocks blocks(numbers.data(), 2, type.get());
  EXPECT_EQ(blocks.size(), Bytes{4 * sizeof(int)});
  EXPECT_FALSE(blocks.dense());
  EXPECT_EQ(static_cast<const void*>(blocks.of(1).at), &numbers[8]);
}

TEST(Blocks, ArePackedWithoutTheirGaps) {
  const Communicator comm(MPI_COMM_WORLD);
  const EverySecond type;
  const std::vector<int> numbers = counting(16);
  std::array<int, 4> packed{};
  const Blocks from(numbers.data(), 2, type.get());
  from.pack(std::as_writable_bytes(std::span(packed)), comm.get());
  EXPECT_EQ(packed, (std::array{0, 2, 4, 6}));
  std::vector<int> there(16, -1);
  Blocks(there.data(), 2, type.get()).unpack(std::as_bytes(std::span(packed)), 1, comm.get());
  std::vector<int> expected(16, -1);
  for (const int k : {0, 2, 4, 6}) expected[static_cast<std::size_t>(8 + k)] = k;
  EXPECT_EQ(there, expected);
}

TEST(Blocks, OfNothingAreAllowedOfLessNot) {
  EXPECT_EQ(Blocks(nullptr, 0, MPI_INT).size(), Bytes{0});
  EXPECT_THROW(Blocks(nullptr, -1, MPI_INT), InputError);
}

TEST(CopyBlock, CopiesOneRanksShareInEitherLayout) {
  const Communicator comm(MPI_COMM_WORLD);
  const EverySecond type;
  const std::vector<int> numbers = counting(8);
  const Blocks dense(numbers.data(), 2, MPI_INT);
  std::vector<int> plain(8, -1);
  copy_block(dense, 1, Blocks(plain.data(), 2, MPI_INT), 3, comm.rank(), comm.get());
  EXPECT_EQ(plain, (std::vector{-1, -1, -1, -1, -1, -1, 2, 3}));
  std::vector<int> gaps(8, -1);
  copy_block(dense, 2, Blocks(gaps.data(), 1, type.get()), 1, comm.rank(), comm.get());
  EXPECT_EQ(gaps, (std::vector{-1, -1, -1, -1, 4, -1, 5, -1}));
  copy_block(dense, 1, dense, 1, comm.rank(), comm.get());
  EXPECT_EQ(numbers, counting(8)) << "onto itself";
}

}  // namespace commgauge::bench::blocks_test
