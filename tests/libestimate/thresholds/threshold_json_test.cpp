#include "thresholds/threshold_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

#include "refusal.hpp"
#include "samples.hpp"

namespace commgauge::threshold_json_test {

using detail::OrderedJson;
using ::testing::HasSubstr;

OrderedJson written() {
  OrderedJson json{{"confidence", 0.95}};
  detail::add_thresholds(json, samples::machine_thresholds());
  return json;
}

MachineThresholds read(const OrderedJson& json) {
  const detail::Json plain = detail::Json::parse(json.dump());
  return detail::read_thresholds(detail::Reader{plain, "a file", ""});
}

TEST(ThresholdJson, IsReadBack) {
  const MachineThresholds truth = samples::machine_thresholds();
  const MachineThresholds found = read(written());
  EXPECT_EQ(found.eager_limit.high, truth.eager_limit.high);
  EXPECT_EQ(found.gather_m1.size, std::nullopt);
  EXPECT_EQ(found.gather_m1.reason, truth.gather_m1.reason);
  ASSERT_TRUE(found.scatter_sweep && found.gather_sweep);
  EXPECT_EQ(found.scatter_sweep->launches, truth.scatter_sweep->launches);
  EXPECT_EQ(found.gather_sweep->root, std::nullopt);
}

TEST(ThresholdJson, HasAReasonOnlyWhereThereIsOne) {
  const OrderedJson json = written();
  EXPECT_FALSE(json["eager_limit_bytes"].contains("reason"));
  EXPECT_EQ(json["gather_m1_bytes"]["reason"], "gather was not swept");
  EXPECT_TRUE(json["gather_m1_bytes"]["value"].is_null());
  EXPECT_EQ(detail::size_or_null(Bytes{7}), 7);
}

TEST(ThresholdJson, IntervalsThatMissTheirValueAreRefused) {
  OrderedJson json = written();
  json["scatter_break_bytes"]["low"] = 65537;
  EXPECT_THAT(refusal([&] { (void)read(json); }), HasSubstr("is above the value"));
  json = written();
  json["scatter_break_bytes"]["high"] = 65535;
  EXPECT_THAT(refusal([&] { (void)read(json); }), HasSubstr("is below the value"));
}

TEST(KappaJson, IsReadBack) {
  const detail::Json plain = detail::Json::parse(detail::as_json(samples::kappas(1)).dump());
  const Kappas found = detail::read_kappas(detail::Reader{plain, "a file", ""}, 3);
  EXPECT_EQ(found.root, 1);
  EXPECT_EQ(found.kappa1.value.low, -1e-9);
  EXPECT_TRUE(std::isnan(found.kappa2.value.value));
  EXPECT_EQ(found.kappa2.reason, "no size above M2 was measured");
}

}  // namespace commgauge::threshold_json_test
