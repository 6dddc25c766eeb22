#include "commgauge/model/model_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "commgauge/model/model.hpp"
#include "refusal.hpp"

namespace commgauge::model_list_test {

using ::testing::ElementsAre;

std::vector<FitFacts> all_facts() {
  std::vector<FitFacts> all;
  for_each_fit([&](const FitFacts& facts) { all.push_back(facts); });
  return all;
}

TEST(ModelList, EveryModelSaysWhatItNeedsAndTells) {
  std::set<int> details;
  for (const FitFacts& facts : all_facts()) {
    SCOPED_TRACE(facts.name);
    if (!facts.is_model()) continue;
    const auto& [sweep, empty_one_to_two, one_to_two, bulk, overheads, curve] = facts.needs;
    EXPECT_TRUE(sweep || empty_one_to_two || one_to_two || bulk || overheads || curve);
    EXPECT_TRUE(facts.predicts);
    EXPECT_GT(facts.tells.detail, 0);
    EXPECT_TRUE(details.insert(facts.tells.detail).second) << "no two are as detailed";
    EXPECT_EQ(facts.model, facts.name);
  }
}

TEST(ModelList, NamesTitlesAndLabelsAreUnique) {
  std::set<std::string> names;
  std::set<std::string> titles;
  std::set<std::string> labels;
  for (const FitFacts& facts : all_facts()) {
    SCOPED_TRACE(facts.name);
    EXPECT_TRUE(!facts.name.empty() && names.emplace(facts.name).second);
    EXPECT_TRUE(!facts.title.empty() && titles.emplace(facts.title).second);
    EXPECT_TRUE(!facts.label.empty() && labels.emplace(facts.label).second);
  }
}

TEST(ModelList, PartsFollowTheirModel) {
  std::set<std::string> models;
  for (const FitFacts& facts : all_facts()) {
    if (facts.is_model()) {
      models.emplace(facts.name);
    } else {
      const bool is_beside_all = facts.model.empty() && !facts.predicts;
      EXPECT_TRUE(is_beside_all || models.contains(std::string{facts.model})) << facts.name;
    }
  }
}

/// One-to-twos are of three ranks, all else of two.
TEST(ModelList, ThreeRanksWhereThereAreTwoPeers) {
  for (const std::string& name : model_names()) {
    const bool has_fans = name == "lom" || name == "lmo" || name == "bottleneck";
    EXPECT_EQ(needs_three_ranks(name), has_fans) << name;
  }
}

TEST(ModelList, AsksForTheMostDetailedFirst) {
  EXPECT_THAT(models_that(&FitFacts::is_machine),
              ElementsAre("lmo", "bottleneck", "loggps", "plogp", "loggp", "logp", "lom", "curves",
                          "hockney"));
  EXPECT_THAT(models_that(&FitFacts::has_overheads),
              ElementsAre("loggps", "plogp", "loggp", "logp"));
  EXPECT_TRUE(models_that([](const FitFacts&) { return false; }).empty());
}

TEST(ModelList, FactsAreOfModelsOnly) {
  EXPECT_EQ(facts_of("plogp").title, "PLogP");
  for (const std::string name : {"hockney_rendezvous", "overhead_growth", ""}) {
    EXPECT_EQ(refusal([&] { (void)facts_of(name); }).rfind("unknown model '" + name + "'", 0), 0U);
  }
}

TEST(ModelList, TellsTheSizesThatAModelWasFittedFor) {
  Model model;
  model.hockney.emplace();
  model.hockney->first = Bytes{1};
  model.hockney->last = Bytes{1000};
  EXPECT_EQ(fitted_sizes(model, "hockney").last, Bytes{1000});
  model.hockney_rendezvous.emplace();
  model.hockney_rendezvous->first = Bytes{1001};
  model.hockney_rendezvous->last = Bytes{100'000};
  EXPECT_EQ(fitted_sizes(model, "hockney").first, Bytes{1});
  EXPECT_EQ(fitted_sizes(model, "hockney").last, Bytes{100'000});
}

}  // namespace commgauge::model_list_test
