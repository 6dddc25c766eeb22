#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "own_file.hpp"
#include "refusal.hpp"
#include "samples.hpp"

namespace commgauge::thresholds_file_test {

using nlohmann::json;

json as_json(const Thresholds& thresholds) { return json::parse(to_json(thresholds)); }
json sample() { return as_json(samples::thresholds()); }

TEST(ThresholdsFile, SaysWhatItIs) {
  const json document = sample();
  EXPECT_EQ(document.at("schema"), "commgauge.thresholds/1");
  EXPECT_EQ(document.at("confidence"), 0.95);
  EXPECT_EQ(document.at("launches").at(0).at("ranks").size(), 4U);
  EXPECT_EQ(document.at("warnings"), (json{"the launches disagree about the eager limit (19493 "
                                           "and 8192): the smallest is used"}));
  EXPECT_EQ(document.at("diagnostics"),
            json::array({{{"kind", "eager_limits_differ"},
                          {"count", 1},
                          {"problem", "the launches disagree about the eager limit"},
                          {"reason", "19493 and 8192"},
                          {"advice", "the smallest is used"}}}));
}

TEST(ThresholdsFile, AThresholdHasItsIntervalOrItsReason) {
  const json document = sample();
  EXPECT_EQ(document.at("eager_limit_bytes"),
            (json{{"value", 19493}, {"low", 19493}, {"high", 19494}}));
  EXPECT_EQ(document.at("gather_m1_bytes"), (json{{"value", nullptr},
                                                  {"low", nullptr},
                                                  {"high", nullptr},
                                                  {"reason", "gather was not swept"}}));
  EXPECT_EQ(document.at("gather_m2_bytes").at("value"), 131072);
  EXPECT_TRUE(document.at("gather_m2_bytes").at("high").is_null());
}

TEST(ThresholdsFile, TimesAreMediansWithTheirIntervals) {
  const json sweep = sample().at("sweeps").at(0);
  EXPECT_EQ(sweep.at("size_bytes"), (json{0, 1024, 4096}));
  EXPECT_EQ(sweep.at("repetitions"), (json{1, 3, 2}));
  EXPECT_EQ(sweep.at("time_s").at(1), 2.25e-5);
  EXPECT_TRUE(sweep.at("low_s").at(0).is_null());
  EXPECT_TRUE(sweep.at("high_s").at(0).is_null());
  EXPECT_EQ(sweep.at("fitted_s"), (json{1.5e-5, nullptr, 4e-5}));
  EXPECT_LT(sweep.at("low_s").at(1), 2.25e-5);
  EXPECT_GT(sweep.at("high_s").at(1), 2.25e-5);
}

TEST(ThresholdsFile, ASingleTimeKeepsTheIntervalItCameWith) {
  Thresholds t = samples::thresholds();
  t.sweeps[0].sweep.points[0].low_s = 1e-5;
  t.sweeps[0].sweep.points[0].high_s = 2e-5;
  const json sweep = as_json(t).at("sweeps").at(0);
  EXPECT_EQ(sweep.at("low_s").at(0), 1e-5);
  EXPECT_EQ(sweep.at("high_s").at(0), 2e-5);
}

TEST(ThresholdsFile, ABreaksIntervalEndsBeyondIt) {
  Thresholds t = samples::thresholds();
  EXPECT_EQ(as_json(t).at("/sweeps/0/breaks/0"_json_pointer),
            (json{{"last", 1}, {"size_bytes", 1024}, {"low_bytes", 0}, {"high_bytes", 4096}}));
  t.sweeps[0].segmentation.breaks[0].high = 2;
  EXPECT_TRUE(as_json(t).at("/sweeps/0/breaks/0/high_bytes"_json_pointer).is_null());
  t.sweeps[0].segmentation.breaks[0] = {1, {}, {}, "too few sizes"};
  EXPECT_EQ(as_json(t).at("/sweeps/0/breaks/0"_json_pointer), (json{{"last", 1},
                                                                    {"size_bytes", 1024},
                                                                    {"low_bytes", nullptr},
                                                                    {"high_bytes", nullptr},
                                                                    {"reason", "too few sizes"}}));
}

TEST(ThresholdsFile, SegmentsHaveTheirLines) {
  const json sweep = sample().at("sweeps").at(0);
  EXPECT_EQ(sweep.at("segments").at(0), (json{{"first", 0},
                                              {"last", 1},
                                              {"sizes", 1},
                                              {"intercept_s", 1.5e-5},
                                              {"intercept_low_s", 1e-5},
                                              {"intercept_high_s", 2e-5},
                                              {"slope_s_per_byte", 7e-9},
                                              {"slope_low_s_per_byte", 6e-9},
                                              {"slope_high_s_per_byte", 8e-9},
                                              {"rss", 1e-12}}));
  EXPECT_TRUE(sweep.at("segments").at(1).at("slope_low_s_per_byte").is_null());
  EXPECT_EQ(sweep.at("candidates").at(0).at("breaks"), 0);
  EXPECT_EQ(sweep.at("candidates").at(0).at("last"), json::array());
  EXPECT_EQ(sweep.at("candidates").at(1).at("last"), (json{1}));
  EXPECT_EQ(sweep.at("bic"), -70.5);
  EXPECT_EQ(sweep.at("weights"), "relative");
  EXPECT_EQ(sweep.at("warnings"), (json{"few sizes"}));
  EXPECT_EQ(sweep.at("diagnostics").at(0).at("kind"), "few_sizes");
  EXPECT_EQ(sweep.at("diagnostics").at(0).at("count"), 3);
}

TEST(ThresholdsFile, WhatIsNotFiniteIsNull) {
  Thresholds t = samples::thresholds();
  t.sweeps[0].segmentation.bic = -std::numeric_limits<double>::infinity();
  t.sweeps[0].segmentation.lwz = std::numeric_limits<double>::quiet_NaN();
  const json sweep = as_json(t).at("sweeps").at(0);
  EXPECT_TRUE(sweep.at("bic").is_null());
  EXPECT_TRUE(sweep.at("lwz").is_null());
}

TEST(ThresholdsFile, EscalationsHaveTheirSizesWhereThereAreAny) {
  Thresholds t = samples::thresholds();
  EXPECT_TRUE(as_json(t).at("/sweeps/0/escalations/first_bytes"_json_pointer).is_null());
  EXPECT_EQ(as_json(t).at("/sweeps/0/escalations/reason"_json_pointer), "too few repetitions");
  Escalations& e = t.sweeps[0].escalations;
  e = {};
  e.found = true;
  e.first = e.first_low = 1;
  e.first_high = e.last = e.last_low = e.last_high = 2;
  e.rate_inside = 0.5;
  e.limit_s = 1e-4;
  e.limit_ratio = 1.5;
  const json escalations = as_json(t).at("/sweeps/0/escalations"_json_pointer);
  EXPECT_EQ(escalations.at("first_bytes"), 1024);
  EXPECT_EQ(escalations.at("first_low_bytes"), 1024);
  EXPECT_EQ(escalations.at("first_high_bytes"), 4096);
  EXPECT_EQ(escalations.at("last_bytes"), 4096);
  EXPECT_EQ(escalations.at("rate_inside"), 0.5);
  EXPECT_EQ(escalations.at("limit_s"), 1e-4);
  EXPECT_EQ(escalations.at("limit_ratio"), 1.5);
  EXPECT_FALSE(escalations.contains("reason"));
}

TEST(ThresholdsFile, ASweepWithoutLinesSaysWhy) {
  Sweep sweep = samples::sweep();
  sweep.points.resize(2);
  const json document = as_json(find_thresholds(std::vector{sweep}, {}));
  const json analysis = document.at("sweeps").at(0);
  EXPECT_EQ(analysis.at("reason"),
            "gather was swept at 2 sizes only (a line takes 3): measure more");
  EXPECT_EQ(analysis.at("segments"), json::array());
  EXPECT_EQ(analysis.at("fitted_s"), (json{nullptr, nullptr}));
  for (const char* name : {"weights", "rss", "bic", "lwz"}) {
    EXPECT_TRUE(analysis.at(name).is_null()) << name;
  }
  for (const char* name : {"rate_inside", "rate_outside", "limit_s", "limit_ratio"}) {
    EXPECT_TRUE(analysis.at("escalations").at(name).is_null()) << name;
  }
  EXPECT_EQ(document.at("gather_m1_bytes").at("reason"), analysis.at("reason"));
}

TEST(ThresholdsFile, SaysWhichSweepGaveTheThresholds) {
  const json document = sample();
  EXPECT_EQ(document.at("scatter_sweep"),
            (json{{"algorithm", "flat"}, {"timing", "global"}, {"root", 1}, {"launches", {0, 1}}}));
  EXPECT_EQ(document.at("gather_sweep"), (json{{"algorithm", "library"},
                                               {"timing", nullptr},
                                               {"root", nullptr},
                                               {"launches", json::array()}}));
  Thresholds t = samples::thresholds();
  t.gather_sweep.reset();
  EXPECT_TRUE(as_json(t).at("gather_sweep").is_null());
}

TEST(ThresholdsFile, ACsvHasNoLaunch) {
  Thresholds t = samples::thresholds();
  EXPECT_EQ(as_json(t).at("/sweeps/0/launch"_json_pointer), 0);
  EXPECT_EQ(as_json(t).at("/sweeps/0/launches"_json_pointer), (json{0}));
  t.launches.clear();
  EXPECT_EQ(as_json(t).at("launches"), json::array());
  EXPECT_FALSE(as_json(t).at("sweeps").at(0).contains("launch"));
  EXPECT_FALSE(as_json(t).at("sweeps").at(0).contains("launches"));
}

TEST(ThresholdsFile, MayBeEmpty) {
  const json document = as_json(Thresholds{});
  EXPECT_EQ(document.at("sweeps"), json::array());
  EXPECT_TRUE(document.at("scatter_break_bytes").at("value").is_null());
}

class ReadAgain : public ::testing::Test {
 protected:
  ReadAgain() = default;
  ~ReadAgain() override { std::filesystem::remove(file_); }

