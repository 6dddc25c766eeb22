#include "commgauge/model/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "commgauge/base/error.hpp"
#include "damage.hpp"
#include "refusal.hpp"
#include "samples.hpp"

namespace commgauge::model_json_test {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const std::string& text) {
  return refusal([&] { (void)model_from_json(text, "model.json"); });
}

json sample() { return json::parse(to_json(samples::model())); }

/// The message after one value of the sample was replaced.
std::string message_with(const std::string& pointer, const json& value) {
  json document = sample();
  document.at(json::json_pointer{pointer}) = value;
  return message_of(document.dump());
}

std::string message_without(const std::string& parent, const std::string& member) {
  json document = sample();
  document.at(json::json_pointer{parent}).erase(member);
  return message_of(document.dump());
}

bool same(const Matrix& a, const Matrix& b) {
  const auto equal = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) ||
           std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end(),
                    equal);
}

TEST(Model, ReadBackAsWritten) {
  const Model m = samples::model();
  const std::string text = to_json(m);
  const Model back = model_from_json(text, "model.json");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.launches.size(), 2U);
  EXPECT_TRUE(same(back.hockney->value.alpha, m.hockney->value.alpha));
  EXPECT_TRUE(same(back.hockney->value.beta, m.hockney->value.beta));
  EXPECT_TRUE(same(back.lmo->replicates[2].L, m.lmo->replicates[2].L));
  EXPECT_TRUE(same(back.bottleneck->high.inverse_beta, m.bottleneck->high.inverse_beta));
  EXPECT_EQ(back.hockney_rendezvous->value.mean_beta, m.hockney_rendezvous->value.mean_beta);
  EXPECT_EQ(back.lmo->replicate_kind, ReplicateKind::draws);
  EXPECT_EQ(back.lmo->last, Bytes{65536});
  EXPECT_EQ(back.lmo->observations, 42);
  EXPECT_EQ(back.ranking[0].operations, m.ranking[0].operations);
  EXPECT_EQ(back.checks[1].to, -1);
}

TEST(Model, SymmetricMatricesAreWrittenFromTheDiagonalOn) {
  const json alpha = sample().at("/models/hockney/alpha"_json_pointer);
  EXPECT_EQ(alpha.at("symmetric"), true);
  EXPECT_EQ(alpha.at("value").at(1), (json{nullptr, 1.3e-5}));
  EXPECT_EQ(alpha.at("value").at(2), (json{nullptr}));
  const json beta = sample().at("/models/hockney/beta"_json_pointer);
  EXPECT_FALSE(beta.contains("symmetric"));
  EXPECT_EQ(beta.at("value").at(2).size(), 3U);
}

TEST(Model, OneAsymmetricReplicateKeepsBothTriangles) {
  Model m = samples::model();
  m.lmo->replicates[1].L(2, 0) *= 2;
  const Model back = model_from_json(to_json(m), "model.json");
  EXPECT_TRUE(same(back.lmo->replicates[1].L, m.lmo->replicates[1].L));
  EXPECT_TRUE(same(back.lmo->value.L, m.lmo->value.L));
}

TEST(Model, SymmetricMatricesMayHaveFullRows) {
  json document = sample();
  document["models"]["lmo"]["L"]["value"] = {
      {nullptr, 4e-6, 6e-6}, {4e-6, nullptr, 2.6e-5}, {6e-6, 2.6e-5, nullptr}};
  const Model back = model_from_json(document.dump(), "model.json");
  EXPECT_EQ(back.lmo->value.L(2, 1), 2.6e-5);
  document["models"]["lmo"]["L"]["value"][2][1] = 2.5e-5;
  EXPECT_EQ(message_of(document.dump()),
            "model.json: models.lmo.L.value[2][1]: differs from its mirror in a symmetric matrix");
}

TEST(Model, LomHasNoLatency) {
  EXPECT_FALSE(sample().at("/models/lom"_json_pointer).contains("L"));
  const Model back = model_from_json(to_json(samples::model()), "model.json");
  EXPECT_EQ(back.lom->value.L.size(), 0);
  EXPECT_EQ(back.lom->replicates[0].L.size(), 0);
  EXPECT_EQ(back.lmo->value.L(0, 1), 4e-6);
}

