#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::generalised_requests_test {

/// What MPI has asked of the program.
struct Asked {
  int queries{};
  int frees{};
  std::vector<int> cancels;  ///< whether it was over then

  static int query(void* state, MPI_Status* status) {
    ++static_cast<Asked*>(state)->queries;
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
  }
  static int free(void* state) {
    ++static_cast<Asked*>(state)->frees;
    return MPI_SUCCESS;
  }
  static int cancel(void* state, int is_over) {
    static_cast<Asked*>(state)->cancels.push_back(is_over);
    return MPI_SUCCESS;
  }
};

class GeneralisedRequests : public Aligned {
 protected:
  GeneralisedRequests() {
    MPI_Grequest_start(Asked::query, Asked::free, Asked::cancel, &asked_, &request_);
  }
  Asked asked_;
  MPI_Request request_{MPI_REQUEST_NULL};
};

TEST_F(GeneralisedRequests, OneIsOpenUntilTheProgramEndsIt) {
  int flag = -1;
  MPI_Test(&request_, &flag, MPI_STATUS_IGNORE);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(asked_.queries, 0);
  MPI_Grequest_complete(request_);
  MPI_Status status;
  EXPECT_NEAR(time_of([&] { MPI_Wait(&request_, &status); }), 0, eps);
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT_EQ(status.MPI_SOURCE, 5);
  EXPECT_EQ(status.MPI_TAG, 6);
  EXPECT_EQ(count, 7);
  EXPECT_EQ(asked_.queries, 1);
  EXPECT_EQ(asked_.frees, 1);
  EXPECT_EQ(request_, MPI_REQUEST_NULL);
}

TEST_F(GeneralisedRequests, FreedBeforeItsEndItIsFreedAtItsEnd) {
  MPI_Request handle = request_;
  MPI_Request_free(&request_);
  EXPECT_EQ(request_, MPI_REQUEST_NULL);
  EXPECT_EQ(asked_.frees, 0);
  MPI_Grequest_complete(handle);
  EXPECT_EQ(asked_.frees, 1);
}

TEST_F(GeneralisedRequests, WhoTakesItBackIsToldWhetherItIsOver) {
  MPI_Cancel(&request_);
  MPI_Grequest_complete(request_);
  MPI_Cancel(&request_);
  EXPECT_EQ(asked_.cancels, (std::vector{0, 1}));
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

TEST_F(GeneralisedRequests, AWaitForAllEndsWithItToo) {
  MPI_Grequest_complete(request_);
  int got = -1;
  MPI_Request both[2]{request_, MPI_REQUEST_NULL};
  MPI_Irecv(&got, 1, MPI_INT, before(), 0, MPI_COMM_WORLD, &both[1]);
  const double time = time_of([&] {
    MPI_Send(&rank_, 1, MPI_INT, next(), 0, MPI_COMM_WORLD);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  });
  EXPECT_EQ(got, before());
  EXPECT_EQ(asked_.frees, 1);
  EXPECT_NEAR(time, message(4), eps);
}

TEST_F(GeneralisedRequests, NoOtherKindOfRequestCanBeEndedSo) {
  const ErrorsReturn errors_return;
  MPI_Grequest_complete(request_);
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
  EXPECT_EQ(class_of(MPI_Grequest_complete(MPI_REQUEST_NULL)), MPI_ERR_REQUEST);
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Irecv(nullptr, 0, MPI_INT, before(), 1, MPI_COMM_WORLD, &receive);
  EXPECT_EQ(class_of(MPI_Grequest_complete(receive)), MPI_ERR_REQUEST);
  MPI_Send(nullptr, 0, MPI_INT, next(), 1, MPI_COMM_WORLD);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

}  // namespace commgauge::virtual_time::generalised_requests_test
