// Surveys in files of measurements.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "commgauge/measurements/measurements.hpp"
#include "damage.hpp"
#include "refusal.hpp"
#include "samples.hpp"

namespace commgauge::survey_json_test {

using nlohmann::json;
using ::testing::HasSubstr;

TEST(SurveyJson, IsReadBackAsWritten) {
  const Measurements m = samples::surveyed();
  const std::string text = to_json(m);
  const Measurements back = measurements_from_json(text, "m.json");
  EXPECT_EQ(to_json(back), text);
  ASSERT_TRUE(back.survey);
  EXPECT_EQ(back.survey->trips, m.survey->trips);
  EXPECT_EQ(back.survey->sample, m.survey->sample);
  EXPECT_EQ(back.survey->kinds, m.survey->kinds);
  EXPECT_EQ(back.survey->ranks[5].host, "h2");
  EXPECT_TRUE(std::isnan(back.survey->ranks[5].kernel_s));
}

TEST(SurveyJson, WhatCannotBeIsRefusedWithItsPlace) {
  const auto refused = [](const char* pointer, const json& value) {
    json document = json::parse(to_json(samples::surveyed()));
    document[json::json_pointer(pointer)] = value;
    return refusal([&] { (void)measurements_from_json(document.dump(), "m.json"); });
  };
  EXPECT_THAT(refused("/survey/host_of/3", 17), HasSubstr("survey.host_of[3]"));
  EXPECT_THAT(refused("/survey/sample/1", 0), HasSubstr("survey.sample[1]"));
  EXPECT_THAT(refused("/survey/sample", json{0}), HasSubstr("survey.sample"));
  EXPECT_THAT(refused("/survey/trips/to/0", 99), HasSubstr("survey.trips.to[0]"));
  EXPECT_THAT(refused("/survey/trips/to/0", 0), HasSubstr("survey.trips.to[0]"));
  EXPECT_THAT(refused("/survey/trips/time_s/0", -1), HasSubstr("survey.trips.time_s[0]"));
  EXPECT_THAT(refused("/survey/kinds", json{"a"}), HasSubstr("survey.kinds"));
}

TEST(SurveyJson, DamagedFilesAreReadOrRefused) {
  const auto read = [](const std::string& bad) { (void)measurements_from_json(bad, "m.json"); };
  EXPECT_GE(samples::refused_of(to_json(samples::surveyed()), 300, "m.json", read), 250);
}

TEST(SurveyJson, SamplesOfOtherRanksAreNotMerged) {
  const std::vector<Measurements> same{samples::surveyed(), samples::surveyed()};
  EXPECT_TRUE(merge(same).survey);
  std::vector<Measurements> others = same;
  others[1].survey->sample.back() = 7;
  EXPECT_THAT(refusal([&] { (void)merge(others); }), HasSubstr("different samples"));
  others[1].survey.reset();
  EXPECT_THAT(refusal([&] { (void)merge(others); }), HasSubstr("different samples"));
}

}  // namespace commgauge::survey_json_test