TEST(Model, ABoundHasOnlyAHighEnd) {
  const json s = sample().at("/models/bottleneck/s"_json_pointer);
  EXPECT_TRUE(s.at("value").at(0).is_null());
  EXPECT_TRUE(s.at("low").at(0).is_null());
  EXPECT_EQ(s.at("high").at(0), 4e-9 * 1.1);
  const Model back = model_from_json(to_json(samples::model()), "model.json");
  EXPECT_TRUE(std::isnan(back.bottleneck->value.s[0]));
  EXPECT_TRUE(std::isnan(back.bottleneck->value.inverse_beta(0, 1)));
  EXPECT_EQ(back.bottleneck->high.s[0], 4e-9 * 1.1);
  EXPECT_EQ(message_with("/models/bottleneck/s/low/0", 1e-9),
            "model.json: models.bottleneck.s.low: is set where value is null, entry 0");
}

TEST(Model, ThresholdsKeepTheirIntervalsAndReasons) {
  const Model m = samples::model();
  const Model back = model_from_json(to_json(m), "model.json");
  ASSERT_TRUE(back.thresholds.has_value());
  EXPECT_EQ(back.thresholds->confidence, m.thresholds->confidence);
  EXPECT_EQ(back.thresholds->eager_limit.high, Bytes{19494});
  EXPECT_EQ(back.thresholds->scatter_break.size, Bytes{65536});
  EXPECT_EQ(back.thresholds->scatter_break.low, Bytes{32768});
  EXPECT_EQ(back.thresholds->gather_m1.size, std::nullopt);
  EXPECT_EQ(back.thresholds->gather_m1.reason, m.thresholds->gather_m1.reason);
  EXPECT_EQ(back.thresholds->gather_m2.high, std::nullopt);
  EXPECT_FALSE(sample().at("/thresholds/eager_limit_bytes"_json_pointer).contains("reason"));
  EXPECT_EQ(message_with("/thresholds/scatter_break_bytes/low", 65537),
            "model.json: thresholds.scatter_break_bytes.low: is above the value");
  EXPECT_EQ(message_with("/thresholds/scatter_break_bytes/high", 65535),
            "model.json: thresholds.scatter_break_bytes.high: is below the value");
  EXPECT_EQ(message_with("/thresholds/scatter_break_bytes",
                         {{"value", nullptr}, {"low", 2}, {"high", 1}}),
            "model.json: thresholds.scatter_break_bytes.high: is below low");
  EXPECT_EQ(message_with("/thresholds/gather_m1_bytes", nullptr),
            "model.json: thresholds.gather_m1_bytes: is not an object");
  EXPECT_EQ(message_with("/thresholds/gather_m2_bytes/value", 1.5),
            "model.json: thresholds.gather_m2_bytes.value: is not an integer");
}

TEST(Model, ThresholdsSayWhichSweepsTheyAreOf) {
  const MachineThresholds back =
      *model_from_json(to_json(samples::model()), "model.json").thresholds;
  ASSERT_TRUE(back.scatter_sweep && back.gather_sweep);
  EXPECT_EQ(back.scatter_sweep->algorithm, "flat");
  EXPECT_EQ(back.scatter_sweep->timing, "global");
  EXPECT_EQ(back.scatter_sweep->root, 1);
  EXPECT_EQ(back.scatter_sweep->launches, (std::vector{0, 1}));
  EXPECT_EQ(back.gather_sweep->timing, "");
  EXPECT_EQ(back.gather_sweep->root, std::nullopt);
  json old = sample();
  old["thresholds"].erase("scatter_sweep");
  old["thresholds"].erase("gather_sweep");
  EXPECT_FALSE(model_from_json(old.dump(), "model.json").thresholds->scatter_sweep);
}

