#include "commgauge/measurements/measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "commgauge/base/error.hpp"
#include "damage.hpp"
#include "measurements_message.hpp"
#include "samples.hpp"

namespace commgauge::measurements_test {

using nlohmann::json;
using samples::message_of;
using samples::message_with;
using samples::message_without;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Measurements, ColumnsHoldOneEntryPerExperiment) {
  const json columns = json::parse(to_json(samples::measurements())).at("experiments");
  EXPECT_EQ(columns.at("kind").at(2), "one_to_k");
  EXPECT_EQ(columns.at("peers").at(2), (json{1, 2}));
  EXPECT_EQ(columns.at("out_bytes").at(1), 9223372036854775808U);
  EXPECT_EQ(columns.at("time_s").at(0), 2.0e-5);
  for (const auto& column : columns) EXPECT_EQ(column.size(), 7U);
}

TEST(Measurements, MeetingsOfSeveralPeersAreReadBack) {
  Measurements m = samples::measurements();
  Observation row = m.observations.front();
  const std::size_t others = m.observations.size();
  for (const Kind kind : {Kind::first_of_messages, Kind::messages_at_once}) {
    row.experiment = meeting_of_senders(kind, {2, 1}, 0, Bytes{1000});
    m.observations.push_back(row);
    row.experiment = meeting_of_receivers(kind, 0, {2, 1}, Bytes{1000});
    m.observations.push_back(row);
  }
  const Measurements back = measurements_from_json(to_json(m), "m.json");
  ASSERT_EQ(back.observations.size(), others + 4);
  for (std::size_t i = others; i < back.observations.size(); ++i) {
    EXPECT_EQ(back.observations[i].experiment, m.observations[i].experiment);
  }
}

TEST(Measurements, ReadBackAsWritten) {
  Measurements m = samples::measurements();
  for (const Observation& one : samples::validated()) m.observations.push_back(one);
  const std::string text = to_json(m);
  const Measurements back = measurements_from_json(text, "m.json");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.ranks(), 4);
  EXPECT_EQ(back.launches.front().ranks[3].cores, (std::vector{6, 7}));
  EXPECT_EQ(back.launches.front().seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back.launches.front().eager_limit_bytes, 19493U);
  ASSERT_EQ(back.observations.size(), m.observations.size());
  for (std::size_t i = 0; i < m.observations.size(); ++i) {
    EXPECT_EQ(back.observations[i].experiment, m.observations[i].experiment);
    EXPECT_EQ(back.observations[i].block_means_s, m.observations[i].block_means_s);
  }
  ASSERT_EQ(back.sweeps.size(), 1U);
  EXPECT_EQ(back.sweeps[0].kind, "gather");
  EXPECT_EQ(back.sweeps[0].root, 1);
  ASSERT_EQ(back.sweeps[0].points.size(), m.sweeps[0].points.size());
  for (std::size_t i = 0; i < m.sweeps[0].points.size(); ++i) {
    EXPECT_EQ(back.sweeps[0].points[i].size, m.sweeps[0].points[i].size);
    EXPECT_EQ(back.sweeps[0].points[i].times_s, m.sweeps[0].points[i].times_s);
    EXPECT_EQ(back.sweeps[0].points[i].passes, m.sweeps[0].points[i].passes);
  }
}

TEST(Measurements, AnUnfinishedLaunchKeepsItsPlan) {
  const Measurements m = samples::unfinished();
  const Measurements back = measurements_from_json(to_json(m), "m.json");
  EXPECT_EQ(back.plan, m.plan);
  EXPECT_EQ(back.launches.front().resumed, 2);
  EXPECT_FALSE(measurements_from_json(to_json(samples::measurements()), "m.json").plan);
}

/// The message after one value of an unfinished launch's plan was replaced.
std::string message_of_plan(const std::string& pointer, const json& value) {
  json document = json::parse(to_json(samples::unfinished()));
  document["plan"][json::json_pointer{pointer}] = value;
  return message_of(document.dump());
}

