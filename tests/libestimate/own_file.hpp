#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace commgauge {

/// A file of the test that is running: others run at the same time.
inline std::filesystem::path own_file() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string{"commgauge_"} + test.test_suite_name() + '_' + test.name();
  std::ranges::replace(name, '/', '_');
  return std::filesystem::path{::testing::TempDir()} / name;
}

}  // namespace commgauge
