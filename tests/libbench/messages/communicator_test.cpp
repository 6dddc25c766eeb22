#include "messages/communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commgauge/bench/base/error.hpp"

namespace commgauge::bench::communicator_test {

using ::testing::HasSubstr;

TEST(Communicator, HasTheSameRanksButItsOwnMessages) {
  const Communicator comm(MPI_COMM_WORLD);
  int comparison = MPI_UNEQUAL;
  MPI_Comm_compare(comm.get(), MPI_COMM_WORLD, &comparison);
  EXPECT_EQ(comparison, MPI_CONGRUENT);
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(comm.rank(), rank);
  EXPECT_EQ(comm.size(), size);
}

TEST(Communicator, ReturnsErrors) {
  const Communicator comm(MPI_COMM_WORLD);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm.get(), &handler);
  EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL) << "the caller's stay";
  MPI_Errhandler_free(&handler);
}

TEST(Check, ThrowsWithMpisOwnText) {
  EXPECT_NO_THROW(check(MPI_SUCCESS, "MPI_Send"));
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(MPI_ERR_RANK, text, &length);
  try {
    check(MPI_ERR_RANK, "MPI_Send");
    ADD_FAILURE() << "it took an error";
  } catch (const MpiError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MPI_Send failed (" + std::string(text) + ")"));
  }
}

}  // namespace commgauge::bench::communicator_test
