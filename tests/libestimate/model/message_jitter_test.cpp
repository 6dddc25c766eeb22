#include "commgauge/model/parameters/message_jitter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::message_jitter_test {

TEST(MessageJitter, SaysWhatBytesAdd) {
  EXPECT_EQ(to_text(MessageJitter{18e-6}), "18.0 µs");
  EXPECT_THAT(to_text(MessageJitter{18e-6, 1e-9}), testing::StartsWith("18.0 µs and 1.0"));
}

}  // namespace commgauge::message_jitter_test
