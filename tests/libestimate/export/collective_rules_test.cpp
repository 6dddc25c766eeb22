#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "certain.hpp"
#include "commgauge/export/export.hpp"
#include "commgauge/predict/predict.hpp"
#include "refusal.hpp"

namespace commgauge {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::ordered_json;

constexpr int ranks = 8;
constexpr std::uint64_t last_size = 6000;

/// Trees are faster for small messages, flat algorithms for large ones.
Model machine(int n = ranks) {
  Model model;
  model.ranks = n;
  const auto count = static_cast<std::size_t>(n);
  AdditiveParameters lmo{std::vector<double>(count, 50 * us), std::vector<double>(count, 2 * ns),
                         Matrix(n, 10 * us), Matrix(n, 10 * ns)};
  lmo.C[2] = 70 * us;
  model.lmo = certain(lmo);
  model.lmo->first = Bytes{0};
  model.lmo->last = Bytes{last_size};
  return model;
}

Operation operation_of(int code) {
  if (code == 15) return Operation::scatter;
  return code == 9 ? Operation::gather : Operation::bcast;
}

struct Rule {
  std::uint64_t size;
  int algorithm;
};
using Rules = std::map<Operation, std::vector<Rule>>;

/// As Open MPI reads its file. Checks that what is not the model's is left to Open MPI.
Rules read_rules(const std::string& text, int n = ranks) {
  std::string numbers;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    numbers += line.substr(0, line.find('#')) + "\n";
  }
  std::istringstream in{numbers};
  const auto next = [&] {
    std::uint64_t number = 0;
    EXPECT_TRUE(in >> number);
    return number;
  };
  Rules rules;
  const std::uint64_t collectives = next();
  EXPECT_EQ(collectives, 3U);
  for (std::uint64_t c = 0; c < collectives; ++c) {
    auto& of_operation = rules[operation_of(static_cast<int>(next()))];
    EXPECT_EQ(next(), 2U);
    EXPECT_EQ(next(), static_cast<std::uint64_t>(n));
    const std::uint64_t count = next();
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t size = next();
      of_operation.push_back({size, static_cast<int>(next())});
      EXPECT_EQ(next(), 0U) << "fanout";
      EXPECT_EQ(next(), 0U) << "segment";
    }
    for (const int expected : {n + 1, 1, 0, 0, 0, 0}) {
      EXPECT_EQ(next(), static_cast<std::uint64_t>(expected));
    }
  }
  std::string rest;
  EXPECT_FALSE(in >> rest) << rest;
  return rules;
}

/// The last rule that begins at or below a size.
int algorithm_at(const std::vector<Rule>& rules, std::uint64_t size) {
  int algorithm = -1;
  for (const Rule& rule : rules) {
    if (rule.size <= size) algorithm = rule.algorithm;
  }
  return algorithm;
}

Service flat_service(Operation operation) {
  return operation == Operation::bcast ? Service::at_once : Service::in_turn;
}

double time_of(const Model& model, Operation operation, int root, std::uint64_t size,
               Algorithm algorithm) {
  return predict_time(model, {.model = "lmo",
                              .operation = operation,
                              .from = root,
                              .size = Bytes{size},
                              .algorithm = algorithm,
                              .service = flat_service(operation)})
      .value;
}

double sum_over_roots(const Model& model, Operation operation, std::uint64_t size,
                      Algorithm algorithm) {
  double sum = 0;
  for (int root = 0; root < model.ranks; ++root) {
    sum += time_of(model, operation, root, size, algorithm);
  }
  return sum;
}

int factor(Operation operation) { return operation == Operation::bcast ? 1 : ranks; }
int binomial_code(Operation operation) { return operation == Operation::bcast ? 6 : 2; }