TEST(Measurements, RefuseAPlanThatCannotBe) {
  EXPECT_THAT(message_of_plan("/experiments/root/0", 4), HasSubstr("plan.experiments.root[0]"));
  EXPECT_THAT(message_of_plan("/experiments/round", {0, 0, 0}),
              HasSubstr("plan.experiments.round"));
  EXPECT_THAT(message_of_plan("/experiments/round", {0, 0, 1, 0}),
              HasSubstr("is not in the order"));
  EXPECT_THAT(message_of_plan("/experiments/group", {1, 0, 0, 0}),
              HasSubstr("is not in the order"));
  EXPECT_THAT(message_of_plan("/experiments/messages/0", 0), HasSubstr("is zero"));
  EXPECT_THAT(message_of_plan("/request/passes", 2), HasSubstr("plan.request.passes"));
  json document = json::parse(to_json(samples::unfinished()));
  document["launches"].push_back(document["launches"][0]);
  EXPECT_THAT(message_of(document.dump()), HasSubstr("more than one launch"));
}

TEST(Measurements, TimesKeepEveryBit) {
  const std::array awkward{0.1,
                           1.0 / 3.0,
                           0.0,
                           5e-324,
                           std::numeric_limits<double>::min(),
                           std::nextafter(1.0, 2.0),
                           std::numeric_limits<double>::max()};
  Measurements m = samples::measurements();
  m.observations.assign(awkward.size(), m.observations[1]);
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    m.observations[i].low_s = m.observations[i].time_s = m.observations[i].high_s = awkward[i];
  }
  const Measurements back = measurements_from_json(to_json(m), "m.json");
  for (std::size_t i = 0; i < awkward.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.observations[i].time_s),
              std::bit_cast<std::uint64_t>(awkward[i]));
  }
}

TEST(Measurements, BlockMeansAreWrittenOnlyIfThereAreAny) {
  Measurements m = samples::measurements();
  m.observations.front().block_means_s.clear();
  EXPECT_FALSE(json::parse(to_json(m)).at("experiments").contains("block_means_s"));
  EXPECT_NO_THROW((void)measurements_from_json(to_json(m), "m.json"));
}

TEST(Measurements, SweepsAreWrittenOnlyIfThereAreAny) {
  Measurements m = samples::measurements();
  m.sweeps.clear();
  EXPECT_FALSE(json::parse(to_json(m)).contains("sweeps"));
  EXPECT_TRUE(measurements_from_json(to_json(m), "m.json").sweeps.empty());
}

TEST(Measurements, SweepsNeedNoExperiments) {
  Measurements m = samples::measurements();
  m.observations.clear();
  const Measurements back = measurements_from_json(to_json(m), "m.json");
  EXPECT_TRUE(back.observations.empty());
  EXPECT_EQ(back.sweeps.size(), 1U);
  EXPECT_EQ(to_json(back), to_json(m));
}

TEST(Measurements, SweepsAreChecked) {
  EXPECT_EQ(message_with("/sweeps", json::object()), "m.json: sweeps: is not an array");
  EXPECT_EQ(message_with("/sweeps/0/root", 4),
            "m.json: sweeps[0].root: is not a rank (they are 0 to 3)");
  EXPECT_EQ(message_with("/sweeps/0/launch", 1),
            "m.json: sweeps[0].launch: is not a launch (they are 0 to 0)");
  EXPECT_EQ(message_with("/sweeps/0/size_bytes/2", 1024),
            "m.json: sweeps[0].size_bytes[2]: is not above the size before it");
  EXPECT_EQ(message_with("/sweeps/0/size_bytes", {1, 2}),
            "m.json: sweeps[0].times_s: has 3 entries where 2 belong");
  EXPECT_EQ(message_with("/sweeps/0/times_s/1", json::array()),
            "m.json: sweeps[0].times_s[1]: is empty");
  EXPECT_EQ(message_with("/sweeps/0/times_s/1/2", 0), "m.json: sweeps[0].times_s[1][2]: is zero");
  EXPECT_EQ(message_with("/sweeps/0/times_s/1/2", -1e-5),
            "m.json: sweeps[0].times_s[1][2]: is negative");
  EXPECT_EQ(message_with("/sweeps/0/passes/1/0", -1),
            "m.json: sweeps[0].passes[1][0]: is negative");
  EXPECT_EQ(message_with("/sweeps/0/passes/1", {0}),
            "m.json: sweeps[0].passes[1]: has 1 entries where 3 belong");
  EXPECT_EQ(message_with("/sweeps/0/kind", "a,b"),
            "m.json: sweeps[0].kind: is \"a,b\", which is no plain word");
  EXPECT_EQ(message_without("/sweeps/0", "kind"), "m.json: sweeps[0].kind: is missing");
}