  [[nodiscard]] ThresholdFindings load(const std::string& content) const {
    write_file(file_, content);
    return load_thresholds(file_);
  }
  /// Why the sample is refused once a value of it is another.
  [[nodiscard]] std::string refusal_with(const std::string& pointer, const json& value) const {
    json document = sample();
    document[json::json_pointer(pointer)] = value;
    const std::string text = refusal([&] { (void)load(document.dump()); });
    EXPECT_THAT(text, ::testing::StartsWith(file_.string() + ": "));
    return text.substr(file_.string().size() + 2);
  }

 private:
  std::filesystem::path file_{own_file()};
};

TEST_F(ReadAgain, HasThresholdsAndWarnings) {
  const ThresholdFindings found = load(to_json(samples::thresholds()));
  EXPECT_EQ(found.eager_limit.size, Bytes{19493});
  EXPECT_EQ(found.gather_m1.reason, "gather was not swept");
  EXPECT_EQ(found.gather_m2.high, std::nullopt);
  EXPECT_EQ(found.warnings, samples::thresholds().warnings);
  EXPECT_THROW((void)load(R"({"schema":"commgauge.model/1"})"), InputError);
}

TEST_F(ReadAgain, OlderFilesHaveSentencesOnly) {
  json document = sample();
  document.erase("diagnostics");
  document["sweeps"][0].erase("diagnostics");
  document["warnings"] = {"scatter has 3 breaks: odd"};
  const ThresholdFindings found = load(document.dump());
  EXPECT_EQ(found.gather_m1.reason, "gather was not swept");
  EXPECT_EQ(
      found.warnings,
      (std::vector{Diagnostic{.kind = "scatter has ", .problem = "scatter has 3 breaks: odd"}}));
}

TEST_F(ReadAgain, DiagnosticsThatSayAnotherThingAreRefused) {
  EXPECT_EQ(refusal_with("/warnings/0", "all is well"),
            "diagnostics[0]: disagrees with the warning, which says \"all is well\"");
  EXPECT_EQ(refusal_with("/sweeps/0/diagnostics/0/problem", "many sizes"),
            "sweeps[0].diagnostics[0]: disagrees with the warning, which says \"few sizes\"");
  EXPECT_EQ(refusal_with("/sweeps/0/diagnostics", json::array()),
            "sweeps[0].diagnostics: has 0 entries where 1 belong");
}

}  // namespace commgauge::thresholds_file_test
