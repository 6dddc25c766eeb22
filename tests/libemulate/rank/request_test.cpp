#include "rank/request.hpp"

#include <gtest/gtest.h>

#include <array>

namespace commgauge::emulate::request_test {

TEST(Request, OneIsMadeWithRoomForItsPlace) {
  std::array<int, 5> data{};
  const auto comm = std::make_shared<Communicator>();
  const auto made = make_request(Request::Kind::receive, comm, {data.data(), 5, MPI_INT}, 3, 17, 4,
                                 Mode::standard);
  EXPECT_EQ(made->kind, Request::Kind::receive);
  EXPECT_EQ(made->comm, comm);
  EXPECT_EQ(made->capacity, 5 * sizeof(int));
  EXPECT_EQ(made->place.buffer, data.data());
  EXPECT_EQ(made->peer, 3);
  EXPECT_EQ(made->tag, 17);
  EXPECT_EQ(made->context, 4);
  EXPECT_FALSE(made->done);
  EXPECT_EQ(made->error(), MPI_SUCCESS);
}

TEST(Request, WhatDoesntFitIsAnError) {
  Request request;
  request.is_of_other_type = true;
  EXPECT_EQ(request.error(), MPI_ERR_TYPE);
  request.is_truncated = true;
  EXPECT_EQ(request.error(), MPI_ERR_TRUNCATE);
}

TEST(Request, AfterMpisEndItsTypeIsLeftAlone) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  {
    Request request;
    request.place.type = type;
    request.owns_type = true;
  }
  int size = 0;
  EXPECT_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
  EXPECT_EQ(size, static_cast<int>(2 * sizeof(int)));
  MPI_Type_free(&type);
}

}  // namespace commgauge::emulate::request_test