TEST(Model, KappasBelongToTheirModel) {
  const Model m = samples::model();
  const Model back = model_from_json(to_json(m), "model.json");
  ASSERT_EQ(back.kappas.size(), 2U);
  EXPECT_EQ(back.kappas[0].first, "lom");
  const auto& [name, kappas] = back.kappas[1];
  EXPECT_EQ(name, "lmo");
  EXPECT_EQ(kappas.root, 2);
  EXPECT_EQ(kappas.kappa1.value.value, 2e-9);
  EXPECT_EQ(kappas.kappa1.value.low, -1e-9);
  EXPECT_EQ(kappas.kappa1.reason, "");
  EXPECT_TRUE(std::isnan(kappas.kappa2.value.value));
  EXPECT_EQ(kappas.kappa2.reason, m.kappas[1].second.kappa2.reason);
  EXPECT_EQ(message_with("/models/lmo/kappa/root", 3),
            "model.json: models.lmo.kappa.root: is not a rank (they are 0 to 2)");
  EXPECT_EQ(message_with("/models/lmo/kappa/kappa1/low", 1),
            "model.json: models.lmo.kappa.kappa1.low: is above the value");
  EXPECT_EQ(message_with("/models/lmo/kappa/kappa1/high", 0),
            "model.json: models.lmo.kappa.kappa1.high: is below the value");
  EXPECT_EQ(message_without("/models/lmo/kappa", "kappa2"),
            "model.json: models.lmo.kappa.kappa2: is missing");
}

TEST(Model, FilesWithoutThresholdsAreRead) {
  json document = sample();
  document.erase("thresholds");
  document["models"]["lom"].erase("kappa");
  document["models"]["lmo"].erase("kappa");
  const Model back = model_from_json(document.dump(), "model.json");
  EXPECT_FALSE(back.thresholds.has_value());
  EXPECT_TRUE(back.kappas.empty());
  EXPECT_FALSE(json::parse(to_json(back)).contains("thresholds"));
}

TEST(Model, TheLogPFamilyKeepsItsListsAndItsNote) {
  const Model m = samples::model();
  const Model back = model_from_json(to_json(m), "model.json");
  EXPECT_EQ(back.plogp->value.sizes, m.plogp->value.sizes);
  EXPECT_EQ(back.plogp->replicates[1].sizes, m.plogp->value.sizes);
  ASSERT_EQ(back.plogp->replicates[2].g.size(), 3U);
  EXPECT_TRUE(same(back.plogp->replicates[2].g[1], m.plogp->replicates[2].g[1]));
  EXPECT_TRUE(same(back.plogp->high.o_r[2], m.plogp->high.o_r[2]));
  EXPECT_TRUE(same(back.loggp->value.G, m.loggp->value.G));
  EXPECT_TRUE(same(back.loggps->low.o_prime_r, m.loggps->low.o_prime_r));
  EXPECT_EQ(back.loggps->value.s, 1460);
  EXPECT_EQ(back.receive_wait, "quiet");
  EXPECT_TRUE(same(back.start_up->value.t, m.start_up->value.t));
  EXPECT_EQ(back.overhead_growth->high.o_prime_b_r, m.overhead_growth->high.o_prime_b_r);
  EXPECT_EQ(sample().at("/models/plogp/size_bytes"_json_pointer), (json{0, 1024, 65536}));
  EXPECT_EQ(sample().at("/models/plogp/o_r/symmetric"_json_pointer), true);
  EXPECT_FALSE(sample().at("/models/plogp/g"_json_pointer).contains("symmetric"));
}

TEST(Model, OverheadGrowthStandsAloneWhereThereIsNoLogGps) {
  EXPECT_TRUE(sample().at("/models/loggps"_json_pointer).contains("overhead_growth"));
  EXPECT_FALSE(sample().at("/models"_json_pointer).contains("overhead_growth"));
  Model m = samples::model();
  m.loggps.reset();
  const std::string text = to_json(m);
  EXPECT_TRUE(json::parse(text).at("models").contains("overhead_growth"));
  const Model back = model_from_json(text, "model.json");
  EXPECT_EQ(back.overhead_growth->value.o_prime_a, m.overhead_growth->value.o_prime_a);
  EXPECT_EQ(back.receive_wait, "");
  EXPECT_EQ(to_json(back), text);
}