TEST(Measurements, TextThatIsNotUtf8IsStillWritten) {
  Measurements m = samples::measurements();
  m.launches.front().environment["UCX_NET_DEVICES"] = "eth\xff";
  EXPECT_NO_THROW((void)measurements_from_json(to_json(m), "m.json"));
}

TEST(Measurements, UnknownFieldsAreIgnored) {
  json document = json::parse(to_json(samples::measurements()));
  document["comment"] = "added by hand";
  document["experiments"]["colour"] = "blue";
  EXPECT_EQ(message_of(document.dump()), "no error");
}

TEST(Measurements, ErrorsNameFilePlaceAndReason) {
  EXPECT_EQ(message_with("/experiments/time_s/3", nullptr),
            "m.json: experiments.time_s[3]: is not a finite number");
  EXPECT_EQ(message_with("/experiments/time_s/3", "fast"),
            "m.json: experiments.time_s[3]: is not a finite number");
  EXPECT_EQ(message_with("/experiments/time_s/3", -1e-6),
            "m.json: experiments.time_s[3]: is negative");
  EXPECT_EQ(message_with("/experiments/time_s", {1.0, 2.0}),
            "m.json: experiments.time_s: has 2 entries where 7 belong");
  EXPECT_EQ(message_with("/experiments/time_s", 1.0),
            "m.json: experiments.time_s: is not an array");
  EXPECT_EQ(message_without("/experiments", "time_s"), "m.json: experiments.time_s: is missing");
  EXPECT_EQ(message_without("", "launches"), "m.json: launches: is missing");
  EXPECT_EQ(message_with("/launches", json::array()), "m.json: launches: is empty");
  EXPECT_EQ(message_with("/experiments/blocks/0", -3),
            "m.json: experiments.blocks[0]: is negative");
  EXPECT_EQ(message_with("/experiments/blocks/0", 2.5),
            "m.json: experiments.blocks[0]: is not an integer");
  EXPECT_EQ(message_with("/experiments/blocks/0", 4294967296),
            "m.json: experiments.blocks[0]: is larger than 2147483647");
  EXPECT_EQ(message_with("/experiments/out_bytes/0", -1),
            "m.json: experiments.out_bytes[0]: is negative");
  EXPECT_EQ(message_with("/experiments/out_bytes/0", 9223372036854775809U),
            "m.json: experiments.out_bytes[0]: is larger than 9223372036854775808");
  EXPECT_EQ(message_with("/experiments/kind/0", "ping_pong"),
            "m.json: experiments.kind[0]: is \"ping_pong\", which is no kind of experiment");
  EXPECT_EQ(message_with("/experiments/converged/0", 1),
            "m.json: experiments.converged[0]: is not true or false");
  EXPECT_EQ(message_with("/experiments/level/0", 1.5), "m.json: experiments.level[0]: is above 1");
  EXPECT_EQ(message_with("/launches/0/confidence", 95),
            "m.json: launches[0].confidence: is not between 0 and 1");
  EXPECT_EQ(message_with("/launches/0/environment/UCX_TLS", 1),
            "m.json: launches[0].environment.UCX_TLS: is not a string");
}

TEST(Measurements, RanksHaveToBeThere) {
  EXPECT_EQ(message_with("/experiments/root/0", 4),
            "m.json: experiments.root[0]: is not a rank (they are 0 to 3)");
  EXPECT_EQ(message_with("/experiments/peers/0/0", -1),
            "m.json: experiments.peers[0][0]: is negative");
  EXPECT_EQ(message_with("/experiments/peers/2", {1, 1}),
            "m.json: experiments.peers[2]: has rank 1 twice");
  EXPECT_EQ(message_with("/experiments/peers/2", {0, 1}),
            "m.json: experiments.peers[2]: has the root among the peers");
  EXPECT_EQ(message_with("/experiments/peers/0", json::array()),
            "m.json: experiments.peers[0]: is empty");
  EXPECT_EQ(message_with("/experiments/peers/0", {1, 2}),
            "m.json: experiments.peers[0]: has more than the one peer of round_trip");
  EXPECT_EQ(message_with("/experiments/reply_order/2", {1, 3}),
            "m.json: experiments.reply_order[2]: has other ranks than peers");
  EXPECT_EQ(message_with("/experiments/reply_order/2", json::array()),
            "m.json: experiments.reply_order[2]: has other ranks than peers");
  EXPECT_EQ(message_with("/experiments/launch/0", 1),
            "m.json: experiments.launch[0]: is not a launch (they are 0 to 0)");
}

