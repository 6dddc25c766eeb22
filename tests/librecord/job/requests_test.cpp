#include "job/requests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "in_job.hpp"
#include "job/own_thread.hpp"

namespace commgauge::record::requests_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Request of_kind(Request::Kind kind) {
  Request request;
  request.kind = kind;
  return request;
}

class Requests : public InJob {
 protected:
  ~Requests() override { threads::own_thread() = {}; }

  [[nodiscard]] Request receive() {
    Request request = of_kind(Request::Kind::operation);
    request.is_receive = true;
    request.comm = known(MPI_COMM_WORLD);
    return request;
  }
  /// Of a message of so many bytes.
  [[nodiscard]] static MPI_Status status(int source, int tag, int bytes) {
    MPI_Status made{};
    made.MPI_SOURCE = source;
    made.MPI_TAG = tag;
    MPI_Status_set_elements(&made, MPI_BYTE, bytes);
    return made;
  }
  /// What is written.
  [[nodiscard]] const std::vector<trace::Over>& waited_for() const { return kept.lists.at(0); }
};

TEST_F(Requests, ANumberIsUsedAgainByItsThread) {
  const std::uint32_t first = add({});
  const std::uint32_t second = add({});
  EXPECT_NE(first, second);
  remove(first);
  EXPECT_EQ(add({}), first);
}

TEST_F(Requests, ANumberThatAnotherThreadHasEndedIsNotUsedAgain) {
  const std::uint32_t number = add({});
  threads::own_thread() = {&session, nullptr, 1};
  remove(number);
  EXPECT_NE(add({}), number);
  threads::own_thread() = {&session, nullptr, 0};
  EXPECT_NE(add({}), number);
}

TEST_F(Requests, AThreadThatEndsLeavesItsNumbersToNobody) {
  threads::own_thread() = {&session, nullptr, 1};
  const std::uint32_t number = add({});
  remove(number);
  forget_unused(1);
  EXPECT_NE(add({}), number);
}

TEST_F(Requests, AHandleStandsForANumberAndItsRealRequest) {
  Request request;
  request.real = MPI_REQUEST_NULL;
  const std::uint32_t number = add(std::move(request));
  MPI_Request handle = to_handle(number);
  EXPECT_NE(handle, MPI_REQUEST_NULL);
  EXPECT_EQ(to_handle(number), handle);
  EXPECT_EQ(number_of(handle), number);
  EXPECT_EQ(real_of(&handle), &request_at(number).real);
}

TEST_F(Requests, AnothersHandleIsItsOwnRealRequest) {
  MPI_Request handle = MPI_REQUEST_NULL;
  EXPECT_EQ(number_of(handle), std::nullopt);
  EXPECT_EQ(real_of(&handle), &handle);
}

TEST_F(Requests, TheRealOnesOfACallAreGivenBackAsMpiChangedThem) {
  MPI_Request real = MPI_REQUEST_NULL;
  char nothing = 0;
  MPI_Irecv(&nothing, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &real);
  const std::uint32_t number = add({});
  request_at(number).real = real;
  std::array<MPI_Request, 2> handles{to_handle(number), MPI_REQUEST_NULL};
  const MPI_Request handle = handles[0];
  {
    RealRequests reals(2, handles.data());
    EXPECT_EQ(reals.data()[0], real);
    EXPECT_EQ(reals.data()[1], MPI_REQUEST_NULL);
    MPI_Waitall(2, reals.data(), MPI_STATUSES_IGNORE);
  }
  EXPECT_EQ(handles[0], handle);
  EXPECT_EQ(request_at(number).real, MPI_REQUEST_NULL);
}

TEST_F(Requests, CollectivesAreUnderWayUntilTheyAreOver) {
  static_cast<void>(add(of_kind(Request::Kind::operation)));
  EXPECT_FALSE(has_collectives());
  Request prepared = of_kind(Request::Kind::partitioned);
  prepared.is_active = false;
  const std::uint32_t partitions = add(std::move(prepared));
  EXPECT_FALSE(has_collectives());
  request_at(partitions).is_active = true;
  EXPECT_TRUE(has_collectives());
  request_at(partitions).is_over = true;
  EXPECT_FALSE(has_collectives());
  static_cast<void>(add(of_kind(Request::Kind::collective)));
  EXPECT_TRUE(has_collectives());
}

TEST_F(Requests, AReceiveIsOverWithWhatItGot) {
  const std::uint32_t number = add(receive());
  MPI_Request handle = to_handle(number);
  Completion completion;
  completion.add(handle, status(session.size - 1, 7, 12));
  completion.write_wait(recorder());
  EXPECT_EQ(handle, MPI_REQUEST_NULL);
  ASSERT_THAT(kept.kinds(), ElementsAre(kind<event::Wait>));
  ASSERT_THAT(waited_for(), SizeIs(1));
  EXPECT_EQ(waited_for()[0].request, number);
  EXPECT_EQ(waited_for()[0].found, (trace::Found{session.size - 1, 7, 12}));
  EXPECT_EQ(add({}), number) << "it is free again";
}

