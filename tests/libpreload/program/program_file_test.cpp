#include "program/program_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <stdlib.h>

#include <fstream>

namespace commgauge::preload::program_file_test {

using testing::HasSubstr;

constexpr Purpose emulated{"emulated", "the emulation"};
constexpr const char* self = "/proc/self/exe";

std::string script() {
  const std::string name = testing::TempDir() + "program_file_test.sh";
  std::ofstream(name) << "#!/bin/sh\n";
  return name;
}

TEST(FindProgram, ItIsLookedForWhereThePathSays) {
  EXPECT_EQ(find_program("sh").filename(), "sh");
  EXPECT_TRUE(find_program("sh").is_absolute());
}

TEST(FindProgram, APathStaysAsItIs) {
  EXPECT_EQ(find_program("./build/program"), "./build/program");
}

TEST(FindProgram, WhatIsNowhereKeepsItsName) {
  EXPECT_EQ(find_program("no-such-program"), "no-such-program");
}

TEST(MpiLibraryOf, AProgramAsksForOne) {
  ASSERT_NE(reinterpret_cast<void*>(&PMPI_Get_version),
            nullptr);  // that this one is linked with it
  EXPECT_THAT(mpi_library_of(self), testing::StartsWith("libmpi"));
}

TEST(MpiLibraryOf, AScriptAndAProgramWithoutMpiAskForNone) {
  EXPECT_EQ(mpi_library_of(script()), "");
  EXPECT_EQ(mpi_library_of("sh"), "");
}

TEST(WhyNot, TheLibraryThatItIsLinkedWithIsRight) {
  EXPECT_EQ(why_not(emulated, self, {mpi_library_of(self)}), "");
}

TEST(WhyNot, AnotherLibraryIsSaidWithTheRightOnes) {
  const std::string why = why_not(emulated, self, {"libmpi.so.1", "libmpi.so.2"});
  EXPECT_THAT(why, HasSubstr("can't be emulated (it is linked with " + mpi_library_of(self)));
  EXPECT_THAT(why, HasSubstr("the emulation was built for libmpi.so.1 or libmpi.so.2"));
}

TEST(WhyNot, NobodyKnowsOfAScript) { EXPECT_EQ(why_not(emulated, script(), {}), ""); }

}  // namespace commgauge::preload::program_file_test