/// At each single size.
void expect_the_faster(const Model& model) {
  const Rules rules = read_rules(export_model(model, ExportFormat::ompi_rules).text);
  for (const auto& [operation, of_operation] : rules) {
    int changes = 0;
    int before = -1;
    for (std::uint64_t size = 0; size <= last_size; ++size) {
      const bool tree_wins = sum_over_roots(model, operation, size, Algorithm::binomial) <
                             sum_over_roots(model, operation, size, Algorithm::flat);
      const int expected = tree_wins ? binomial_code(operation) : 1;
      const std::uint64_t counted = size * static_cast<std::uint64_t>(factor(operation));
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

TEST(CollectiveRules, SizesBelowTheModelsAreLeftToOpenMpi) {
  Model model = machine();
  model.lmo->first = Bytes{100};
  const Exported exported = export_model(model, ExportFormat::ompi_rules);
  const Rules rules = read_rules(exported.text);
  EXPECT_EQ(algorithm_at(rules.at(Operation::scatter), 799), 0);
  EXPECT_EQ(algorithm_at(rules.at(Operation::scatter), 800), 2);
  EXPECT_EQ(algorithm_at(rules.at(Operation::bcast), 99), 0);
  EXPECT_EQ(algorithm_at(rules.at(Operation::bcast), 100), 6);
  EXPECT_THAT(exported.losses, Contains(HasSubstr("blocks below 100 B and above")));
}

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
  EXPECT_THAT(certainty(machine()), HasSubstr("scatter of 1 KiB to 5.86 KiB"));
  EXPECT_THAT(certainty(machine()), HasSubstr("bcast of 4 KiB to 5.86 KiB"));
  Model equal = machine();
  equal.lmo->value.C[2] = 50 * us;
  equal.lmo = certain(equal.lmo->value);
  equal.lmo->last = Bytes{last_size};
  EXPECT_THAT(certainty(equal), HasSubstr("scatter of 2 KiB to 5.86 KiB"));
  EXPECT_THAT(certainty(equal), ::testing::EndsWith("bcast of 4.88 KiB")) << "where it changes";
  Model noisy = machine();
  noisy.lmo->residual = 0.3;
  EXPECT_THAT(certainty(noisy), HasSubstr("bcast of 0 B to 5.86 KiB"));
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
  model.launches.front().mpi_library = "MPICH Version: 4.0.2";
  const auto other = HasSubstr("the model was measured under 'MPICH Version: 4.0.2'");
  EXPECT_THAT(export_model(model, ExportFormat::ompi_rules).losses, Contains(other));
  EXPECT_THAT(export_model(model, ExportFormat::mpich_coll).losses, Not(Contains(other)));
  model.launches.front().mpi_library = "Open MPI v4.1.4, package: Debian OpenMPI";
  const auto was_open_mpi = HasSubstr("measured under 'Open MPI v4.1.4");
  EXPECT_THAT(export_model(model, ExportFormat::mpich_coll).losses, Contains(was_open_mpi));
  EXPECT_THAT(export_model(model, ExportFormat::ompi_rules).losses, Not(Contains(was_open_mpi)));
}

TEST(CollectiveRules, SayHowTheyAreUsedAndWhatGoesWrong) {
  const Exported open_mpi = export_model(machine(), ExportFormat::ompi_rules);
  EXPECT_THAT(open_mpi.usage, Contains(HasSubstr("coll_tuned_dynamic_rules_filename")));
  EXPECT_THAT(open_mpi.usage, Contains(HasSubstr("WRONG DATA")));
  const Exported mpich = export_model(machine(), ExportFormat::mpich_coll);
  EXPECT_THAT(mpich.usage, Contains(HasSubstr("MPIR_CVAR_IGATHER_TREE_KVAL=8")));
  EXPECT_THAT(mpich.usage, Contains(HasSubstr("CAN HANG")));
  Model slow = machine();
  slow.lmo->value.C = std::vector<double>(ranks, 1e-3);
  const Exported trees = export_model(slow, ExportFormat::mpich_coll);
  EXPECT_THAT(trees.usage, Not(Contains(HasSubstr("IGATHER"))));
  EXPECT_THAT(trees.usage, Not(Contains(HasSubstr("CAN HANG")))) << "as MPICH itself";
}

/// Of the rules for the model's communicators: limits as MPICH reads them, and what is chosen.
std::vector<std::pair<std::string, std::string>> mpich_rules(const Json& tree,
                                                             const std::string& collective) {
  const Json& intra = tree.at("collective=" + collective).at("comm_type=intra");
  std::vector<std::string> sizes;
  for (const auto& [key, value] : intra.items()) sizes.push_back(key);
  EXPECT_THAT(sizes, ::testing::ElementsAre("comm_size<8", "comm_size<=8", "comm_size=any"));
  std::vector<std::pair<std::string, std::string>> rules;
  for (const auto& [key, value] : intra.at("comm_size<=8").items()) {
    rules.emplace_back(key, value.begin().key());
  }
  return rules;
}

TEST(CollectiveRules, MpichHasTheSameSizesForBroadcast) {
  const Model model = machine();
  const Json tree = Json::parse(export_model(model, ExportFormat::mpich_coll).text);
  const auto rules = read_rules(export_model(model, ExportFormat::ompi_rules).text);
  const auto& bcast = rules.at(Operation::bcast);
  ASSERT_EQ(bcast.size(), 3U);
  const auto limit = [](std::uint64_t size) { return "avg_msg_size<=" + std::to_string(size - 1); };
  const auto found = mpich_rules(tree, "bcast");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0],
            std::pair(limit(bcast[1].size), std::string{"algorithm=MPIR_Bcast_intra_binomial"}));
  EXPECT_EQ(found[1],
            std::pair(limit(bcast[2].size), std::string{"algorithm=MPIR_Bcast_allcomm_nb"}));
  EXPECT_EQ(found[2].first, "avg_msg_size=any");
  const auto behind = mpich_rules(tree, "ibcast");
  ASSERT_EQ(behind.size(), 3U);
  EXPECT_EQ(behind[1].second, "algorithm=MPIR_Ibcast_intra_tsp_tree");
}

TEST(CollectiveRules, MpichCountsBlocksOfAllRanks) {
  const Json tree = Json::parse(export_model(machine(), ExportFormat::mpich_coll).text);
  for (const std::string collective : {"scatter", "gather"}) {
    const auto rules = mpich_rules(tree, collective);
    ASSERT_EQ(rules.size(), 3U);
    const std::uint64_t change = std::stoull(rules[0].first.substr(rules[0].first.find("<=") + 2));
    EXPECT_EQ(change % ranks, 0U);
    EXPECT_EQ(rules[1].first, "total_msg_size<=" + std::to_string(last_size * ranks));
  }
}

TEST(CollectiveRules, MpichsFileNamesEveryCollectiveAsBefore) {
  Model slow = machine();
  slow.lmo->value.C = std::vector<double>(ranks, 1e-3);
  const Json with_trees = Json::parse(export_model(slow, ExportFormat::mpich_coll).text);
  const Json tree = Json::parse(export_model(machine(), ExportFormat::mpich_coll).text);
  EXPECT_EQ(tree.size(), 44U);
  for (const auto& [collective, choice] : tree.items()) {
    const bool is_ours = collective == "collective=scatter" || collective == "collective=gather" ||
                         collective == "collective=bcast" || collective == "collective=ibcast";
    EXPECT_FALSE(choice.empty()) << collective;
    EXPECT_EQ(choice != with_trees.at(collective), is_ours) << collective;
  }
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
  EXPECT_EQ(read_rules(exported.text).at(Operation::bcast).size(), 3U);
}

}  // namespace
}  // namespace commgauge
