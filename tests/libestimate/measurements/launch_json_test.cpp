#include "measurements/launch_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "measurements_message.hpp"
#include "samples.hpp"

namespace commgauge::launch_json_test {

using nlohmann::json;
using samples::message_of;
using samples::message_with;

TEST(Measurements, UnknownEagerLimitIsNull) {
  Measurements m = samples::measurements();
  m.launches.front().eager_limit_bytes.reset();
  EXPECT_TRUE(json::parse(to_json(m)).at("/launches/0/eager_limit_bytes"_json_pointer).is_null());
  EXPECT_EQ(measurements_from_json(to_json(m), "m.json").launches.front().eager_limit_bytes,
            std::nullopt);
}

TEST(Measurements, WhatWasProbedMayBeLeftUnsaid) {
  const auto probed = [](const json& document) {
    return measurements_from_json(document.dump(), "m.json").launches.front().eager_probed_bytes;
  };
  json document = json::parse(to_json(samples::measurements()));
  json& launch = document.at("launches").at(0);
  EXPECT_EQ(probed(document), 1U << 20U);
  launch["eager_probed_bytes"] = 0;
  EXPECT_EQ(probed(document), 0U);
  launch["eager_probed_bytes"] = nullptr;
  EXPECT_EQ(probed(document), std::nullopt);
  launch.erase("eager_probed_bytes");
  EXPECT_EQ(probed(document), std::nullopt);
  EXPECT_EQ(message_with("/launches/0/eager_probed_bytes", -1),
            "m.json: launches[0].eager_probed_bytes: is negative");
}

TEST(Measurements, ProcessorSpeedIsOptional) {
  Measurements m = samples::measurements();
  m.launches.front().ranks[1].kernel_s = std::numeric_limits<double>::quiet_NaN();
  const json ranks = json::parse(to_json(m)).at("/launches/0/ranks"_json_pointer);
  EXPECT_TRUE(ranks.at(0).contains("kernel_s"));
  EXPECT_FALSE(ranks.at(1).contains("kernel_s"));
  const Measurements back = measurements_from_json(to_json(m), "m.json");
  EXPECT_EQ(back.launches.front().ranks[0].kernel_s, m.launches.front().ranks[0].kernel_s);
  EXPECT_TRUE(std::isnan(back.launches.front().ranks[1].kernel_s));
  EXPECT_EQ(message_with("/launches/0/ranks/0/kernel_s", 0),
            "m.json: launches[0].ranks[0].kernel_s: is zero");
  EXPECT_EQ(message_with("/launches/0/ranks/0/kernel_s", nullptr),
            "m.json: launches[0].ranks[0].kernel_s: is not a finite number");
}

TEST(LaunchJson, ContentionHoldsItsRatio) {
  EXPECT_EQ(message_with("/launches/0/contention/low", 1.02),
            "m.json: launches[0].contention.low: is above the ratio");
  EXPECT_EQ(message_with("/launches/0/contention/high", 1),
            "m.json: launches[0].contention.high: is below the ratio");
  EXPECT_EQ(message_with("/launches/0/contention/ratio", nullptr), "no error") << "not tested";
}

TEST(LaunchJson, NoMoreIsDisturbedThanThereIs) {
  EXPECT_EQ(message_with("/launches/0/disturbance/lost_blocks", 4322),
            "m.json: launches[0].disturbance.lost_blocks: is above blocks");
  EXPECT_EQ(message_with("/launches/0/disturbance/disturbed_rows", 15),
            "m.json: launches[0].disturbance.disturbed_rows: is above rows");
  EXPECT_EQ(message_with("/launches/0/disturbance/stolen_share", 1.5),
            "m.json: launches[0].disturbance.stolen_share: is above 1");
}

const Diagnostic cut_short{.kind = "sweeps_cut_short",
                           .problem = "stop at 1 KiB instead of 4 KiB",
                           .reason = "memory",
                           .advice = "start fewer ranks"};
const std::string cut_short_text = "stop at 1 KiB instead of 4 KiB (memory): start fewer ranks";

json with_sweep_run(const std::optional<Diagnostic>& limited) {
  Measurements m = samples::measurements();
  m.launches.front().sweep_run = SweepRun{"root", 7, limited};
  return json::parse(to_json(m));
}

SweepRun sweep_run_in(const json& document) {
  return measurements_from_json(document.dump(), "m.json").launches.front().sweep_run.value();
}

TEST(LaunchJson, SaysWhySweepsWereLimited) {
  json document = with_sweep_run(cut_short);
  json& run = document.at("/launches/0/sweep_run"_json_pointer);
  EXPECT_EQ(run, (json{{"timing", "root"},
                       {"late", 7},
                       {"limited", cut_short_text},
                       {"diagnostic",
                        {{"kind", "sweeps_cut_short"},
                         {"count", 1},
                         {"problem", "stop at 1 KiB instead of 4 KiB"},
                         {"reason", "memory"},
                         {"advice", "start fewer ranks"}}}}));
  const SweepRun found = sweep_run_in(document);
  EXPECT_EQ(found.timing, "root");
  EXPECT_EQ(found.late, 7);
  EXPECT_EQ(found.limited, cut_short);
  run["limited"] = "stop at 2 KiB";
  EXPECT_EQ(message_of(document.dump()),
            "m.json: launches[0].sweep_run.diagnostic: disagrees with the warning, which says "
            "\"stop at 2 KiB\"");
  run.erase("diagnostic");
  EXPECT_EQ(sweep_run_in(document).limited,
            (Diagnostic{.kind = "sweeps_limited", .problem = "stop at 2 KiB"}));
}

TEST(LaunchJson, SweepsThatWereNotLimitedHaveNoDiagnostic) {
  const json document = with_sweep_run({});
  EXPECT_EQ(document.at("/launches/0/sweep_run"_json_pointer),
            (json{{"timing", "root"}, {"late", 7}, {"limited", ""}}));
  EXPECT_EQ(sweep_run_in(document).limited, std::nullopt);
}

/// What swept is there only if something of it is.
TEST(LaunchJson, OlderFilesHaveSweepsInTheOptions) {
  Measurements m = samples::measurements();
  m.launches.front().sweep_run.reset();
  m.launches.front().options = {
      {"timing", "root"}, {"sweep_late", "7"}, {"sweep_limited", cut_short_text}};
  const SweepRun found = sweep_run_in(json::parse(to_json(m)));
  EXPECT_EQ(found.timing, "root");
  EXPECT_EQ(found.late, 7);
  EXPECT_EQ(found.limited, (Diagnostic{.kind = "sweeps_limited", .problem = cut_short_text}));
  m.launches.front().options = {{"sizes", "1,2"}};
  EXPECT_FALSE(measurements_from_json(to_json(m), "m.json").launches.front().sweep_run);
}

/// Of merged launches the largest comes first.
TEST(LaunchJson, LaterLaunchesHaveNoMoreRanks) {
  json document = json::parse(to_json(samples::measurements()));
  json& launches = document.at("launches");
  launches.push_back(launches.at(0));
  EXPECT_EQ(message_of(document.dump()), "no error");
  launches.at(1).at("ranks").erase(3);
  EXPECT_EQ(message_of(document.dump()), "no error");
  launches.push_back(launches.at(0));
  EXPECT_EQ(message_of(document.dump()), "m.json: launches[2].ranks: has 4 entries where 3 belong");
  launches.at(2).at("ranks") = json::array();
  EXPECT_EQ(message_of(document.dump()), "m.json: launches[2].ranks: is empty");
}

}  // namespace commgauge::launch_json_test
