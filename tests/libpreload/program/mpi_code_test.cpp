#include "program/mpi_code.hpp"

#include <gtest/gtest.h>

#include "program/mpi_library.hpp"

namespace commgauge::preload::mpi_code_test {

TEST(MpiCode, NothingIsMpisBeforeItIsLookedFor) {
  EXPECT_FALSE(MpiCode{}.has(function_of_mpi("PMPI_Send")));
}

TEST(MpiCode, TheLibrarysCodeIsMpisAndTheProgramsIsNot) {
  MpiCode code;
  code.find();
  EXPECT_TRUE(code.has(function_of_mpi("PMPI_Send")));
  EXPECT_FALSE(code.has(reinterpret_cast<const void*>(&function_of_mpi)));
  EXPECT_FALSE(code.is_of_openmp(function_of_mpi("PMPI_Send")));
}

}  // namespace commgauge::preload::mpi_code_test
