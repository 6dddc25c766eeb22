#include "commgauge/model/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "commgauge/base/error.hpp"
#include "samples.hpp"

namespace commgauge::model_test {

using ::testing::ElementsAre;

TEST(Model, PrefersTheBestRankedThatIsThere) {
  Model m = samples::model();
  EXPECT_EQ(m.preferred(), "lmo");
  m.lmo.reset();
  EXPECT_EQ(m.preferred(), "lom");
  m.ranking.clear();
  m.hockney.reset();
  m.lom.reset();
  EXPECT_EQ(m.preferred(), "bottleneck");
}

TEST(Model, KnowsItsModels) {
  EXPECT_THAT(model_names(), ElementsAre("hockney", "lom", "lmo", "bottleneck", "logp", "loggp",
                                         "loggps", "plogp", "curves", "start_up"));
  Model m = samples::model();
  for (const std::string& name : model_names()) EXPECT_TRUE(m.has(name));
  EXPECT_FALSE(m.has("overhead_growth"));
  for (const std::string& name : model_names()) EXPECT_FALSE(Model{}.has(name));
  m.hockney.reset();
  EXPECT_FALSE(m.has("hockney"));
}

TEST(Model, KnowsItsHosts) {
  EXPECT_EQ(samples::model().host(2), "h2");
  EXPECT_THROW((void)samples::model().host(3), InputError);
  EXPECT_THROW((void)samples::model().host(-1), InputError);
}

TEST(Model, NamesTheBestRankedFirst) {
  Model model = samples::model();
  model.lom.reset();
  EXPECT_THAT(model.names(), ElementsAre("lmo", "hockney", "bottleneck", "logp", "loggp", "loggps",
                                         "plogp", "curves", "start_up"));
  EXPECT_TRUE(Model{}.names().empty());
}

TEST(Model, WarningsOfTheFileAndOfEachFit) {
  Model model;
  model.warnings = {{.kind = "odd", .problem = "rank 1"}, {.kind = "odd", .problem = "rank 2"}};
  model.lmo = samples::model().lmo;
  model.lmo->warnings = {{.kind = "odd", .count = 4, .problem = "odd times", .advice = "repeat"},
                         {.kind = "steep", .problem = "odd slopes", .reason = "7 %"},
                         {.kind = "odd", .count = 2, .problem = "odder times"}};
  EXPECT_THAT(model.warning_texts(),
              ElementsAre("rank 1", "rank 2", "lmo: odd times: repeat (and 1 more of this kind)",
                          "lmo: odd slopes (7 %)"));
  const std::vector<Warning> all = model.all_warnings();
  EXPECT_EQ(all[1].label + all[1].model, "");
  EXPECT_EQ(all[1].more, 0);
  EXPECT_EQ(all[2].label, "lmo");
  EXPECT_EQ(all[2].model, "lmo");
  EXPECT_EQ(all[2].diagnostic.count, 4);
  EXPECT_EQ(all[2].more, 1);
  EXPECT_EQ(all[2].sentence(), "odd times: repeat (and 1 more of this kind)");
  EXPECT_EQ(all[3].more, 0);
}

/// Of one kind in each fit the first, and which model the fit is part of.
TEST(Model, WarningsKnowTheirFit) {
  Model model;
  model.hockney = samples::model().hockney;
  model.hockney_rendezvous = model.hockney;
  model.overhead_growth = samples::model().overhead_growth;
  model.hockney->warnings = {{.kind = "odd", .problem = "odd"}};
  model.hockney_rendezvous->warnings = {{.kind = "odd", .problem = "odd"}};
  model.overhead_growth->warnings = {{.kind = "odd", .problem = "odd"}};
  EXPECT_THAT(
      model.warning_texts(),
      ElementsAre("hockney: odd", "hockney above the eager limit: odd", "overhead_growth: odd"));
  const std::vector<Warning> all = model.all_warnings();
  EXPECT_EQ(all[1].model, "hockney");
  EXPECT_EQ(all[2].model, "");
}

TEST(ReplicateKind, HasNames) {
  EXPECT_EQ(to_text(ReplicateKind::passes), "passes");
  EXPECT_EQ(to_text(ReplicateKind::launches), "launches");
  EXPECT_EQ(to_text(ReplicateKind::draws), "draws");
}

}  // namespace commgauge::model_test