TEST(Model, OnePacketSizeOrNone) {
  Model m = samples::model();
  m.loggps->value.s = m.loggps->low.s = m.loggps->high.s = std::nan("");
  m.loggps->value.L(0, 2) = m.loggps->low.L(0, 2) = m.loggps->high.L(0, 2) = std::nan("");
  const std::string text = to_json(m);
  const Model back = model_from_json(text, "model.json");
  EXPECT_TRUE(std::isnan(back.loggps->value.s));
  EXPECT_TRUE(std::isnan(back.loggps->value.L(0, 2)));
  EXPECT_EQ(to_json(back), text);
}

TEST(Model, CurvesAreKept) {
  const Model m = samples::model();
  const Model back = model_from_json(to_json(m), "model.json");
  EXPECT_EQ(back.curves->value.sizes, m.curves->value.sizes);
  EXPECT_TRUE(same(back.curves->value.time[3], m.curves->value.time[3]));
  EXPECT_TRUE(same(back.curves->replicates[2].time[4], m.curves->replicates[2].time[4]));
}

/// What a model has over sizes.
struct OverSizes {
  std::string model;
  std::string first;  ///< of these parameters
  std::string other;
  std::string sizes;
};

TEST(Model, ErrorsOfParametersOverSizes) {
  for (const auto& [model, first, other, sizes] :
       {OverSizes{"plogp", "o_s", "g", "3"}, OverSizes{"curves", "time", "time", "5"}}) {
    const std::string there = "/models/" + model + "/";
    const std::string error = "model.json: models." + model + ".";
    EXPECT_EQ(message_with(there + "size_bytes/2", 1024), error + "size_bytes[2]: does not ascend");
    EXPECT_EQ(message_with(there + "size_bytes/0", 1), error + "size_bytes: does not start with 0");
    EXPECT_EQ(message_with(there + "size_bytes", json::array()),
              error + "size_bytes: does not start with 0");
    EXPECT_EQ(message_with(there + "size_bytes", {0, 1024}),
              error + first + ".value: has " + sizes + " entries where 2 belong");
    EXPECT_EQ(message_with(there + other + "/high/1/2/0", 0.0),
              error + other + ".high: is below the value, entry 1, 2, 0");
    EXPECT_EQ(message_with(there + "replicates/" + other + "/1", json::array()),
              error + "replicates." + other + "[1]: has 0 entries where " + sizes + " belong");
    EXPECT_EQ(message_without("/models/" + model, other), error + other + ": is missing");
  }
}

TEST(Model, ErrorsOfTheLogPFamily) {
  EXPECT_EQ(message_with("/models/loggps/receive_wait", "loud"),
            "model.json: models.loggps.receive_wait: is \"loud\", which is not quiet or progress");
  EXPECT_EQ(message_without("/models/loggps", "receive_wait"),
            "model.json: models.loggps.receive_wait: is missing");
  EXPECT_EQ(message_without("/models/loggps/overhead_growth", "o_prime_b"),
            "model.json: models.loggps.overhead_growth.o_prime_b: is missing");
}

TEST(Model, NegativeParametersAreFindings) {
  Model m = samples::model();
  m.lmo->value.inverse_beta.set_both(0, 1, -4.2e-8);
  m.lmo->low.inverse_beta.set_both(0, 1, -4.3e-8);
  const Model back = model_from_json(to_json(m), "model.json");
  EXPECT_EQ(back.lmo->value.inverse_beta(1, 0), -4.2e-8);
}

TEST(Model, WithoutAnyModelIsStillAFile) {
  Model m;
  m.ranks = 2;
  m.not_determined = "hockney (no round trips)";
  const Model back = model_from_json(to_json(m), "model.json");
  EXPECT_EQ(back.not_determined, m.not_determined);
  EXPECT_EQ(back.eager_limit, std::nullopt);
  EXPECT_THROW((void)back.preferred(), InputError);
  EXPECT_TRUE(json::parse(to_json(m)).at("preferred").is_null());
}

