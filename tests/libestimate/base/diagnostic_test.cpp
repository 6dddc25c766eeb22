#include "commgauge/base/diagnostic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace commgauge::diagnostic_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Diagnostic, SaysThePartsThatAreThere) {
  const Diagnostic all{.kind = "asymmetric_links",
                       .problem = "the directions differ by 7 %",
                       .reason = "ranks 0 and 1",
                       .advice = "they are taken for equal"};
  EXPECT_EQ(all.text(), "the directions differ by 7 % (ranks 0 and 1): they are taken for equal");
  EXPECT_EQ(all.count, 1);
  Diagnostic without_reason = all;
  without_reason.reason.clear();
  EXPECT_EQ(without_reason.text(), "the directions differ by 7 %: they are taken for equal");
  Diagnostic without_advice = all;
  without_advice.advice.clear();
  EXPECT_EQ(without_advice.text(), "the directions differ by 7 % (ranks 0 and 1)");
  EXPECT_EQ((Diagnostic{.kind = "odd", .problem = "2 times are odd"}.text()), "2 times are odd");
}

TEST(Diagnostic, TheSameOnlyIfAllOfItIs) {
  const Diagnostic one{.kind = "odd", .count = 2, .problem = "odd times"};
  Diagnostic other = one;
  EXPECT_TRUE(one == other);
  other.count = 3;
  EXPECT_EQ(one.text(), other.text());
  EXPECT_FALSE(one == other);
}

TEST(Diagnostic, TextsOfSeveral) {
  const std::array several{Diagnostic{.kind = "odd", .problem = "odd"},
                           Diagnostic{.kind = "steep", .problem = "steep", .reason = "7 %"}};
  EXPECT_THAT(texts_of(several), ElementsAre("odd", "steep (7 %)"));
  EXPECT_THAT(texts_of({}), IsEmpty());
}

}  // namespace commgauge::diagnostic_test
