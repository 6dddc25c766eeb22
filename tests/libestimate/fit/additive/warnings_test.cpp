#include "fit/additive/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "by_hand.hpp"

namespace commgauge::warnings_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Bytes size{1000};

/// Between 0 and 1, of 100 us in one direction.
TimeTable table_of(double back_s) {
  return {by_hand::measurements(
              2, {{round_trip(0, 1, size, {}), 100e-6}, {round_trip(1, 0, size, {}), back_s}}),
          0.95};
}

/// Everything above zero.
Fitted<AdditiveParameters> good() {
  Fitted<AdditiveParameters> fitted;
  fitted.high = {{1, 1}, {1, 1}, Matrix(2, 1.0), Matrix(2, 1.0)};
  return fitted;
}

std::vector<std::string> kinds(Fitted<AdditiveParameters> fitted, double back_s = 100e-6) {
  warn_of_fit(fitted, "LMO", table_of(back_s), size);
  std::vector<std::string> found;
  for (const Diagnostic& one : fitted.warnings) found.push_back(one.kind);
  return found;
}

TEST(AdditiveWarnings, NothingOfAGoodFit) {
  Fitted<AdditiveParameters> fitted = good();
  fitted.residual = 0.049;
  EXPECT_THAT(kinds(fitted, 104e-6), IsEmpty());
}

TEST(AdditiveWarnings, OfAPoorFit) {
  Fitted<AdditiveParameters> fitted = good();
  fitted.residual = 0.07;
  EXPECT_THAT(kinds(fitted), ElementsAre("poor_fit"));
}

TEST(AdditiveWarnings, OfParametersThatAreSurelyNegative) {
  Fitted<AdditiveParameters> fitted = good();
  fitted.high.inverse_beta.set_both(0, 1, -1);
  fitted.high.L.set_both(0, 1, -1);
  fitted.high.t = {-1, -1};
  EXPECT_THAT(kinds(fitted), ElementsAre("negative_inverse_beta", "negative_L", "negative_t"));
  warn_of_fit(fitted, "LMO", table_of(100e-6), size);
  ASSERT_EQ(fitted.warnings.size(), 3U);
  EXPECT_EQ(fitted.warnings[0].count, 1) << "a link, not its two directions";
  EXPECT_EQ(fitted.warnings[2].count, 2);
}

/// 25 us of 125.
TEST(AdditiveWarnings, OfDirectionsThatDiffer) {
  Fitted<AdditiveParameters> fitted = good();
  EXPECT_THAT(kinds(fitted, 125e-6), ElementsAre("asymmetric_links"));
  warn_of_fit(fitted, "LMO", table_of(125e-6), size);
  ASSERT_EQ(fitted.warnings.size(), 1U);
  EXPECT_EQ(fitted.warnings[0].problem, "the two directions of a link differ by up to 20 %");
  EXPECT_EQ(fitted.warnings[0].reason, "ranks 0 and 1");
}

}  // namespace commgauge::warnings_test
