#include "export/collective_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "certain.hpp"
#include "collective_rules.hpp"
#include "commgauge/export/export.hpp"
#include "commgauge/predict/predict.hpp"
#include "refusal.hpp"

namespace commgauge::collective_choice_test {

using collective_rules::algorithm_at;
using collective_rules::factor;
using collective_rules::is_open_mpis;
using collective_rules::last_size;
using collective_rules::machine;
using collective_rules::ranks;
using collective_rules::read_rules;
using collective_rules::time_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CollectiveRules, SayWhatOneChoiceForAllRootsCosts) {
  EXPECT_GT(export_model(machine(), ExportFormat::ompi_rules).worst_error, 0.001);
  Model equal = machine();
  equal.lmo->value.C[2] = 50 * us;
  EXPECT_NEAR(export_model(equal, ExportFormat::ompi_rules).worst_error, 0, 1e-9);
}

/// Of any root, at each single size, by the rules as Open MPI reads them.
TEST(CollectiveRules, NoChoiceIsFartherOffThanIsSaid) {
  Model model = machine();
  model.eager_limit = Bytes{1537};
  model.lmo->value.C = std::vector<double>(ranks, 20 * us);
  model.lmo->value.C[2] = 90 * us;
  const Exported exported = export_model(model, ExportFormat::ompi_rules);
  double worst = 0;
  for (const auto& [operation, rules] : read_rules(exported.text)) {
    for (std::uint64_t size = 0; size <= last_size; ++size) {
      if (is_open_mpis(operation, size)) continue;
      const bool is_flat =
          algorithm_at(rules, size * static_cast<std::uint64_t>(factor(operation))) == 1;
      for (int root = 0; root < ranks; ++root) {
        const double flat = time_of(model, operation, root, size, Algorithm::flat);
        const double tree = time_of(model, operation, root, size, Algorithm::binomial);
        worst = std::max(worst, (is_flat ? flat : tree) / std::min(flat, tree) - 1);
      }
    }
  }
  EXPECT_GT(worst, 0.1) << "shows nothing";
  EXPECT_NEAR(exported.worst_error, worst, 1e-9);
}

TEST(CollectiveRules, SayWhereTheyAreNotCertain) {
  const auto certainty = [](const Model& model) {
    const Exported exported = export_model(model, ExportFormat::ompi_rules);
    const auto found = std::ranges::find_if(
        exported.losses, [](const std::string& loss) { return loss.starts_with("certainty"); });
    return found == exported.losses.end() ? std::string{} : *found;
  };
  // Rank 2's would change elsewhere; trees of blocks send more than was fitted.
  EXPECT_THAT(certainty(machine()), HasSubstr("scatter of 256 B to 5.86 KiB"));
  EXPECT_THAT(certainty(machine()), HasSubstr("bcast of 2 KiB to 5.86 KiB"));
  Model equal = machine();
  equal.lmo->value.C[2] = 50 * us;
  equal.lmo = certain(equal.lmo->value);
  equal.lmo->last = Bytes{last_size};
  equal.lmo->residual = 1e-5;
  EXPECT_THAT(certainty(equal), HasSubstr("scatter of 1.82 KiB, 4 KiB to 5.86 KiB"));
  EXPECT_THAT(certainty(equal), ::testing::EndsWith("bcast of 5.46 KiB")) << "where it changes";
  Model noisy = machine();
  noisy.lmo->residual = 0.3;
  EXPECT_THAT(certainty(noisy), HasSubstr("bcast of 64 B to 127 B, 2 KiB to 5.86 KiB"));
  Model unknown = machine();
  unknown.lmo->replicates.resize(1);
  EXPECT_THAT(certainty(unknown), HasSubstr("scatter of 0 B to 5.86 KiB"));
}

