#include <array>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::completion_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

/// Rank 0 receives from each other one, which sends 100 us after the one with a higher number:
/// the last rank's message is there after 10.04 us, rank 1's after 210.04 us.
class Completion : public Aligned {
 protected:
  Completion() {
    if (rank_ == 0) {
      for (int from = 1; from < ranks_; ++from) {
        const auto i = static_cast<std::size_t>(from - 1);
        MPI_Irecv(&values_[i], 1, MPI_INT, from, 0, all, &requests_[i]);
      }
      return;
    }
    pass((ranks_ - 1 - rank_) * 100 * us);
    MPI_Send(&rank_, 1, MPI_INT, 0, 0, all);
  }
  ~Completion() override {
    if (rank_ == 0) MPI_Waitall(3, requests_.data(), MPI_STATUSES_IGNORE);
  }

  std::array<MPI_Request, 3> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<int, 3> values_{-1, -1, -1};
};

TEST_F(Completion, WaitingForOneEndsWithIt) {
  if (rank_ != 0) return;
  MPI_Status status;
  const double time = time_of([&] { MPI_Wait(&requests_[1], &status); });
  EXPECT_NEAR(time, 100 * us + message(4), eps);
  EXPECT_EQ(requests_[1], MPI_REQUEST_NULL);
  EXPECT_EQ(status.MPI_SOURCE, 2);
  EXPECT_EQ(values_[1], 2);
}

TEST_F(Completion, WaitingForAllEndsWithTheLast) {
  if (rank_ != 0) return;
  std::array<MPI_Status, 3> statuses{};
  const double time = time_of([&] { MPI_Waitall(3, requests_.data(), statuses.data()); });
  EXPECT_NEAR(time, 200 * us + message(4), eps);
  EXPECT_EQ(values_, (std::array{1, 2, 3}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(statuses[static_cast<std::size_t>(i)].MPI_SOURCE, i + 1);
}

TEST_F(Completion, WaitingForAnyEndsWithTheFirst) {
  if (rank_ != 0) return;
  for (const int expected : {2, 1, 0}) {
    int index = -1;
    const double start = MPI_Wtime();
    MPI_Waitany(3, requests_.data(), &index, MPI_STATUS_IGNORE);
    EXPECT_EQ(index, expected);
    EXPECT_NEAR(MPI_Wtime() - start, expected == 2 ? message(4) : 100 * us, eps);
  }
  int index = -1;
  MPI_Waitany(3, requests_.data(), &index, MPI_STATUS_IGNORE);
  EXPECT_EQ(index, MPI_UNDEFINED);
}

TEST_F(Completion, WaitingForSomeTakesAllThatAreOver) {
  if (rank_ != 0) return;
  pass(150 * us);
  int count = 0;
  std::array<int, 3> indices{};
  EXPECT_NEAR(time_of([&] {
                MPI_Waitsome(3, requests_.data(), &count, indices.data(), MPI_STATUSES_IGNORE);
              }),
              0, eps);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(indices[0] + indices[1], 3);
  EXPECT_NE(requests_[0], MPI_REQUEST_NULL);
}

TEST_F(Completion, ATestDoesntWait) {
  if (rank_ != 0) return;
  int flag = -1;
  MPI_Test(&requests_[0], &flag, MPI_STATUS_IGNORE);
  EXPECT_EQ(flag, 0);
  EXPECT_NE(requests_[0], MPI_REQUEST_NULL);
  pass(250 * us);
  MPI_Test(&requests_[0], &flag, MPI_STATUS_IGNORE);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(requests_[0], MPI_REQUEST_NULL);
}

TEST_F(Completion, ATestOfAllTakesNoneUntilAllAreOver) {
  if (rank_ != 0) return;
  pass(150 * us);
  int flag = -1;
  MPI_Testall(3, requests_.data(), &flag, MPI_STATUSES_IGNORE);
  EXPECT_EQ(flag, 0);
  for (const MPI_Request request : requests_) EXPECT_NE(request, MPI_REQUEST_NULL);
  pass(100 * us);
  MPI_Testall(3, requests_.data(), &flag, MPI_STATUSES_IGNORE);
  EXPECT_EQ(flag, 1);
  for (const MPI_Request request : requests_) EXPECT_EQ(request, MPI_REQUEST_NULL);
}

TEST_F(Completion, ALoopOfTestsComesToTheMessagesTime) {
  if (rank_ != 0) return;
  const double start = MPI_Wtime();
  int index = -1;
  for (int flag = 0; flag == 0;) {
    MPI_Testany(3, requests_.data(), &index, &flag, MPI_STATUS_IGNORE);
  }
  EXPECT_EQ(index, 2);
  EXPECT_NEAR(MPI_Wtime() - start, message(4), 1 * us);
}

TEST_F(Completion, AskingForTheStatusLeavesTheRequest) {
  if (rank_ != 0) return;
  pass(250 * us);
  MPI_Status status;
  for (int asked = 0; asked < 2; ++asked) {
    int flag = 0;
    MPI_Request_get_status(requests_[2], &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(status.MPI_SOURCE, 3);
  }
  EXPECT_NE(requests_[2], MPI_REQUEST_NULL);
}

TEST_F(Completion, AReceiveThatNobodySendsToCanBeTakenBack) {
  if (rank_ != 0) return;
  int value = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, 1, 99, all, &request);
  MPI_Cancel(&request);
  MPI_Status status;
  MPI_Wait(&request, &status);
  int flag = 0;
  MPI_Test_cancelled(&status, &flag);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(value, -1);
}

TEST_F(Completion, AReceiveThatIsOverCantBeTakenBack) {
  if (rank_ != 0) return;
  pass(50 * us);
  MPI_Cancel(&requests_[2]);
  MPI_Status status;
  MPI_Wait(&requests_[2], &status);
  int flag = -1;
  MPI_Test_cancelled(&status, &flag);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(values_[2], 3);
}

}  // namespace commgauge::virtual_time::completion_test