TEST(Model, ErrorsNameFilePlaceAndReason) {
  EXPECT_EQ(message_with("/models/lmo/C/value/1", "big"),
            "model.json: models.lmo.C.value[1]: is not a finite number");
  EXPECT_EQ(message_with("/models/lmo/C/value", {1.0, 2.0}),
            "model.json: models.lmo.C.value: has 2 entries where 3 belong");
  EXPECT_EQ(message_with("/models/lmo/C/low/1", 1.0),
            "model.json: models.lmo.C.low: is above the value, entry 1");
  EXPECT_EQ(message_with("/models/hockney/beta/high/2/0", 0.0),
            "model.json: models.hockney.beta.high: is below the value, entry 2, 0");
  EXPECT_EQ(message_with("/models/hockney/mean_beta/high", 0.0),
            "model.json: models.hockney.mean_beta.high: is below the value");
  EXPECT_EQ(message_with("/models/hockney/beta/value/0/0", 1.0),
            "model.json: models.hockney.beta.value[0][0]: is on the diagonal, which has to be "
            "null");
  EXPECT_EQ(message_with("/models/hockney/beta/value/1", {nullptr, 1.0}),
            "model.json: models.hockney.beta.value[1]: has 2 entries where 3 belong");
  EXPECT_EQ(message_without("/models/lmo", "L"), "model.json: models.lmo.L: is missing");
  EXPECT_EQ(message_with("/models/lmo/replicates/t", json::array()),
            "model.json: models.lmo.replicates.t: has 0 entries where 3 belong");
  EXPECT_EQ(message_with("/models/lmo/replicates/kind", "days"),
            "model.json: models.lmo.replicates.kind: is \"days\", which is not passes, launches "
            "or draws");
  EXPECT_EQ(message_with("/models/lmo/range_bytes", {8, 4}),
            "model.json: models.lmo.range_bytes: ends before it starts");
  EXPECT_EQ(message_with("/models/lmo/observations", -1),
            "model.json: models.lmo.observations: is negative");
  EXPECT_EQ(message_with("/models/lmo/residual", -0.1),
            "model.json: models.lmo.residual: is negative");
  EXPECT_EQ(message_with("/models", json::array()), "model.json: models: is not an object");
  EXPECT_EQ(message_with("/checks/0/to", 0), "model.json: checks[0].to: is the same rank as from");
  EXPECT_EQ(message_with("/checks/0/from", 3),
            "model.json: checks[0].from: is not a rank (they are 0 to 2)");
  EXPECT_EQ(message_with("/checks/0/measured_s", -1),
            "model.json: checks[0].measured_s: is negative");
  EXPECT_EQ(message_with("/ranking/0/error", nullptr),
            "model.json: ranking[0].error: is not a finite number");
  EXPECT_EQ(message_with("/warnings/0", 1), "model.json: warnings[0]: is not a string");
  EXPECT_EQ(message_with("/preferred", "lom"),
            "model.json: preferred: disagrees with the ranking, which says lmo");
  EXPECT_EQ(message_with("/schema", "commgauge.model/9"),
            "model.json: schema: is \"commgauge.model/9\" where only \"commgauge.model/1\" and "
            "\"commgauge.model/2\" are supported");
}

TEST(Model, AnAbsurdNumberOfRanksAllocatesNothing) {
  EXPECT_THAT(message_with("/n", 99999), HasSubstr("where 99999 belong"));
  json document = sample();
  document["launches"] = json::array();
  document["checks"] = json::array();
  document["n"] = 99999;
  document["models"]["hockney"]["alpha"]["value"] = std::vector<json>(99999, json::array());
  EXPECT_EQ(message_of(document.dump()),
            "model.json: models.hockney.alpha.value[0]: has 0 entries where 99999 belong");
}

void expect_nothing_negative(const Model& m) {
  EXPECT_GT(m.ranks, 0);
  for (const Check& check : m.checks) {
    EXPECT_GE(check.measured_s, 0);
    EXPECT_LT(check.from, m.ranks);
    EXPECT_LT(check.to, m.ranks);
  }
  if (!m.lmo) return;
  EXPECT_GE(m.lmo->observations, 0);
  EXPECT_LE(m.lmo->first, m.lmo->last);
  EXPECT_EQ(m.lmo->value.C.size(), static_cast<std::size_t>(m.ranks));
  EXPECT_EQ(m.lmo->value.L.size(), m.ranks);
}

