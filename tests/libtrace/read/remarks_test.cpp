#include "read/remarks.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace::remarks_test {

TEST(Remarks, AreCountedBySentence) {
  Remarks remarks;
  remarks.add("clocks differ");
  remarks.add("threads are left out", 3);
  remarks.add("clocks differ", 2);
  std::vector<Remark> all;
  remarks.append_to(all);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "clocks differ");
  EXPECT_EQ(all[0].count, 3U);
  EXPECT_EQ(all[1].count, 3U);
}

TEST(Remarks, OfATraceGiveWayToNewOnes) {
  Remarks remarks;
  remarks.add("clocks differ");
  std::vector<Remark> all{{"clocks differ", 9}, {"other", 1}};
  remarks.append_to(all);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "other");
  EXPECT_EQ(all[1].count, 1U);
}

}  // namespace commgauge::trace::remarks_test
