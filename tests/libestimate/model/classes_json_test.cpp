#include "model/classes_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "../by_classes.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"
#include "damage.hpp"
#include "refusal.hpp"

namespace commgauge::classes_json_test {

using nlohmann::json;

std::string message_of(const std::string& text) {
  return refusal([&] { (void)model_from_json(text, "model.json"); });
}

json sample() { return json::parse(to_json(samples::by_classes(3, 2))); }

std::string message_with(const std::string& pointer, const json& value) {
  json document = sample();
  document[json::json_pointer{pointer}] = value;
  return message_of(document.dump());
}

TEST(ClassesJson, ReadBackAsWritten) {
  const Model model = samples::by_classes(3, 2);
  const std::string text = to_json(model);
  const Model back = model_from_json(text, "model.json");
  EXPECT_EQ(to_json(back), text);
  ASSERT_TRUE(back.classes);
  EXPECT_EQ(*back.classes->pairs, *model.classes->pairs);
  EXPECT_EQ(back.host(5), "n2");
  EXPECT_EQ(back.launches[1].ranks[3].cores, std::vector{1});
  EXPECT_EQ(back.lmo->value.C, model.lmo->value.C);
  EXPECT_EQ(back.hockney->value.alpha(5, 0), model.hockney->value.alpha(5, 0));
  EXPECT_EQ(back.plogp->replicates[2].g[1](2, 3), model.plogp->replicates[2].g[1](2, 3));
  EXPECT_EQ(back.plogp->value.L.classes(), back.classes->pairs) << "kept once";
  EXPECT_EQ(back.classes->found, "placement and measurements");
  EXPECT_EQ(back.classes->kinds[0].name, "a");
  EXPECT_EQ(back.classes->kinds[0].hosts, 2);
  EXPECT_EQ(back.classes->kinds[0].spread_per_byte, 0.125);
  EXPECT_TRUE(std::isnan(back.classes->kinds[1].spread_fixed));
  ASSERT_EQ(back.classes->deviations.size(), 2U);
  EXPECT_EQ(back.classes->deviations[0].sentence(), model.classes->deviations[0].sentence());
  EXPECT_EQ(back.classes->deviations[1].hosts, (std::vector<std::string>{"n0", "n1"}));
}

TEST(ClassesJson, OneNumberForEachClassOrKind) {
  const json document = sample();
  EXPECT_EQ(document.at("schema"), "commgauge.model/2");
  EXPECT_EQ(document.at("classes").at("ranks"),
            json::parse(R"([{"kind": 0, "group": 0, "count": 2}, {"kind": 1, "group": 1,
                             "count": 2}, {"kind": 0, "group": 2, "count": 2}])"));
  const json& hockney = document.at("models").at("hockney");
  EXPECT_EQ(hockney.at("alpha").at("value").size(), 8U);
  EXPECT_EQ(hockney.at("replicates").at("alpha").at(0).size(), 8U);
  EXPECT_EQ(document.at("models").at("lmo").at("C").at("high").size(), 2U);
  EXPECT_FALSE(document.at("models").at("lom").contains("L"));
  EXPECT_EQ(document.at("launches").at(0).at("ranks").at("hosts").at(1),
            json::parse(R"({"host": "n1", "count": 2})"));
}

TEST(ClassesJson, ProcessorsSpeedsStay) {
  Model model = samples::by_classes(2, 2);
  model.launches.front().ranks[2].kernel_s = 1e-3;
  const Model back = model_from_json(to_json(model), "model.json");
  EXPECT_EQ(back.launches.front().ranks[2].kernel_s, 1e-3);
  EXPECT_TRUE(std::isnan(back.launches.front().ranks[1].kernel_s));
}

TEST(ClassesJson, TheSampleStays) {
  Model model = samples::by_classes(2, 2);
  model.classes->sample = {3, 0};
  EXPECT_EQ(model_from_json(to_json(model), "model.json").classes->sample, (std::vector{3, 0}));
}

TEST(ClassesJson, GroupsAreNumberedByTheirFirstRanks) {
  Model model = samples::by_classes(2, 1);
  MachineClasses others = *model.classes;
  others.pairs =
      std::make_shared<const PairClasses>(std::vector<PairClasses::Rank>{{0, 900}, {1, -7}}, 2);
  model = laid_out(model, others, samples::places(2, 1));
  const Model back = model_from_json(to_json(model), "model.json");
  EXPECT_EQ(back.classes->pairs->of(0), (PairClasses::Rank{0, 0}));
  EXPECT_EQ(back.classes->pairs->of(1), (PairClasses::Rank{1, 1}));
}

