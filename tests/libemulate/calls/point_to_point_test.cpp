#include <array>
#include <vector>

#include "virtual_time.hpp"

namespace commgauge::virtual_time::point_to_point_test {

constexpr MPI_Comm all = MPI_COMM_WORLD;

class Messages : public Aligned {
 protected:
  std::vector<char> data_{std::vector<char>(1000)};
};

TEST_F(Messages, OneTakesItsLinksTime) {
  if (rank_ == 0) {
    EXPECT_NEAR(time_of([&] { MPI_Send(data_.data(), 1000, MPI_CHAR, 1, 0, all); }), 0, eps);
  } else if (rank_ == 1) {
    const double time =
        time_of([&] { MPI_Recv(data_.data(), 1000, MPI_CHAR, 0, 0, all, MPI_STATUS_IGNORE); });
    EXPECT_NEAR(time, message(1000), eps);
  }
}

TEST_F(Messages, WhoReceivesLateDoesntWait) {
  if (rank_ == 0) {
    MPI_Send(data_.data(), 1000, MPI_CHAR, 1, 0, all);
  } else if (rank_ == 1) {
    pass(100 * us);
    const double time =
        time_of([&] { MPI_Recv(data_.data(), 1000, MPI_CHAR, 0, 0, all, MPI_STATUS_IGNORE); });
    EXPECT_NEAR(time, 0, eps);
  }
}

TEST_F(Messages, ASynchronousSendIsOverWhenItsReceiverHasAnswered) {
  if (rank_ == 0) {
    const double time = time_of([&] { MPI_Ssend(data_.data(), 1000, MPI_CHAR, 1, 0, all); });
    EXPECT_NEAR(time, 50 * us + message(0), eps);
  } else if (rank_ == 1) {
    pass(50 * us);
    const double time =
        time_of([&] { MPI_Recv(data_.data(), 1000, MPI_CHAR, 0, 0, all, MPI_STATUS_IGNORE); });
    EXPECT_NEAR(time, message(0) + message(1000), eps);
  }
}

TEST_F(Messages, ASmallOneDoesntOvertakeALargeOne) {
  if (rank_ == 0) {
    MPI_Send(data_.data(), 1000, MPI_CHAR, 1, 0, all);
    MPI_Send(data_.data(), 0, MPI_CHAR, 1, 1, all);
  } else if (rank_ == 1) {
    const double time =
        time_of([&] { MPI_Recv(nullptr, 0, MPI_CHAR, 0, 1, all, MPI_STATUS_IGNORE); });
    EXPECT_NEAR(time, message(1000), eps);
    MPI_Recv(data_.data(), 1000, MPI_CHAR, 0, 0, all, MPI_STATUS_IGNORE);
  }
}

TEST_F(Messages, FromAnySourceTheFirstToArriveComes) {
  if (rank_ == 0) {
    for (const int expected : {2, 3, 1}) {
      int got = -1;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, &status);
      EXPECT_EQ(status.MPI_SOURCE, expected);
      EXPECT_EQ(status.MPI_TAG, 10 + expected);
      EXPECT_EQ(got, expected);
    }
    return;
  }
  const std::array<double, 4> pauses{0, 300 * us, 100 * us, 200 * us};
  pass(pauses[static_cast<std::size_t>(rank_)]);
  MPI_Send(&rank_, 1, MPI_INT, 0, 10 + rank_, all);
}

