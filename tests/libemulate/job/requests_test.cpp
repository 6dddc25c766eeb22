#include <array>
#include <set>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::requests_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

class Requests : public Aligned {
 protected:
  MPI_Request receive(int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_INT, before(), tag, all, &request);
    return request;
  }
  void send(int tag) { MPI_Send(nullptr, 0, MPI_INT, next(), tag, all); }
};

TEST_F(Requests, HandlesOfOpenOnesDiffer) {
  std::array<MPI_Request, 20> requests{};
  for (int i = 0; i < 20; ++i) requests[static_cast<std::size_t>(i)] = receive(i);
  EXPECT_EQ(std::set<MPI_Request>(requests.begin(), requests.end()).size(), 20U);
  EXPECT_EQ(std::ranges::count(requests, MPI_REQUEST_NULL), 0);
  for (int i = 0; i < 20; ++i) send(i);
  MPI_Waitall(20, requests.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(std::ranges::count(requests, MPI_REQUEST_NULL), 20);
}

TEST_F(Requests, AHandleStandsForItsOwnUntilItIsOver) {
  MPI_Request first = receive(1);
  MPI_Request second = receive(2);
  send(2);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  MPI_Request third = receive(3);
  int flag = -1;
  MPI_Test(&first, &flag, MPI_STATUS_IGNORE);
  EXPECT_EQ(flag, 0);
  send(3);
  MPI_Wait(&third, MPI_STATUS_IGNORE);
  send(1);
  MPI_Status status;
  MPI_Wait(&first, &status);
  EXPECT_EQ(status.MPI_TAG, 1);
}

TEST_F(Requests, APersistentOneThatHasntStartedIsOver) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(nullptr, 0, MPI_INT, before(), 0, all, &request);
  int flag = 0;
  MPI_Status status;
  MPI_Test(&request, &flag, &status);
  EXPECT_EQ(flag, 1);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_NE(request, MPI_REQUEST_NULL);
  MPI_Request_free(&request);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
}

TEST_F(Requests, OneThatIsFreedGoesOn) {
  int value = 50 + rank_;
  int got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Issend(&value, 1, MPI_INT, next(), 0, all, &request);
  MPI_Request_free(&request);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  MPI_Recv(&got, 1, MPI_INT, before(), 0, all, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, 50 + before());
  // Its data may change when it is over.
  MPI_Barrier(all);
}

TEST_F(Requests, NoneIsAnErrorToFree) {
  const ErrorsReturn errors_return;
  MPI_Request none = MPI_REQUEST_NULL;
  EXPECT_EQ(class_of(MPI_Request_free(&none)), MPI_ERR_REQUEST);
}

}  // namespace commgauge::virtual_time::requests_test