TEST(ClassesJson, AThousandRanksAreASmallFile) {
  Model model = samples::by_classes(64, 16);
  PLogPParameters& p = model.plogp->value;
  const auto repeat = [](auto& parameters) {
    for (std::uint64_t size = 1 << 17; parameters.sizes.size() < 20; size *= 2) {
      parameters.sizes.push_back({size});
      for (auto* const list : {&parameters.o_s, &parameters.o_r, &parameters.g}) {
        list->push_back(list->back());
      }
    }
  };
  for (auto* const one : {&p, &model.plogp->low, &model.plogp->high}) repeat(*one);
  for (auto& replicate : model.plogp->replicates) repeat(replicate);
  for_each_fit(
      [](const FitFacts&, auto& fitted) {
        if (!fitted) return;
        while (fitted->replicates.size() < 20) fitted->replicates.push_back(fitted->value);
      },
      model);
  const std::string text = to_json(model);
  EXPECT_LT(text.size(), 1'000'000U);
  const Model back = model_from_json(text, "model.json");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.ranks, 1024);
  EXPECT_EQ(back.loggps->value.G(0, 1023), model.loggps->value.G(0, 1023));
}

TEST(ClassesJson, ErrorsNameFilePlaceAndReason) {
  EXPECT_EQ(message_with("/classes/ranks/1/kind", 2),
            "model.json: classes.ranks[1].kind: is not a kind (they are 0 to 1)");
  EXPECT_EQ(message_with("/classes/ranks/2/count", 3),
            "model.json: classes.ranks[2].count: makes more than 6 in all");
  EXPECT_EQ(message_with("/classes/ranks/2/count", 1),
            "model.json: classes.ranks: has 5 in all where 6 belong");
  EXPECT_EQ(message_with("/classes/ranks/0/count", 0),
            "model.json: classes.ranks[0].count: is not at least 1");
  EXPECT_EQ(message_with("/classes/ranks/0/group", 6),
            "model.json: classes.ranks[0].group: is not a group (they are 0 to 5)");
  EXPECT_EQ(message_with("/classes/kinds", json::array()),
            "model.json: classes.kinds: has 0 entries where 1 to 10000 belong");
  EXPECT_EQ(message_with("/classes/kinds/0/spread_fixed", -1),
            "model.json: classes.kinds[0].spread_fixed: is negative");
  EXPECT_EQ(message_with("/classes/deviations/0/where", "here"),
            "model.json: classes.deviations[0].where: is \"here\", which is not within_host, host "
            "or between_hosts");
  EXPECT_EQ(message_with("/classes/deviations/1/hosts", {"n0"}),
            "model.json: classes.deviations[1].hosts: has 1 entries where 2 belong");
  EXPECT_EQ(message_with("/classes/deviations/0/per_byte/low", 3),
            "model.json: classes.deviations[0].per_byte.low: is above the value");
  EXPECT_EQ(message_with("/classes/sample", {6}),
            "model.json: classes.sample[0]: is not a rank (they are 0 to 5)");
  EXPECT_EQ(message_with("/models/hockney/beta/value", {1, 2}),
            "model.json: models.hockney.beta.value: has 2 entries where 8 belong");
  EXPECT_EQ(message_with("/models/lmo/C/value", {1, 2, 3}),
            "model.json: models.lmo.C.value: has 3 entries where 2 belong");
  EXPECT_EQ(message_with("/models/hockney/beta/high/7", -1),
            "model.json: models.hockney.beta.high: is below the value, entry 7");
  EXPECT_EQ(message_with("/models/lmo/C/high/1", -1),
            "model.json: models.lmo.C.high: is below the value, entry 1");
  EXPECT_EQ(message_with("/models/plogp/g/high/1/7", -1),
            "model.json: models.plogp.g.high: is below the value, entry 1, 7");
  EXPECT_EQ(message_with("/launches/0/ranks/hosts/0/count", 4),
            "model.json: launches[0].ranks.hosts[2].count: makes more than 6 in all");
  EXPECT_EQ(message_with("/launches/0/ranks/hosts/0/count", 1),
            "model.json: launches[0].ranks.hosts: has 5 in all where 6 belong");
  EXPECT_EQ(message_with("/launches/0/ranks/cores/0/count", 4),
            "model.json: launches[0].ranks.cores[3].count: makes more than 6 in all");
  json without = sample();
  without.erase("classes");
  EXPECT_EQ(message_of(without.dump()), "model.json: classes: is missing");
}

TEST(ClassesJson, DamagedFilesAreReadOrRefused) {
  const auto read = [](const std::string& bad) {
    const Model model = model_from_json(bad, "model.json");
    EXPECT_EQ(model.classes ? model.classes->pairs->ranks() : model.ranks, model.ranks);
    EXPECT_TRUE(!model.lmo || model.lmo->value.L.size() == model.ranks);
  };
  const std::string good = to_json(samples::by_classes(3, 2));
  EXPECT_GE(samples::refused_of(good, 400, "model.json", read), 250);
}

}  // namespace commgauge::classes_json_test