TEST(CollectiveRules, SayWhetherFlatGathersEscalateWhereTheyAreChosen) {
  Model model = machine();
  model.thresholds = MachineThresholds{};
  model.thresholds->gather_m1.size = Bytes{3000};
  model.thresholds->gather_m2.size = Bytes{4000};
  EXPECT_THAT(export_model(model, ExportFormat::ompi_rules).losses,
              Contains(AllOf(HasSubstr("above 2.93 KiB, up to 3.91 KiB, escalated"),
                             HasSubstr("takes flat ones there"))));
  model.thresholds->gather_m1.size = Bytes{10};
  model.thresholds->gather_m2.size = Bytes{20};
  EXPECT_THAT(export_model(model, ExportFormat::ompi_rules).losses,
              Contains(HasSubstr("takes none there")));
}

TEST(CollectiveRules, SayWhenAnotherMpiWasMeasured) {
  Model model = machine();
  model.launches.resize(1);
  model.launches.front().ranks.resize(ranks);
  model.launches.front().mpi_library = "MPICH Version: 4.0.2";
  const auto other = HasSubstr("the model was measured under 'MPICH Version: 4.0.2'");
  EXPECT_THAT(export_model(model, ExportFormat::ompi_rules).losses, Contains(other));
  EXPECT_THAT(export_model(model, ExportFormat::mpich_coll).losses, Not(Contains(other)));
  model.launches.front().mpi_library = "Open MPI v4.1.4, package: Debian OpenMPI";
  const auto was_open_mpi = HasSubstr("measured under 'Open MPI v4.1.4");
  EXPECT_THAT(export_model(model, ExportFormat::mpich_coll).losses, Contains(was_open_mpi));
  EXPECT_THAT(export_model(model, ExportFormat::ompi_rules).losses, Not(Contains(was_open_mpi)));
}

TEST(CollectiveRules, RefuseWhatWouldBeNonsense) {
  const auto refused = [](const Model& model, const std::string& name = "") {
    EXPECT_THAT(refusal([&] { (void)export_model(model, ExportFormat::mpich_coll, name); }),
                Not(IsEmpty()));
    return refusal([&] { (void)export_model(model, ExportFormat::ompi_rules, name); });
  };
  EXPECT_THAT(refused(machine(3)), HasSubstr("3 ranks"));
  EXPECT_THAT(refused(Model{}), HasSubstr("no model for ompi-rules"));
  EXPECT_THAT(refused(machine(), "logp"), HasSubstr("can't hold the model logp"));
  Model negative = machine();
  negative.lmo->value.inverse_beta = Matrix(ranks, -100 * ns);
  EXPECT_THAT(refused(negative), HasSubstr("no time above 0"));
  Model large = machine();
  large.lmo->first = Bytes{1U << 30U};
  large.lmo->last = Bytes{1U << 31U};
  EXPECT_THAT(refused(large), HasSubstr("MPI's counts"));
  Model partial = machine();
  partial.lmo->value.L(0, 1) = std::nan("");
  EXPECT_THAT(refused(partial), HasSubstr("not measured"));
}

TEST(CollectiveRules, AnyModelOfMessagesWillDo) {
  Model model = machine();
  model.lmo.reset();
  model.hockney =
      certain(HockneyParameters{Matrix(ranks, 50 * us), Matrix(ranks, 10 * ns), 50 * us, 10 * ns});
  const Exported exported = export_model(model, ExportFormat::ompi_rules);
  EXPECT_EQ(exported.model, "hockney");
  EXPECT_EQ(read_rules(exported.text).at(Operation::gather).size(), 3U);
}

/// A library that takes what is compared but for some sizes.
RuledLibrary library_with(const std::vector<schedule::OwnChoice>& own) {
  return {"it",
          {Algorithm::flat, Algorithm::flat, Algorithm::at_once},
          {"flat", "tree"},
          [own](const Model&, const schedule::Collective&) { return own; }};
}

std::vector<CollectiveChoice> choices_beside(const std::vector<schedule::OwnChoice>& own,
                                             const Model& model = machine()) {
  return choose_collectives(model, "lmo", library_with(own));
}

std::string ranges_text(const CollectiveChoice& choice) {
  std::string text;
  for (const SizeRange& range : choice.ranges) {
    text += std::to_string(range.first.value) + "-" + std::to_string(range.last.value) + " " +
            (range.algorithm ? std::string{to_text(*range.algorithm)} : range.own) + "; ";
  }
  return text;
}

