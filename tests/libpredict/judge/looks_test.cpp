#include "judge/looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "commgauge/base/error.hpp"
#include "job_now.hpp"

namespace commgauge::looks_test {

using namespace job_now;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

TEST(Looks, RatiosAreOfEmptyMessagesAndOfWhatBytesAdd) {
  const Model model = machine(2, 1);
  const JobPairs job(model);
  const double empty = 2 * 31e-6;
  const double bytes = 65536e-9;
  const auto looks = looks_of(job, {{0, 1, Bytes{0}, 1.5 * empty},
                                    {1, 0, Bytes{0}, 1.5 * empty},
                                    {0, 1, large, 1.5 * empty + 2 * bytes}});
  ASSERT_THAT(looks, SizeIs(1));
  EXPECT_FALSE(looks.front().of.is_within);
  EXPECT_NEAR(looks.front().parts[empty_message].log_ratio, std::log(1.5), 1e-9);
  EXPECT_NEAR(looks.front().parts[each_byte].log_ratio, std::log(2), 1e-9);
  EXPECT_NEAR(looks.front().predicted_byte_s, 1e-9, 1e-15);
  EXPECT_GT(looks.front().parts[empty_message].sd, 0.02);
}

TEST(Looks, WithoutLargeMessagesNothingTellsWhatBytesAdd) {
  const Model model = machine(2, 1);
  const JobPairs job(model);
  const auto looks = looks_of(job, {{0, 1, Bytes{0}, 1e-6}});
  EXPECT_TRUE(std::isnan(looks.front().parts[each_byte].log_ratio));
}

TEST(Looks, TripsOfNobodyAreRefused) {
  const Model model = machine(2, 1);
  EXPECT_THAT(
      [&] {
        (void)looks_of(JobPairs(model), {{0, 2, Bytes{0}, 1e-6}});
      },
      ThrowsMessage<InputError>(HasSubstr("ranks 0 and 2")));
  EXPECT_THAT(
      [&] {
        (void)looks_of(JobPairs(model), {{0, 1, Bytes{0}, 0}});
      },
      ThrowsMessage<InputError>(HasSubstr("take time")));
}

}  // namespace commgauge::looks_test