TEST(Measurements, AnIntervalHoldsItsValue) {
  EXPECT_EQ(message_with("/experiments/low_s/1", 0.2),
            "m.json: experiments.low_s[1]: is above time_s");
  EXPECT_EQ(message_with("/experiments/high_s/1", 0.05),
            "m.json: experiments.high_s[1]: is below time_s");
}

TEST(Measurements, TheNumberOfRanksHasToAgree) {
  EXPECT_EQ(message_with("/n", 99999),
            "m.json: launches[0].ranks: has 4 entries where 99999 belong");
  EXPECT_EQ(message_with("/n", 1000000000), "m.json: n: is larger than 100000");
  EXPECT_EQ(message_with("/n", 0), "m.json: n: is not at least 1");
}

TEST(Measurements, SchemaHasToBeTheOneSupported) {
  EXPECT_EQ(message_with("/schema", "commgauge.measurements/2"),
            "m.json: schema: is \"commgauge.measurements/2\" where only "
            "\"commgauge.measurements/1\" is supported");
  EXPECT_THAT(message_with("/schema", "commgauge.model/1"), HasSubstr("m.json is a model file"));
  EXPECT_EQ(message_with("/schema", 1), "m.json: schema: is not a string");
}

TEST(Measurements, WhatIsNoJsonObject) {
  EXPECT_EQ(message_of(""), "m.json: top level: is empty");
  EXPECT_EQ(message_of(" \n"), "m.json: top level: is empty");
  EXPECT_EQ(message_of("[]"), "m.json: top level: is not an object");
  EXPECT_EQ(message_of("17"), "m.json: top level: is not an object");
  EXPECT_THAT(message_of("{\n\"n\": }"), StartsWith("m.json: line 2, column 6: syntax error"));
  EXPECT_THAT(message_of(R"({"n": 1e999})"), StartsWith("m.json: top level: number overflow"));
  EXPECT_THAT(message_of(R"({"n": NaN})"), StartsWith("m.json: line 1, column 7: syntax error"));
}

/// The clock's cost is taken off; of nothing else can a time be negative.
TEST(Measurements, AnOverheadMayBeBelowZero) {
  Measurements m = samples::measurements();
  Observation& row = m.observations.front();
  row.experiment = send_overhead(0, 1, Bytes{8});
  row.low_s = -3e-9;
  row.time_s = -2e-9;
  row.high_s = -1e-9;
  row.block_means_s = {-1e-9, -3e-9};
  const Observation back = measurements_from_json(to_json(m), "m.json").observations.front();
  EXPECT_EQ(back.time_s, row.time_s);
  EXPECT_EQ(back.high_s, row.high_s);
}

TEST(Measurements, DeepNestingIsAnErrorLikeAnyOther) {
  EXPECT_THAT(message_of(std::string(100'000, '[')), StartsWith("m.json: line 1"));
}

TEST(Measurements, MissingFileIsNamed) {
  EXPECT_THROW((void)load_measurements("/nonexistent/m.json"), InputError);
}

void expect_nothing_negative(const Measurements& m) {
  for (const Observation& o : m.observations) {
    EXPECT_TRUE(o.time_s >= 0 || is_overhead(o.experiment.kind));
    EXPECT_GE(o.high_s, o.time_s);
    EXPECT_LE(o.low_s, o.time_s);
    EXPECT_GE(o.sd_s, 0);
    EXPECT_GE(o.blocks, 0);
    EXPECT_GE(o.block_length, 0);
    EXPECT_GE(o.pass, 0);
    EXPECT_LE(o.experiment.out.value, std::uint64_t{1} << 63U);
    ASSERT_LT(static_cast<std::size_t>(o.launch), m.launches.size());
    for (const int peer : o.experiment.peers) ASSERT_LT(peer, m.ranks());
  }
  for (const Sweep& sweep : m.sweeps) {
    ASSERT_LT(static_cast<std::size_t>(sweep.launch), m.launches.size());
    for (const SweepPoint& point : sweep.points) EXPECT_GT(point.time_s(), 0);
  }
}

TEST(Measurements, DamagedFilesAreReadOrRefused) {
  const auto read = [](const std::string& bad) {
    expect_nothing_negative(measurements_from_json(bad, "m.json"));
  };
  EXPECT_GE(samples::refused_of(to_json(samples::measurements()), 300, "m.json", read), 200);
}

}  // namespace commgauge::measurements_test