TEST(CollectiveChoice, RangesEndWhereTheLibraryTakesAnother) {
  const std::string change =
      std::to_string(choices_beside({{Bytes{0}, "flat"}})[2].ranges[1].first.value);
  const std::string before = std::to_string(std::stoull(change) - 1);
  // Flat and tree are both compared, so nothing changes between them.
  EXPECT_EQ(ranges_text(choices_beside({{Bytes{0}, "flat"}, {Bytes{100}, "tree"}})[2]),
            "0-" + before + " binomial; " + change + "-6000 flat; ");
  EXPECT_EQ(ranges_text(choices_beside({{Bytes{0}, "ring"}, {Bytes{100}, "tree"}})[2]),
            "0-99 ring; 100-" + before + " binomial; " + change + "-6000 flat; ");
  EXPECT_EQ(ranges_text(choices_beside({{Bytes{0}, "tree"},
                                        {Bytes{50}, "ring"},
                                        {Bytes{60}, "chain"},
                                        {Bytes{5999}, "flat"}})[2]),
            "0-49 binomial; 50-59 ring; 60-5998 chain; 5999-6000 flat; ");
  EXPECT_EQ(ranges_text(choices_beside({{Bytes{0}, "ring"}, {Bytes{6001}, "tree"}})[2]),
            "0-6000 ring; ");
  Model large = machine();
  large.lmo->first = Bytes{100};
  EXPECT_EQ(ranges_text(choices_beside(
                {{Bytes{0}, "tree"}, {Bytes{50}, "ring"}, {Bytes{120}, "tree"}}, large)[2]),
            "100-119 ring; 120-" + before + " binomial; " + change + "-6000 flat; ");
}

TEST(CollectiveChoice, OnlyRulesAreJudged) {
  const CollectiveChoice none = choices_beside({{Bytes{0}, "ring"}})[2];
  EXPECT_EQ(none.worst_excess, 0);
  EXPECT_THAT(none.uncertain, IsEmpty());
  EXPECT_FALSE(has_rules(none));
  EXPECT_FALSE(has_flat(none));
  EXPECT_TRUE(has_rules(choices_beside({{Bytes{0}, "tree"}})[2]));
}

TEST(CollectiveChoice, RangesAreAscendingWithoutGaps) {
  const auto choices = choices_beside({{Bytes{0}, "flat"}});
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_EQ(choices[0].operation, Operation::scatter);
  EXPECT_EQ(choices[1].operation, Operation::gather);
  EXPECT_EQ(choices[2].operation, Operation::bcast);
  for (const CollectiveChoice& choice : choices) {
    EXPECT_EQ(choice.ranges.front().first, Bytes{0});
    EXPECT_EQ(choice.ranges.back().last, Bytes{last_size});
    for (std::size_t i = 1; i < choice.ranges.size(); ++i) {
      EXPECT_EQ(choice.ranges[i].first.value, choice.ranges[i - 1].last.value + 1);
      EXPECT_NE(choice.ranges[i].algorithm, choice.ranges[i - 1].algorithm);
    }
  }
}

TEST(CollectiveChoice, SizesCountAsTheLibrariesCountThem) {
  EXPECT_EQ(size_factor(machine(), Operation::scatter), 6U);
  EXPECT_EQ(size_factor(machine(), Operation::gather), 6U);
  EXPECT_EQ(size_factor(machine(), Operation::bcast), 1U);
  const CollectiveChoice trees{
      Operation::gather, {{Bytes{0}, Bytes{9}, Algorithm::binomial}}, 0.25, {}};
  CollectiveChoice mixed = trees;
  mixed.ranges.push_back({Bytes{10}, Bytes{99}, Algorithm::flat});
  mixed.worst_excess = 0.5;
  EXPECT_FALSE(has_flat(trees));
  EXPECT_TRUE(has_flat(mixed));
  EXPECT_EQ(worst_excess({trees, mixed, trees}), 0.5);
}

}  // namespace commgauge::collective_choice_test
