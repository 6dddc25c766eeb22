#include "virtual_time.hpp"

namespace commgauge::virtual_time::communicators_test {

class KnownCommunicators : public Aligned {};

TEST_F(KnownCommunicators, NoneIsAnError) {
  const ErrorsReturn errors_return;
  EXPECT_EQ(class_of(MPI_Barrier(MPI_COMM_NULL)), MPI_ERR_COMM);
}

TEST_F(KnownCommunicators, OneThatIsFreedIsAnError) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const MPI_Comm freed = copy;
  MPI_Comm_free(&copy);
  const ErrorsReturn errors_return;
  EXPECT_EQ(class_of(MPI_Barrier(freed)), MPI_ERR_COMM);
}

TEST_F(KnownCommunicators, OneMadeByAHandleOfBeforeIsANewOne) {
  for (int made = 0; made < 3; ++made) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, made == 1 ? rank_ : 0, made == 2 ? -rank_ : 0, &comm);
    int sum = 0;
    MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT_EQ(sum, made == 1 ? rank_ : 6);
    int first = rank_;
    MPI_Bcast(&first, 1, MPI_INT, 0, comm);
    EXPECT_EQ(first, made == 0 ? 0 : made == 1 ? rank_ : ranks_ - 1);
    MPI_Comm_free(&comm);
  }
}

TEST_F(KnownCommunicators, ASidesRanksAreTheOtherOnes) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ / 2, 0, &half);
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank_ < 2 ? 2 : 0, 0, &both);
  int got = -1;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&rank_, 1, MPI_INT, 1 - rank_ % 2, 0, both, &request);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, both, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, 3 - rank_);
  EXPECT_EQ(status.MPI_SOURCE, 1 - rank_ % 2);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

}  // namespace commgauge::virtual_time::communicators_test
