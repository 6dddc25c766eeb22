#include <array>
#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::algorithms_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

/// x → a·x + b, in that order.
using Line = std::array<int, 2>;

/// First the one of the lower rank, then the other.
void follow_with(void* in, void* out, int* count, MPI_Datatype*) {
  const auto* const first = static_cast<const Line*>(in);
  auto* const second = static_cast<Line*>(out);
  for (int i = 0; i < *count; ++i) {
    second[i] = {second[i][0] * first[i][0], second[i][0] * first[i][1] + second[i][1]};
  }
}

class Lines : public Aligned {
 protected:
  Lines() {
    MPI_Type_contiguous(2, MPI_INT, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(follow_with, 0, &follow_);
  }
  ~Lines() override {
    MPI_Op_free(&follow_);
    MPI_Type_free(&type_);
  }
  MPI_Datatype type_{MPI_DATATYPE_NULL};
  MPI_Op follow_{MPI_OP_NULL};
  Line own_{2, rank_};
  Line result_{};
};

// 2x, then 2x + 1, then 2x + 2, then 2x + 3: 16x + 4·1 + 2·2 + 3.

TEST_F(Lines, WhatDoesntCommuteIsReducedInTheRanksOrder) {
  MPI_Reduce(&own_, &result_, 1, type_, follow_, 2, all);
  if (rank_ == 2) {
    EXPECT_EQ(result_, (Line{16, 11}));
  }
}

TEST_F(Lines, ForAllTheOrderIsTheSame) {
  MPI_Allreduce(&own_, &result_, 1, type_, follow_, all);
  EXPECT_EQ(result_, (Line{16, 11}));
}

TEST_F(Lines, APrefixEndsWithTheOwnOne) {
  MPI_Scan(&own_, &result_, 1, type_, follow_, all);
  const std::array<Line, 4> expected{{{2, 0}, {4, 1}, {8, 4}, {16, 11}}};
  EXPECT_EQ(result_, expected[static_cast<std::size_t>(rank_)]);
}

class Data : public Aligned {};

TEST_F(Data, InPlaceTheOwnPartIsWhereItIs) {
  std::vector<int> parts(4, -1);
  parts[static_cast<std::size_t>(rank_)] = 10 * rank_;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, parts.data(), 1, MPI_INT, all);
  EXPECT_EQ(parts, (std::vector{0, 10, 20, 30}));
  int sum = rank_;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, all);
  EXPECT_EQ(sum, 6);
}

TEST_F(Data, ElementsWithGapsAreTakenAndPutWhereTheyLie) {
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  std::array<int, 4> values{-1, -1, -1, -1};
  if (rank_ == 0) values = {1, 2, 3, 4};
  MPI_Bcast(values.data(), 1, every_other, 0, all);
  if (rank_ != 0) {
    EXPECT_EQ(values, (std::array{1, -1, 3, -1}));
  }
  MPI_Type_free(&every_other);
}

TEST_F(Data, WhatIsTooLongForOneRankIsToldThereAndPassedOn) {
  const ErrorsReturn errors_return;
  std::array<int, 2> values{rank_, rank_};
  const int count = rank_ == 2 ? 1 : 2;
  const int code = class_of(MPI_Bcast(values.data(), count, MPI_INT, 0, all));
  // Rank 3's comes by way of rank 2.
  EXPECT_EQ(code != MPI_SUCCESS, rank_ >= 2);
  if (rank_ == 1) {
    EXPECT_EQ(values, (std::array{0, 0}));
  }
  if (rank_ == 2) {
    EXPECT_EQ(code, MPI_ERR_TRUNCATE);
  }
}

TEST_F(Data, SeveralOperationsAreUnderWayAtOnce) {
  int sum = -1;
  int most = -1;
  std::array<MPI_Request, 3> requests{};
  align();
  MPI_Iallreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, all, &requests[0]);
  MPI_Iallreduce(&rank_, &most, 1, MPI_INT, MPI_MAX, all, &requests[1]);
  MPI_Ibarrier(all, &requests[2]);
  EXPECT_NEAR(time_of([&] { MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE); }),
              2 * message(4), eps);
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(most, 3);
}

TEST_F(Data, NeighboursOnBothSidesOfAGridKeepTheirDirections) {
  MPI_Comm grid = MPI_COMM_NULL;
  constexpr std::array<int, 2> sizes{2, 2};
  constexpr std::array<int, 2> periods{0, 1};
  MPI_Cart_create(all, 2, sizes.data(), periods.data(), 0, &grid);
  const std::array<int, 4> out{10 * rank_, 10 * rank_ + 1, 10 * rank_ + 2, 10 * rank_ + 3};
  std::array<int, 4> in{-1, -1, -1, -1};
  MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, grid);
  const int down = rank_ ^ 2;
  const int beside = rank_ ^ 1;
  // Nobody is beyond the border of the first dimension; the second one is closed.
  EXPECT_EQ(in[0], rank_ < 2 ? -1 : 10 * down + 1);
  EXPECT_EQ(in[1], rank_ < 2 ? 10 * down : -1);
  EXPECT_EQ(in[2], 10 * beside + 3);
  EXPECT_EQ(in[3], 10 * beside + 2);
  MPI_Comm_free(&grid);
}

}  // namespace commgauge::virtual_time::algorithms_test