TEST_F(Messages, AnExchangeTakesAsLongAsOneMessage) {
  int got = -1;
  const double time = time_of([&] {
    MPI_Sendrecv(&rank_, 1, MPI_INT, next(), 0, &got, 1, MPI_INT, before(), 0, all,
                 MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(got, before());
  EXPECT_NEAR(time, message(4), eps);
}

TEST_F(Messages, AnExchangeInOnePlaceSendsWhatWasThere) {
  int value = rank_;
  const double time = time_of([&] {
    MPI_Sendrecv_replace(&value, 1, MPI_INT, next(), 0, before(), 0, all, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(value, before());
  EXPECT_NEAR(time, message(4), eps);
}

TEST_F(Messages, OneToNobodyIsOverAtOnce) {
  MPI_Status status;
  const double time = time_of([&] {
    MPI_Send(data_.data(), 1000, MPI_CHAR, MPI_PROC_NULL, 0, all);
    MPI_Recv(data_.data(), 1000, MPI_CHAR, MPI_PROC_NULL, 0, all, &status);
  });
  int count = -1;
  MPI_Get_count(&status, MPI_CHAR, &count);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(count, 0);
  EXPECT_NEAR(time, 0, eps);
}

TEST_F(Messages, AProbeWaitsForOneAndLeavesIt) {
  if (rank_ == 0) {
    MPI_Send(data_.data(), 500, MPI_CHAR, 1, 7, all);
  } else if (rank_ == 1) {
    int flag = -1;
    MPI_Iprobe(0, 7, all, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Status status;
    const double start = MPI_Wtime();
    MPI_Probe(0, MPI_ANY_TAG, all, &status);
    EXPECT_NEAR(MPI_Wtime() - start, message(500), 2 * eps);
    int count = 0;
    MPI_Get_count(&status, MPI_CHAR, &count);
    EXPECT_EQ(count, 500);
    EXPECT_EQ(status.MPI_TAG, 7);
    MPI_Iprobe(0, 7, all, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 1);
    EXPECT_NEAR(
        time_of([&] { MPI_Recv(data_.data(), 500, MPI_CHAR, 0, 7, all, MPI_STATUS_IGNORE); }), 0,
        eps);
  }
}

TEST_F(Messages, WhatAProbeHasMatchedNoOtherReceiveGets) {
  if (rank_ == 0) {
    for (const int value : {1, 2}) MPI_Send(&value, 1, MPI_INT, 1, 0, all);
  } else if (rank_ == 1) {
    MPI_Message first = MPI_MESSAGE_NULL;
    MPI_Mprobe(0, 0, all, &first, MPI_STATUS_IGNORE);
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, 0, 0, all, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, 2);
    MPI_Mrecv(&value, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(first, MPI_MESSAGE_NULL);
  }
}

TEST_F(Messages, ABufferedOneNeedsRoom) {
  const ErrorsReturn errors_return;
  if (rank_ == 0) {
    EXPECT_EQ(class_of(MPI_Bsend(data_.data(), 1000, MPI_CHAR, 1, 0, all)), MPI_ERR_BUFFER);
    std::vector<char> room(1000 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
    data_[999] = 'z';
    EXPECT_EQ(MPI_Bsend(data_.data(), 1000, MPI_CHAR, 1, 0, all), MPI_SUCCESS);
    data_[999] = 'a';
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(static_cast<void*>(&detached), &size);
    EXPECT_EQ(detached, room.data());
    EXPECT_EQ(size, static_cast<int>(room.size()));
  } else if (rank_ == 1) {
    MPI_Recv(data_.data(), 1000, MPI_CHAR, 0, 0, all, MPI_STATUS_IGNORE);
    EXPECT_EQ(data_[999], 'z');
  }
}

TEST_F(Messages, OneThatIsTooLongIsCutAndTold) {
  const ErrorsReturn errors_return;
  if (rank_ == 0) {
    const std::array<int, 2> both{5, 6};
    MPI_Send(both.data(), 2, MPI_INT, 1, 0, all);
  } else if (rank_ == 1) {
    std::array<int, 2> got{-1, -1};
    EXPECT_EQ(class_of(MPI_Recv(got.data(), 1, MPI_INT, 0, 0, all, MPI_STATUS_IGNORE)),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(got[1], -1);
  }
}

TEST_F(Messages, APersistentOneTakesItsTimeAtEachStart) {
  int out = 0;
  int in = 0;
  std::array<MPI_Request, 2> requests{};
  MPI_Recv_init(&in, 1, MPI_INT, before(), 0, all, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, next(), 0, all, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    out = 10 * rank_ + round;
    const double time = time_of([&] {
      MPI_Startall(2, requests.data());
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    });
    EXPECT_EQ(in, 10 * before() + round);
    EXPECT_NEAR(time, message(4), eps);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

TEST_F(Messages, WrongArgumentsAreErrors) {
  const ErrorsReturn errors_return;
  int value = 0;
  EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, ranks_, 0, all)), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, next(), -5, all)), MPI_ERR_TAG);
  EXPECT_EQ(class_of(MPI_Send(&value, -1, MPI_INT, next(), 0, all)), MPI_ERR_COUNT);
  EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_DATATYPE_NULL, next(), 0, all)), MPI_ERR_TYPE);
}

}  // namespace commgauge::virtual_time::point_to_point_test
