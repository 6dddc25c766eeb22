#include "run/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "base/emulation_variables.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::emulate::sharing_test {

class Sharing : public testing::Test {
 protected:
  Sharing() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }
  /// @return what all are told; empty: nothing
  template <class Work>
  static std::string told(Work&& work) {
    try {
      work();
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
  int rank_{};
  int ranks_{};
};

TEST_F(Sharing, WithoutProblemsAllGoOn) {
  EXPECT_EQ(told([] { agree(""); }), "");
}

TEST_F(Sharing, OneRanksProblemIsTheOneOfAll) {
  EXPECT_EQ(told([&] { agree(rank_ == ranks_ - 1 ? "no file" : ""); }), "no file");
}

TEST_F(Sharing, OfSeveralProblemsTheLowestRanksIsTold) {
  EXPECT_EQ(told([&] { agree("problem of " + std::to_string(rank_)); }), "problem of 0");
}

TEST_F(Sharing, ALongProblemIsCut) {
  EXPECT_EQ(told([&] { agree(std::string(5000, 'x')); }), std::string(1023, 'x'));
}

TEST_F(Sharing, WithoutALauncherThereIsNoMachine) {
  unsetenv(variable::machine);
  EXPECT_THAT(told([&] { (void)share_memory(rank_, ranks_, ""); }),
              testing::HasSubstr("no machine was given"));
}

TEST_F(Sharing, ARanksEarlierProblemKeepsAllFromSharing) {
  EXPECT_EQ(told([&] { (void)share_memory(rank_, ranks_, rank_ == 0 ? "already" : ""); }),
            "already");
}

}  // namespace commgauge::emulate::sharing_test