TEST(Model, DamagedFilesAreReadOrRefused) {
  const auto read = [](const std::string& bad) {
    expect_nothing_negative(model_from_json(bad, "model.json"));
  };
  EXPECT_GE(samples::refused_of(to_json(samples::model()), 300, "model.json", read), 200);
}

TEST(Model, DiagnosticsAreWrittenBesideTheWarningsAndReadAgain) {
  const json document = sample();
  EXPECT_EQ(document.at("warnings"),
            json({"the two directions of a link differ by up to 7 % (ranks 0 and 1): the model "
                  "takes them for equal"}));
  EXPECT_EQ(document.at("diagnostics").at(0),
            (json{{"kind", "asymmetric_links"},
                  {"count", 1},
                  {"problem", "the two directions of a link differ by up to 7 %"},
                  {"reason", "ranks 0 and 1"},
                  {"advice", "the model takes them for equal"}}));
  const json& lmo = document.at("models").at("lmo");
  EXPECT_EQ(lmo.at("warnings"), json({"2 times are odd", "a poor fit (7 %): measure again"}));
  EXPECT_EQ(lmo.at("diagnostics").at(0).at("count"), 2);
  const Model model = model_from_json(document.dump(), "model.json");
  EXPECT_TRUE(model.warnings == samples::model().warnings);
  EXPECT_TRUE(model.lmo->warnings == samples::model().lmo->warnings);
}

TEST(Model, OlderFilesHaveSentencesOnly) {
  json document = sample();
  document.erase("diagnostics");
  json& lmo = document["models"]["lmo"];
  lmo.erase("diagnostics");
  lmo["warnings"] = {"rank 1 is odd (7 %)", "rank 2 is odd: repeat", "2 pairs are odd", "steep"};
  const Model model = model_from_json(document.dump(), "model.json");
  ASSERT_EQ(model.lmo->warnings.size(), 4U);
  EXPECT_TRUE(model.lmo->warnings[0] ==
              (Diagnostic{.kind = "rank ", .problem = "rank 1 is odd (7 %)"}));
  EXPECT_EQ(model.lmo->warnings[2].kind, "");
  EXPECT_EQ(model.lmo->warnings[3].kind, "steep");
  EXPECT_THAT(texts_of(model.warnings), ElementsAre(samples::model().warnings[0].text()));
  EXPECT_THAT(model.warning_texts(),
              ::testing::IsSupersetOf({"lmo: rank 1 is odd (7 %) (and 1 more of this kind)",
                                       "lmo: 2 pairs are odd", "lmo: steep"}));
}

TEST(Model, DiagnosticsThatSayAnotherThingAreRefused) {
  EXPECT_EQ(
      message_with("/models/lmo/diagnostics/1/advice", "measure less"),
      "model.json: models.lmo.diagnostics[1]: disagrees with the warning, which says \"a poor "
      "fit (7 %): measure again\"");
  EXPECT_THAT(message_with("/warnings/0", "all is well"),
              HasSubstr("diagnostics[0]: disagrees with the warning, which says \"all is well\""));
  EXPECT_EQ(message_with("/diagnostics", json::array()),
            "model.json: diagnostics: has 0 entries where 1 belong");
  EXPECT_EQ(message_with("/models/lom/diagnostics/0/count", -2),
            "model.json: models.lom.diagnostics[0].count: is negative");
  EXPECT_EQ(message_with("/models/lom/diagnostics/0/kind", 7),
            "model.json: models.lom.diagnostics[0].kind: is not a string");
  EXPECT_EQ(message_without("/models/lom/diagnostics/0", "reason"),
            "model.json: models.lom.diagnostics[0].reason: is missing");
  EXPECT_EQ(message_with("/diagnostics", nullptr), "model.json: diagnostics: is not an array");
}

}  // namespace commgauge::model_json_test