/// As of MPI_Isendrecv, whose status is another message's in MPICH 4.0.
TEST_F(Requests, AStatusOfAnotherMessageIsNotBelieved) {
  Request request = receive();
  request.has_another_status = true;
  MPI_Request handle = to_handle(add(std::move(request)));
  Completion completion;
  completion.add(handle, status(0, 7, 12));
  completion.write_wait(recorder());
  EXPECT_EQ(waited_for().at(0).found, trace::Found{});
}

TEST_F(Requests, APersistentOneKeepsItsHandleAndIsOverOnce) {
  Request request = of_kind(Request::Kind::operation);
  request.is_persistent = true;
  const std::uint32_t number = add(std::move(request));
  MPI_Request handle = to_handle(number);
  Completion completion;
  completion.add(handle, {});
  completion.add(handle, {});  // it isn't active any more
  completion.write_wait(recorder());
  EXPECT_EQ(number_of(handle), number);
  EXPECT_FALSE(request_at(number).is_active);
  EXPECT_THAT(waited_for(), SizeIs(1));
}

TEST_F(Requests, WhatBelongsToOneIsOverWithIt) {
  const std::uint32_t sent = add(of_kind(Request::Kind::operation));
  Request request = receive();
  request.with = sent;
  const std::uint32_t received = add(std::move(request));
  MPI_Request handle = to_handle(received);
  Completion completion;
  completion.add(handle, status(0, 1, 4));
  completion.write_wait(recorder());
  ASSERT_THAT(waited_for(), SizeIs(2));
  EXPECT_EQ(waited_for()[0].request, received);
  EXPECT_EQ(waited_for()[1].request, sent);
}

TEST_F(Requests, AReceiveThatIsCancelledIsNoWait) {
  Request request = receive();
  request.is_cancelled = true;
  const std::uint32_t number = add(std::move(request));
  MPI_Request handle = to_handle(number);
  MPI_Status told = status(0, 1, 0);
  MPI_Status_set_cancelled(&told, 1);
  Completion completion;
  completion.add(handle, told);
  completion.write_wait(recorder());
  ASSERT_THAT(kept.kinds(), ElementsAre(kind<event::Cancel>));
  EXPECT_EQ(std::get<event::Cancel>(kept.events[0].what).request, number);
}

TEST_F(Requests, WhatALookFoundOverIsNotWaitedForAgain) {
  const std::uint32_t number = add(receive());
  MPI_Request handle = to_handle(number);
  {
    Completion completion;
    completion.look_at(handle, status(0, 1, 4));
    completion.write_poll(recorder(), 3);
  }
  ASSERT_THAT(kept.kinds(), ElementsAre(kind<event::Poll>));
  EXPECT_EQ(std::get<event::Poll>(kept.events[0].what).attempts, 3U);
  EXPECT_NE(handle, MPI_REQUEST_NULL);
  Completion completion;
  completion.add(handle, status(0, 1, 4));
  completion.write_wait(recorder());
  EXPECT_THAT(kept.kinds(), ElementsAre(kind<event::Poll>));
  EXPECT_EQ(handle, MPI_REQUEST_NULL);
}

TEST_F(Requests, ALookAtWhatIsNotStartedSaysNothingOfItsStart) {
  Request request = receive();
  request.is_persistent = true;
  request.is_active = false;
  const std::uint32_t number = add(std::move(request));
  MPI_Request handle = to_handle(number);
  {
    Completion completion;
    completion.look_at(handle, {});
    completion.write_poll(recorder(), 0);
  }
  EXPECT_THAT(kept.events, IsEmpty());
  request_at(number).is_active = true;
  Completion completion;
  completion.add(handle, status(0, 1, 4));
  completion.write_wait(recorder());
  EXPECT_THAT(kept.kinds(), ElementsAre(kind<event::Wait>));
}

TEST_F(Requests, OfNothingThereIsNoEvent) {
  MPI_Request handle = to_handle(add({}));
  Completion completion;
  completion.add(handle, {});
  completion.write_wait(recorder());
  EXPECT_THAT(kept.events, IsEmpty());
}

/// Collective operations go on at any look.
TEST_F(Requests, ATestOfNothingIsALookWhileCollectivesAreUnderWay) {
  static_cast<void>(add(of_kind(Request::Kind::collective)));
  MPI_Request handle = to_handle(add({}));
  Completion completion;
  completion.add(handle, {});
  completion.write_poll(recorder(), 0);
  EXPECT_THAT(kept.kinds(), ElementsAre(kind<event::Poll>));
  EXPECT_THAT(waited_for(), IsEmpty());
}

TEST_F(Requests, AnAccessThatIsOverIsNoLongerOpen) {
  const std::uint32_t number = add(of_kind(Request::Kind::operation));
  OpenAccesses open{{number, 0, true}, {number + 100, 0, true}};
  request_at(number).open = &open;
  MPI_Request handle = to_handle(number);
  Completion completion;
  completion.add(handle, {});
  ASSERT_THAT(open, SizeIs(1));
  EXPECT_EQ(open[0].request, number + 100);
}

}  // namespace commgauge::record::requests_test
