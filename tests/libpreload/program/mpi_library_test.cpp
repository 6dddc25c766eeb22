#include "program/mpi_library.hpp"

#include <gtest/gtest.h>

#include "program/program_file.hpp"

namespace commgauge::preload::mpi_library_test {

TEST(MpiLibrary, AProgramRunsWithTheOneThatItWasBuiltFor) {
  EXPECT_NE(known_mpi(), "");
  EXPECT_EQ(known_mpi(), mpi_library_of("/proc/self/exe"));
}

TEST(MpiLibrary, ItsFunctionsAreFoundPastOthersOfTheirNames) {
  EXPECT_EQ(function_of_mpi("PMPI_Get_version"), reinterpret_cast<void*>(&PMPI_Get_version));
  EXPECT_EQ(function_behind("PMPI_Send", false), function_of_mpi("PMPI_Send"));
}

TEST(MpiLibrary, WhatItHasNotIsNotFound) {
  EXPECT_EQ(function_of_mpi("PMPI_No_such_function"), nullptr);
}

}  // namespace commgauge::preload::mpi_library_test
