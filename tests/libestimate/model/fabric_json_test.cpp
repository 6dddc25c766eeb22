#include "model/fabric_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "by_classes.hpp"
#include "commgauge/model/model.hpp"
#include "refusal.hpp"
#include "sample_fabric.hpp"
#include "samples.hpp"

namespace commgauge::fabric_json_test {

using nlohmann::json;
using ::testing::HasSubstr;

Model sample() {
  Model model = samples::by_classes(6, 2);
  model.fabric = samples::fabric_of(model);
  return model;
}

std::string message_of(const json& document) {
  return refusal([&] { (void)model_from_json(document.dump(), "model.json"); });
}

std::string message_with(const std::string& pointer, const json& value) {
  json document = json::parse(to_json(sample()));
  document[json::json_pointer{pointer}] = value;
  return message_of(document);
}

TEST(FabricJson, ReadBackAsWritten) {
  const std::string text = to_json(sample());
  const Model back = model_from_json(text, "model.json");
  EXPECT_EQ(to_json(back), text);
  ASSERT_TRUE(back.fabric);
  ASSERT_EQ(back.fabric->groups.size(), 2U);
  EXPECT_EQ(back.fabric->groups[0].parent, 1);
  EXPECT_TRUE(std::isnan(back.fabric->value.in[1]));
  EXPECT_FALSE(std::isnan(back.fabric->high.in[1]));
  EXPECT_EQ(back.fabric->backbone_sides.size(), 2U);
  EXPECT_EQ(back.fabric->replicates.size(), 2U);
}

TEST(FabricJson, StandsInFilesOfBothSchemas) {
  Model model = samples::model();
  model.fabric = samples::fabric_of(model);
  const json document = json::parse(to_json(model));
  EXPECT_EQ(document["schema"], "commgauge.model/1");
  EXPECT_EQ(message_of(document), "");
}

TEST(FabricJson, WithoutABackboneItIsNull) {
  Model model = sample();
  model.fabric->backbone_sides.clear();
  const json document = json::parse(to_json(model));
  EXPECT_TRUE(document["fabric"]["backbone"].is_null());
  const Model back = model_from_json(document.dump(), "model.json");
  EXPECT_TRUE(std::isnan(back.fabric->value.backbone));
}

TEST(FabricJson, RefusesOtherHostsAndGroupsThatOverlap) {
  EXPECT_THAT(message_with("/fabric/groups/0/hosts/0", "x"),
              HasSubstr("fabric.groups[0].hosts[0]: is \"x\", which no rank"));
  EXPECT_THAT(message_with("/fabric/groups/0/hosts/1", "n0"), HasSubstr("is there twice"));
  EXPECT_THAT(message_with("/fabric/groups/0/hosts", json::array()), HasSubstr("is empty"));
  EXPECT_THAT(message_with("/fabric/groups/0/hosts", {"n0", "n5"}),
              HasSubstr("fabric.groups[1].hosts: has hosts of group 0"));
  EXPECT_THAT(message_with("/fabric/groups/0/parent", 0), HasSubstr("fabric.groups[0].parent"));
  EXPECT_THAT(message_with("/fabric/groups/0/parent", 7), HasSubstr("fabric.groups[0].parent"));
  EXPECT_THAT(message_with("/fabric/groups/0/parent", nullptr), HasSubstr("group 1 holds these"));
  EXPECT_THAT(message_with("/fabric/groups/1/parent", 0), HasSubstr("fabric.groups[1].parent"));
}

TEST(FabricJson, RefusesTimesThatCannotBe) {
  EXPECT_THAT(message_with("/fabric/groups/0/out/value", 0), HasSubstr("groups[0].out.value"));
  EXPECT_THAT(message_with("/fabric/groups/0/out/value", -1), HasSubstr("groups[0].out.value"));
  EXPECT_THAT(message_with("/fabric/groups/0/out/high", 1e-12), HasSubstr("is below the value"));
  EXPECT_THAT(message_with("/fabric/groups/0/out/low", 1), HasSubstr("is above the value"));
  EXPECT_THAT(message_with("/fabric/groups/1/in/low", 1e-12), HasSubstr("where value is null"));
  EXPECT_THAT(message_with("/fabric/backbone/value", 0), HasSubstr("backbone.value"));
  EXPECT_THAT(message_with("/fabric/alone", 0), HasSubstr("fabric.alone"));
  EXPECT_THAT(message_with("/fabric/message_bytes", 0), HasSubstr("fabric.message_bytes"));
}

TEST(FabricJson, RefusesSidesThatShareHosts) {
  EXPECT_THAT(message_with("/fabric/backbone/sides", json::array({{"n0", "n1", "n2"}})),
              HasSubstr("fewer than two"));
  EXPECT_THAT(message_with("/fabric/backbone/sides/1/0", "n0"), HasSubstr("of another side"));
}

TEST(FabricJson, RefusesReplicatesOfAnotherLength) {
  EXPECT_THAT(message_with("/fabric/replicates/in", json::array()), HasSubstr("replicates.in"));
  EXPECT_THAT(message_with("/fabric/replicates/out/1", {1e-9}), HasSubstr("replicates.out[1]"));
  EXPECT_THAT(message_with("/fabric/replicates/backbone/0", 0), HasSubstr("backbone[0]"));
}

}  // namespace commgauge::fabric_json_test
