#include "calls/region_name.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace commgauge::record::region_name_test {

TEST(RegionName, IsTheTextThatWasGiven) {
  EXPECT_EQ(region_name("solve"), "solve");
  EXPECT_EQ(region_name("a b (c)"), "a b (c)");
}

TEST(RegionName, IsNoneWhereThereIsNoMemory) {
  EXPECT_EQ(region_name(nullptr), "");
  EXPECT_EQ(region_name(reinterpret_cast<const char*>(8)), "");
}

TEST(RegionName, IsNoneOfWhatIsNoText) {
  EXPECT_EQ(region_name("\x01\x02"), "");
  EXPECT_EQ(region_name("solve\n"), "");
  EXPECT_EQ(region_name(""), "");
}

TEST(RegionName, OfALongNameIsTheBeginning) {
  EXPECT_EQ(region_name(std::string(1000, 'x').c_str()), std::string(255, 'x'));
}

/// Two pages, of which the second can't be read.
class RegionNameAtThePagesEnd : public testing::Test {
 protected:
  RegionNameAtThePagesEnd() {
    memory_ = static_cast<char*>(
        mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + page_, page_, PROT_NONE);
  }
  ~RegionNameAtThePagesEnd() override { munmap(memory_, 2 * page_); }

  std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* memory_{};
};

TEST_F(RegionNameAtThePagesEnd, AnEndIsFound) {
  char* const name = memory_ + page_ - 6;
  std::memcpy(name, "solve", 6);
  EXPECT_EQ(region_name(name), "solve");
}

TEST_F(RegionNameAtThePagesEnd, WithoutAnEndThereIsNone) {
  char* const name = memory_ + page_ - 5;
  std::memcpy(name, "solve", 5);
  EXPECT_EQ(region_name(name), "");
}

}  // namespace commgauge::record::region_name_test
