#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "collective_rules.hpp"
#include "commgauge/export/export.hpp"
#include "tries.hpp"

namespace commgauge::export_ompi_rules_test {

using collective_rules::algorithm_at;
using collective_rules::factor;
using collective_rules::is_open_mpis;
using collective_rules::last_size;
using collective_rules::machine;
using collective_rules::ranks;
using collective_rules::read_rules;
using collective_rules::Rules;
using collective_rules::time_of;
using ::testing::Contains;
using ::testing::HasSubstr;

double sum_over_roots(const Model& model, Operation operation, std::uint64_t size,
                      Algorithm algorithm) {
  double sum = 0;
  for (int root = 0; root < model.ranks; ++root) {
    sum += time_of(model, operation, root, size, algorithm);
  }
  return sum;
}

int binomial_code(Operation operation) { return operation == Operation::bcast ? 6 : 2; }

/// At each size.
void expect_the_faster(const Model& model) {
  const Rules rules = read_rules(export_model(model, ExportFormat::ompi_rules).text);
  for (const auto& [operation, of_operation] : rules) {
    int changes = 0;
    int before = -1;
    for (std::uint64_t size = 0; size <= last_size; size += testing::to_the_next_size) {
      const std::uint64_t counted = size * static_cast<std::uint64_t>(factor(operation));
      if (is_open_mpis(operation, size)) {
        ASSERT_EQ(algorithm_at(of_operation, counted), 0) << to_text(operation) << " of " << size;
        continue;
      }
      const bool tree_wins = sum_over_roots(model, operation, size, Algorithm::binomial) <
                             sum_over_roots(model, operation, size, Algorithm::flat);
      const int expected = tree_wins ? binomial_code(operation) : 1;
      ASSERT_EQ(algorithm_at(of_operation, counted), expected)
          << to_text(operation) << " of " << size;
      changes += before >= 0 && expected != before;
      before = expected;
    }
    EXPECT_GE(changes, 1) << to_text(operation) << " shows nothing";
    const std::uint64_t beyond = (last_size + 1) * static_cast<std::uint64_t>(factor(operation));
    EXPECT_EQ(algorithm_at(of_operation, beyond), 0);
    EXPECT_NE(algorithm_at(of_operation, beyond - 1), 0);
  }
}

TEST(CollectiveRules, OpenMpiTakesTheFasterToTheByte) { expect_the_faster(machine()); }

TEST(CollectiveRules, StepsAtTheEagerLimitAreFoundToTheByte) {
  Model model = machine();
  model.eager_limit = Bytes{1537};
  model.lmo->value.C = std::vector<double>(ranks, 20 * us);
  expect_the_faster(model);
}

/// As many as the library's own choice changes, and the whole of each range.
TEST(CollectiveRules, SizesAtWhichOpenMpiTakesAnotherAreLeftToIt) {
  const Exported exported = export_model(machine(), ExportFormat::ompi_rules);
  EXPECT_THAT(exported.losses,
              Contains(HasSubstr("it stays: bcast of 0 B to 63 B (binary_tree), 128 B to 2 KiB "
                                 "(binary_tree)")));
  const auto bcast = read_rules(exported.text).at(Operation::bcast);
  std::vector<std::uint64_t> changes;
  for (const auto& rule : bcast) changes.push_back(rule.size);
  ASSERT_EQ(changes.size(), 6U);
  EXPECT_THAT(changes, ::testing::ElementsAre(0, 64, 128, 2048, ::testing::_, last_size + 1));
}

TEST(CollectiveRules, SizesBelowTheModelsAreLeftToOpenMpi) {
  Model model = machine();
  model.lmo->first = Bytes{100};
  const Exported exported = export_model(model, ExportFormat::ompi_rules);
  const Rules rules = read_rules(exported.text);
  EXPECT_EQ(algorithm_at(rules.at(Operation::scatter), 599), 0);
  EXPECT_EQ(algorithm_at(rules.at(Operation::scatter), 600), 2);
  EXPECT_EQ(algorithm_at(rules.at(Operation::bcast), 99), 0);
  EXPECT_EQ(algorithm_at(rules.at(Operation::bcast), 100), 6);
  EXPECT_THAT(exported.losses, Contains(HasSubstr("blocks below 100 B and above")));
}

}  // namespace commgauge::export_ompi_rules_test
