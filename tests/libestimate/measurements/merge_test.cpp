#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "measurements_message.hpp"
#include "samples.hpp"

namespace commgauge::merge_test {

using nlohmann::json;
using samples::message_of;
using ::testing::HasSubstr;

std::string message_of_merging(const Measurements& a, const Measurements& b) {
  try {
    const std::array parts{a, b};
    (void)merge(parts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// What a job on the first ranks of samples::measurements() might have measured.
Measurements smaller_job(std::size_t n) {
  Measurements m = samples::measurements();
  m.launches.front().ranks.resize(n);
  m.sweeps.clear();
  m.observations = {samples::observation(send_overhead(0, 1, Bytes{0}), 1e-6)};
  return m;
}

TEST(Merge, ShiftsLaunchIndices) {
  const std::array parts{samples::measurements(), samples::measurements()};
  const Measurements merged = merge(parts);
  EXPECT_EQ(merged.launches.size(), 2U);
  ASSERT_EQ(merged.observations.size(), 14U);
  EXPECT_EQ(merged.observations[6].launch, 0);
  EXPECT_EQ(merged.observations[7].launch, 1);
  EXPECT_EQ(merged.observations[7].experiment, merged.observations[0].experiment);
  ASSERT_EQ(merged.sweeps.size(), 2U);
  EXPECT_EQ(merged.sweeps[0].launch, 0);
  EXPECT_EQ(merged.sweeps[1].launch, 1);
  EXPECT_EQ(measurements_from_json(to_json(merged), "m.json").observations.size(), 14U);
}

TEST(Merge, RefusesWhatIsNotTheSameMachine) {
  const Measurements good = samples::measurements();
  Measurements other = good;
  std::swap(other.launches.front().ranks[0], other.launches.front().ranks[1]);
  EXPECT_THAT(message_of_merging(good, other), HasSubstr("different hosts"));
  other = good;
  other.launches.front().confidence = 0.99;
  EXPECT_THAT(message_of_merging(good, other), HasSubstr("different confidence"));
  EXPECT_THROW((void)merge({}), InputError);
}

TEST(Merge, PutsTheLargestJobFirst) {
  const std::array parts{smaller_job(2), samples::measurements(), smaller_job(3)};
  const Measurements merged = merge(parts);
  EXPECT_EQ(merged.ranks(), 4);
  ASSERT_EQ(merged.launches.size(), 3U);
  EXPECT_EQ(merged.launches[1].ranks.size(), 3U);
  EXPECT_EQ(merged.launches[2].ranks.size(), 2U);
  EXPECT_EQ(merged.observations.front().launch, 2);
  EXPECT_EQ(merged.observations.back().launch, 1);
  EXPECT_EQ(merged.sweeps.front().launch, 0);
  EXPECT_EQ(to_json(measurements_from_json(to_json(merged), "m.json")), to_json(merged));
  const Measurements largest = largest_launches(merged);
  EXPECT_EQ(largest.launches.size(), 1U);
  EXPECT_EQ(largest.observations.size(), samples::measurements().observations.size());
  EXPECT_EQ(largest.sweeps.size(), 1U);
}

TEST(Merge, ASmallerJobRunsOnTheFirstHosts) {
  Measurements other = smaller_job(2);
  other.launches.front().ranks[1].host = "h3";
  EXPECT_THAT(message_of_merging(samples::measurements(), other), HasSubstr("different hosts"));
  EXPECT_THAT(message_of_merging(other, samples::measurements()), HasSubstr("different hosts"));
}

TEST(Merge, ASmallerJobNamesItsOwnRanksOnly) {
  const std::array parts{samples::measurements(), smaller_job(2)};
  json document = json::parse(to_json(merge(parts)));
  document.at("/experiments/root/7"_json_pointer) = 2;
  EXPECT_EQ(message_of(document.dump()),
            "m.json: experiments.root[7]: names rank 2 (its launch has 2 ranks)");
  document = json::parse(to_json(merge(parts)));
  document.at("/experiments/peers/7"_json_pointer) = {3};
  EXPECT_EQ(message_of(document.dump()),
            "m.json: experiments.peers[7]: names rank 3 (its launch has 2 ranks)");
  document = json::parse(to_json(merge(parts)));
  document.at("/sweeps/0/launch"_json_pointer) = 1;
  document.at("/sweeps/0/root"_json_pointer) = 3;
  EXPECT_EQ(message_of(document.dump()),
            "m.json: sweeps[0].root: names rank 3 (its launch has 2 ranks)");
  document = json::parse(to_json(merge(parts)));
  std::swap(document.at("/launches/0"_json_pointer), document.at("/launches/1"_json_pointer));
  EXPECT_EQ(message_of(document.dump()), "m.json: launches[0].ranks: has 2 entries where 4 belong");
}

TEST(Merge, RefusesWhatWasMeasuredInAnotherWay) {
  const Measurements good = samples::measurements();
  Measurements other = good;
  other.launches.front().buffers = "same";
  EXPECT_THAT(message_of_merging(good, other), HasSubstr("buffers rotating and of"));
  other = good;
  other.launches.front().wait = "yield";
  EXPECT_THAT(message_of_merging(good, other), HasSubstr("of wait yield"));
}

TEST(Merge, IsCompleteIfEveryLaunchIs) {
  std::array parts{samples::measurements(), samples::measurements()};
  EXPECT_TRUE(merge(parts).complete());
  parts[1].launches.front().complete = false;
  EXPECT_FALSE(merge(parts).complete());
}

}  // namespace commgauge::merge_test
