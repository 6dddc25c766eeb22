// What is faster on links that ranks of a host share. By hand: six ranks on three hosts, whose
// links take far longer for a byte than any pair does; formulas know nothing of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "collective_rules.hpp"
#include "commgauge/export/export.hpp"
#include "commgauge/predict/collective_plan.hpp"
#include "commgauge/predict/predict.hpp"
#include "tries.hpp"

namespace commgauge::simulate::choices_test {

using collective_rules::algorithm_at;
using collective_rules::factor;
using collective_rules::last_size;
using collective_rules::ranks;
using collective_rules::read_rules;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Model on_shared_links() {
  Model model = collective_rules::machine();
  model.launches.emplace_back();
  for (int rank = 0; rank < ranks; ++rank) {
    model.launches.front().ranks.push_back({"h" + std::to_string(rank / 2), {0}});
  }
  const std::vector<double> all(ranks, 100e-9);
  const std::vector<double> none(ranks, std::nan(""));
  model.host_links = certain(HostLinks{all, all, none, none});
  return model;
}

Model on_free_links() {
  Model model = on_shared_links();
  model.host_links.reset();
  return model;
}

Query query_of(commgauge::Operation operation, int root, std::uint64_t size,
               commgauge::Algorithm algorithm) {
  return {.model = "lmo",
          .operation = operation,
          .from = root,
          .size = Bytes{size},
          .algorithm = algorithm == Algorithm::flat ? collective_rules::flat_algorithm(operation)
                                                    : algorithm};
}

/// Of all roots.
double time_of(const Model& model, commgauge::Operation operation, std::uint64_t size,
               commgauge::Algorithm algorithm) {
  double sum = 0;
  for (int root = 0; root < ranks; ++root) {
    sum += predict(model, query_of(operation, root, size, algorithm)).time.value;
  }
  return sum;
}

TEST(Choices, RulesAreWhatPredictionsSay) {
  const Model model = on_shared_links();
  const Exported exported = export_model(model, ExportFormat::ompi_rules, "lmo");
  const auto without_links =
      read_rules(export_model(on_free_links(), ExportFormat::ompi_rules, "lmo").text);
  long differ = 0;
  for (const auto& [operation, rules] : read_rules(exported.text)) {
    for (std::uint64_t size = 2048; size <= last_size;
         size += 50 + 50 * testing::to_the_next_size) {
      const double flat = time_of(model, operation, size, commgauge::Algorithm::flat);
      const double tree = time_of(model, operation, size, commgauge::Algorithm::binomial);
      const std::uint64_t counted = size * static_cast<std::uint64_t>(factor(operation));
      const int found = algorithm_at(rules, counted);
      EXPECT_EQ(found == 1, flat <= tree) << to_text(operation) << " of " << size;
      differ += found != algorithm_at(without_links.at(operation), counted);
    }
  }
  EXPECT_GT(differ, 0) << "shows nothing";
}

TEST(Choices, ExportsSayWhereLinksAreLeftOut) {
  const Model model = on_shared_links();
  const auto said = Contains(HasSubstr("host_links"));
  EXPECT_THAT(export_model(model, ExportFormat::simgrid, "lmo").losses, said);
  for (const ExportFormat format : {ExportFormat::ompi_rules, ExportFormat::mpich_coll}) {
    EXPECT_THAT(export_model(model, format, "lmo").losses, Not(said));
  }
}

TEST(Choices, ExportsSayWhereLinksBetweenHostsAreLeftOut) {
  Model model = on_free_links();
  model.fabric.emplace();
  model.fabric->groups = {{{model.host(0)}, {}}};
  model.fabric->value = {{1e-9}, {1e-9}, std::nan("")};
  const auto said = Contains(HasSubstr("(fabric)"));
  EXPECT_THAT(export_model(model, ExportFormat::simgrid, "lmo").losses, Not(said));
  for (const ExportFormat format : {ExportFormat::ompi_rules, ExportFormat::mpich_coll}) {
    EXPECT_THAT(export_model(model, format, "lmo").losses, Not(said));
  }
  const Matrix beta(ranks, 1e-9);
  model.hockney = certain(HockneyParameters{Matrix(ranks, 20e-6), beta, 20e-6, 1e-9});
  EXPECT_THAT(export_model(model, ExportFormat::dimemas, "hockney").losses, said);
}

TEST(Choices, TheFasterIsTheOneThatIsPredictedToBe) {
  const Model model = on_shared_links();
  long differ = 0;
  for (const auto operation :
       {commgauge::Operation::scatter, commgauge::Operation::gather, commgauge::Operation::bcast}) {
    for (const std::uint64_t size : {1000U, 3000U, 6000U}) {
      const Query flat = query_of(operation, 0, size, commgauge::Algorithm::flat);
      const Query tree = query_of(operation, 0, size, commgauge::Algorithm::binomial);
      const bool is_flat = predict(model, flat).time <= predict(model, tree).time;
      const FasterAlgorithm found = faster_algorithm(model, flat);
      EXPECT_EQ(found.algorithm == commgauge::Algorithm::flat, is_flat)
          << to_text(operation) << " of " << size;
      differ += found.algorithm != faster_algorithm(on_free_links(), flat).algorithm;
    }
  }
  EXPECT_GT(differ, 0) << "shows nothing";
}

/// The file's checks were predicted as everything is: on the virtual machine.
TEST(Choices, MeasuredTimesAreComparedWithWhatWasPredicted) {
  Model model = on_shared_links();
  const Query flat = query_of(commgauge::Operation::gather, 0, 6000, commgauge::Algorithm::flat);
  const Query tree =
      query_of(commgauge::Operation::gather, 0, 6000, commgauge::Algorithm::binomial);
  const double told = predict(model, flat).time.value;
  ASSERT_LT(told, predict(model, tree).time.value);
  model.checks.push_back({"lmo", commgauge::Operation::gather, Bytes{6000}, 0, -1, told, told});
  const auto faster = [&] { return faster_algorithm(model, flat).algorithm; };
  EXPECT_EQ(faster(), commgauge::Algorithm::flat);
  model.checks.front().measured_s *= 2;
  EXPECT_EQ(faster(), commgauge::Algorithm::binomial) << "what the machine doesn't know counts";
}

}  // namespace commgauge::simulate::choices_test
