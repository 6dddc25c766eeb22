#include "commgauge/bench/ranks/mpi_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::bench::mpi_library_test {

using ::testing::MatchesRegex;

TEST(MpiLibrary, HasANameAndAVersion) {
  EXPECT_THAT(name_of_mpi(), MatchesRegex("(MPICH|Open MPI) v?[0-9]+\\.[0-9].*"));
}

TEST(MpiLibrary, DescribesItselfInOneLine) {
  const std::string line = mpi_library_line();
  EXPECT_EQ(line.find_first_of("\t\n,"), std::string::npos) << line;
  EXPECT_EQ(line.find("  "), std::string::npos) << line;
}

}  // namespace commgauge::bench::mpi_library_test
