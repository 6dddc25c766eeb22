#include "measurements/fabric_run_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "made_fabric.hpp"
#include "measurements_message.hpp"
#include "samples.hpp"

namespace commgauge::fabric_run_json_test {

using nlohmann::json;
using ::testing::HasSubstr;

Measurements sample() {
  Measurements measured = samples::measurements();
  FabricRun run = samples::made_run(samples::one_rack());
  run.rounds.resize(40);
  run.rounds.push_back({{{0, 1}, {2, 3}}, std::vector<std::vector<double>>(5, {1e-3, 2e-3})});
  run.lost = 3;
  run.repeated = 2;
  FabricRun none;
  none.launch = 0;
  none.hosts = run.hosts;
  none.left_out = Diagnostic{.kind = "fabric_left_out", .problem = "p", .reason = "r"};
  measured.fabric = {run, none};
  return measured;
}

std::string message_with(const std::string& pointer, const json& value) {
  json document = json::parse(to_json(sample()));
  document[json::json_pointer{pointer}] = value;
  return samples::message_of(document.dump());
}

TEST(FabricRunJson, ReadBackAsWritten) {
  const Measurements measured = sample();
  const Measurements back = measurements_from_json(to_json(measured), "m.json");
  EXPECT_EQ(back.fabric, measured.fabric);
}

TEST(FabricRunJson, FilesWithoutPiecesHaveWholeMessages) {
  json document = json::parse(to_json(sample()));
  document["fabric"][0].erase("piece_bytes");
  const Measurements back = measurements_from_json(document.dump(), "m.json");
  EXPECT_EQ(back.fabric[0].piece, back.fabric[0].size);
}

TEST(FabricRunJson, RefusesWhatCannotBe) {
  EXPECT_THAT(message_with("/fabric/0/launch", 7), HasSubstr("fabric[0].launch"));
  EXPECT_THAT(message_with("/fabric/0/hosts/1", "n0"),
              HasSubstr("fabric[0].hosts[1]: is there twice"));
  EXPECT_THAT(message_with("/fabric/0/to/0/0", 0),
              HasSubstr("fabric[0].to[0][0]: is the host that"));
  EXPECT_THAT(message_with("/fabric/0/from/40/1", 0),
              HasSubstr("fabric[0].from[40]: has host 0 twice"));
  EXPECT_THAT(message_with("/fabric/0/from/0/0", 10), HasSubstr("fabric[0].from[0][0]"));
  EXPECT_THAT(message_with("/fabric/0/times_s/0/0/0", 0), HasSubstr("fabric[0].times_s[0][0][0]"));
  EXPECT_THAT(message_with("/fabric/0/times_s/0/0", json::array()),
              HasSubstr("fabric[0].times_s[0][0]"));
  EXPECT_THAT(message_with("/fabric/0/times_s/3", json::array({{1.0, 1.0}})),
              HasSubstr("fabric[0].times_s[3]"));
  EXPECT_THAT(message_with("/fabric/0/size_bytes", 0), HasSubstr("size_bytes: is zero"));
  EXPECT_THAT(message_with("/fabric/0/piece_bytes", 2 << 20), HasSubstr("larger than the message"));
  EXPECT_THAT(message_with("/fabric/0/lost", 100000), HasSubstr("fabric[0].lost"));
  EXPECT_THAT(message_with("/fabric/1/left_out", "other"), HasSubstr("disagrees"));
}

}  // namespace commgauge::fabric_run_json_test
