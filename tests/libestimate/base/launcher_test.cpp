#include "commgauge/base/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace commgauge::launcher_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

/// An environment in which no launcher but the test's says anything.
class Launched : public ::testing::Test {
 protected:
  Launched() { forget(); }
  ~Launched() override { forget(); }

  static void say(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
  }

 private:
  static void forget() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                             "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}) {
      unsetenv(name);
    }
  }
};

TEST_F(Launched, NobodyIsThereWithoutALauncher) {
  EXPECT_FALSE(launcher());
  EXPECT_FALSE(why_alone("MPICH 4.0.2"));
}

TEST_F(Launched, EachLibrarysLauncherIsKnownByItsVariables) {
  say({{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}});
  ASSERT_TRUE(launcher());
  EXPECT_EQ(launcher()->name, "MPICH's mpiexec");
  EXPECT_EQ(launcher()->processes, 4);
  EXPECT_EQ(launcher()->rank, 3);
}

TEST_F(Launched, TheLaunchersVariablesTellItsLibrary) {
  EXPECT_EQ(mpi_of_launcher(), "");
  say({{"PMIX_RANK", "0"}});
  EXPECT_EQ(mpi_of_launcher(), "openmpi");
  say({{"PMI_SIZE", "4"}});
  EXPECT_EQ(mpi_of_launcher(), "mpich");
  say({{"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_EQ(mpi_of_launcher(), "openmpi");
}

TEST_F(Launched, AProcessThatAJobStartsByItselfIsMeantToBeAlone) {
  say({{"SLURM_STEP_NUM_TASKS", "4"},
       {"OMPI_COMM_WORLD_SIZE", "8"},
       {"OMPI_COMM_WORLD_RANK", "5"},
       {"PMI_SIZE", "1"}});
  EXPECT_EQ(launcher()->processes, 1);
  EXPECT_FALSE(why_alone("MPICH 4.0.2"));
}

TEST_F(Launched, AnMpiexecWithinAJobOfSlurmCounts) {
  say({{"SLURM_STEP_NUM_TASKS", "2"},
       {"SLURM_PROCID", "1"},
       {"OMPI_COMM_WORLD_SIZE", "8"},
       {"OMPI_COMM_WORLD_RANK", "5"}});
  ASSERT_TRUE(launcher());
  EXPECT_EQ(launcher()->name, "Open MPI's mpiexec");
  EXPECT_EQ(launcher()->rank, 5);
}

TEST_F(Launched, SrunMaySpeakAsMpichsLauncherDoes) {
  say({{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}, {"PMI_SIZE", "4"}, {"PMI_RANK", "2"}});
  ASSERT_TRUE(launcher());
  EXPECT_EQ(launcher()->name, "srun");
  EXPECT_EQ(launcher()->rank, 2);
}

TEST_F(Launched, ProcessesThatWereMeantTogetherAreToldWhyTheyAreAlone) {
  say({{"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_THAT(why_alone("MPICH 4.0.2"),
              Optional(AllOf(HasSubstr("each of the 4 processes"), HasSubstr("MPICH 4.0.2"),
                             HasSubstr("Open MPI's mpiexec"))));
}

TEST_F(Launched, SlurmIsAskedForPmi) {
  say({{"SLURM_STEP_NUM_TASKS", "16"}, {"SLURM_PROCID", "0"}});
  EXPECT_THAT(why_alone("MPICH 4.0.2"), Optional(HasSubstr("srun --mpi=pmi2")));
}

TEST_F(Launched, OneProcessIsMeantToBeAlone) {
  say({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}});
  EXPECT_FALSE(why_alone("MPICH 4.0.2"));
}

TEST_F(Launched, WhatIsNoNumberSaysNothing) {
  say({{"PMI_SIZE", "many"}, {"OMPI_COMM_WORLD_SIZE", ""}, {"SLURM_STEP_NUM_TASKS", "-3"}});
  EXPECT_FALSE(launcher());
}

}  // namespace commgauge::launcher_test
