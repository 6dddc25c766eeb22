#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::communicators_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

class Communicators : public Aligned {};

TEST_F(Communicators, OneIsMadeWhenAllHaveCome) {
  MPI_Comm copy = MPI_COMM_NULL;
  EXPECT_NEAR(time_of([&] { MPI_Comm_dup(all, &copy); }), 2 * message(0), eps);
  EXPECT_EQ(rank_in(copy), rank_);
  EXPECT_EQ(size_of(copy), ranks_);
  EXPECT_NEAR(time_of([&] { MPI_Comm_free(&copy); }), 0, eps);
  EXPECT_EQ(copy, MPI_COMM_NULL);
}

TEST_F(Communicators, ACopyThatIsMadeMeanwhileWaitsForItsMembers) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_NEAR(time_of([&] { MPI_Comm_idup(all, &copy, &request); }), 0, eps);
  EXPECT_NEAR(time_of([&] { MPI_Wait(&request, MPI_STATUS_IGNORE); }), 2 * message(0), eps);
  EXPECT_EQ(size_of(copy), ranks_);
  MPI_Comm_free(&copy);
}

TEST_F(Communicators, MessagesOfACopyAreItsOwn) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(all, &copy);
  const std::array<int, 2> values{1, 2};
  MPI_Request first = MPI_REQUEST_NULL;
  MPI_Request second = MPI_REQUEST_NULL;
  MPI_Isend(&values[0], 1, MPI_INT, next(), 5, all, &first);
  MPI_Isend(&values[1], 1, MPI_INT, next(), 5, copy, &second);
  int got = 0;
  MPI_Recv(&got, 1, MPI_INT, before(), 5, copy, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, 2);
  MPI_Recv(&got, 1, MPI_INT, before(), 5, all, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, 1);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
}

TEST_F(Communicators, ASplitsPartsAreOrderedByTheirKeys) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(all, rank_ % 2, -rank_, &half);
  EXPECT_EQ(size_of(half), 2);
  EXPECT_EQ(rank_in(half), rank_ < 2 ? 1 : 0);
  int sum = 0;
  MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, half);
  EXPECT_EQ(sum, rank_ % 2 == 0 ? 2 : 4);
  MPI_Comm_free(&half);
}

TEST_F(Communicators, APartsBarrierIsItsOwn) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(all, rank_ % 2, 0, &half);
  align();
  if (rank_ == 1) pass(500 * us);
  const double time = time_of([&] { MPI_Barrier(half); });
  const std::array<double, 4> expected{message(0), 0, message(0), 500 * us + message(0)};
  EXPECT_NEAR(time, expected[static_cast<std::size_t>(rank_)], eps);
  MPI_Comm_free(&half);
}

TEST_F(Communicators, WhoIsLeftOutGetsNone) {
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_split(all, rank_ == 0 ? MPI_UNDEFINED : 1, 0, &others);
  EXPECT_EQ(others == MPI_COMM_NULL, rank_ == 0);
  if (others == MPI_COMM_NULL) return;
  EXPECT_EQ(size_of(others), ranks_ - 1);
  MPI_Comm_free(&others);
}

TEST_F(Communicators, AGroupsIsMadeByItsMembersAlone) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(all, &world);
  const std::array<int, 2> members{3, 1};
  MPI_Group_incl(world, 2, members.data(), &group);
  if (rank_ % 2 == 1) {
    MPI_Comm made = MPI_COMM_NULL;
    EXPECT_NEAR(time_of([&] { MPI_Comm_create_group(all, group, 9, &made); }), message(0), eps);
    EXPECT_EQ(rank_in(made), rank_ == 3 ? 0 : 1);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

TEST_F(Communicators, EachRankIsOnAHostOfItsOwn) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  EXPECT_EQ(size_of(host), 1);
  MPI_Comm_free(&host);
}

TEST_F(Communicators, TwoGroupsTalkAndAreMerged) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(all, rank_ % 2, 0, &half);
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, all, 1 - rank_ % 2, 3, &both);
  int remote = 0;
  MPI_Comm_remote_size(both, &remote);
  EXPECT_EQ(remote, 2);
  int got = -1;
  const int other = rank_in(both);
  MPI_Sendrecv(&rank_, 1, MPI_INT, other, 0, &got, 1, MPI_INT, other, 0, both, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, rank_ ^ 1);
  int sum = 0;
  MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, both);
  EXPECT_EQ(sum, rank_ % 2 == 0 ? 4 : 2);
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(both, rank_ % 2, &merged);
  EXPECT_EQ(rank_in(merged), rank_ % 2 * 2 + rank_ / 2);
  for (MPI_Comm* const comm : {&merged, &both, &half}) MPI_Comm_free(comm);
}

TEST_F(Communicators, WrongArgumentsAreErrors) {
  const ErrorsReturn errors_return;
  MPI_Comm made = MPI_COMM_NULL;
  EXPECT_EQ(class_of(MPI_Comm_dup(MPI_COMM_NULL, &made)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPI_Intercomm_merge(all, 0, &made)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPI_Intercomm_create(all, ranks_, all, 0, 0, &made)), MPI_ERR_RANK);
}

}  // namespace commgauge::virtual_time::communicators_test
