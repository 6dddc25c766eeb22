#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::statuses_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

class Statuses : public Aligned {
 protected:
  /// One that says something of everything.
  static MPI_Status full() {
    MPI_Status status;
    status.MPI_SOURCE = 77;
    status.MPI_TAG = 78;
    status.MPI_ERROR = 79;
    MPI_Status_set_cancelled(&status, 1);
    MPI_Status_set_elements(&status, MPI_INT, 5);
    return status;
  }
  static int count_of(const MPI_Status& status, MPI_Datatype type) {
    int count = -1;
    MPI_Get_count(&status, type, &count);
    return count;
  }
  static bool is_cancelled(const MPI_Status& status) {
    int is = -1;
    MPI_Test_cancelled(&status, &is);
    return is != 0;
  }
};

TEST_F(Statuses, ThatOfNoRequestIsEmpty) {
  MPI_Status status = full();
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Wait(&none, &status);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(count_of(status, MPI_BYTE), 0);
  EXPECT_FALSE(is_cancelled(status));
}

TEST_F(Statuses, ThatOfAReceiveCountsInItsType) {
  const std::vector<int> out(6);
  std::vector<int> in(10);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(in.data(), 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, &request);
  MPI_Send(out.data(), 6, MPI_INT, next(), 31, all);
  MPI_Status status = full();
  MPI_Wait(&request, &status);
  EXPECT_EQ(status.MPI_SOURCE, before());
  EXPECT_EQ(status.MPI_TAG, 31);
  EXPECT_EQ(count_of(status, MPI_INT), 6);
  EXPECT_EQ(count_of(status, MPI_DOUBLE), 3);
  EXPECT_FALSE(is_cancelled(status));
  EXPECT_EQ(status.MPI_ERROR, 79) << "only calls that end several requests set it";
}

TEST_F(Statuses, AMessageThatEndsWithinAnElementHasNoCountOfIt) {
  const std::vector<int> out(3);
  std::vector<int> in(3);
  MPI_Status status;
  MPI_Sendrecv(out.data(), 3, MPI_INT, next(), 0, in.data(), 3, MPI_INT, before(), 0, all, &status);
  EXPECT_EQ(count_of(status, MPI_DOUBLE), MPI_UNDEFINED);
}

TEST_F(Statuses, ThoseOfSeveralRequestsTellWhichFailed) {
  const ErrorsReturn errors_return;
  const std::vector<int> out(2);
  std::vector<int> in(2);
  MPI_Request requests[2];
  MPI_Irecv(in.data(), 1, MPI_INT, before(), 0, all, &requests[0]);
  MPI_Irecv(in.data(), 2, MPI_INT, before(), 1, all, &requests[1]);
  MPI_Send(out.data(), 2, MPI_INT, next(), 0, all);
  MPI_Send(out.data(), 2, MPI_INT, next(), 1, all);
  MPI_Status statuses[2]{full(), full()};
  EXPECT_EQ(class_of(MPI_Waitall(2, requests, statuses)), MPI_ERR_IN_STATUS);
  EXPECT_EQ(class_of(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
  EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
}

TEST_F(Statuses, RanksAreThoseOfTheCommunicator) {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(all, 0, -rank_, &reversed);
  int value = -1;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&rank_, 1, MPI_INT, ranks_ - 1 - next(), 0, reversed, &request);
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, reversed, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(value, before());
  EXPECT_EQ(status.MPI_SOURCE, ranks_ - 1 - before());
  MPI_Comm_free(&reversed);
}

}  // namespace commgauge::virtual_time::statuses_test
