#include "base/say.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace commgauge::emulate::say_test {

std::string said(const std::string& text) {
  const std::ostringstream error;
  std::streambuf* const before = std::cerr.rdbuf(error.rdbuf());
  say(text);
  std::cerr.rdbuf(before);
  return error.str();
}

TEST(Say, ALineNamesTheProgram) {
  EXPECT_EQ(said("no machine was given"), "emulate: no machine was given\n");
}

TEST(Say, OneLineStaysOne) {
  const std::string line = said("two\nlines");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

}  // namespace commgauge::emulate::say_test
