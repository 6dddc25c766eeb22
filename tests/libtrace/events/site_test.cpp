#include <gtest/gtest.h>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace::site_test {

TEST(Site, IsToldWithoutItsFolder) {
  EXPECT_EQ(to_text({"solve", "/src/solve.c", 120}), "solve (solve.c:120)");
  EXPECT_EQ(to_text({"solve", "/bin/solver+0x11a9", 0}), "solve (solver+0x11a9)");
  EXPECT_EQ(to_text({"", "/bin/solver+0x11a9", 0}), "solver+0x11a9");
  EXPECT_EQ(to_text({"solve", "", 0}), "solve");
  EXPECT_EQ(to_text(Site{}), "");
}

TEST(Site, OfATraceIsKnownOnlyIfItSaysSo) {
  EXPECT_EQ(Trace{}.sites.at(no_site), Site{});
  EXPECT_EQ(event::Enter{}.site, no_site);
}

}  // namespace commgauge::trace::site_test
