// What takes no MPI: every function of the C interface, its results and each way to fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "by_classes.hpp"
#include "commgauge.h"
#include "commgauge/base/files.hpp"
#include "commgauge/model/interval_meaning.hpp"
#include "commgauge/predict/collective_plan.hpp"
#include "commgauge/predict/predict.hpp"
#include "failing_new.hpp"
#include "refused_prediction.hpp"
#include "samples.hpp"

namespace commgauge::c_interface_test {

using testing::EndsWith;
using testing::HasSubstr;

/// What fails leaves these as they are.
constexpr double untouched = -77;

/// As where a pair was not measured.
void forget(Fitted<LogPParameters>& fitted, int from, int to) {
  const auto forget_in = [&](LogPParameters& p) {
    for (Matrix* matrix : {&p.L, &p.o, &p.g}) (*matrix)(from, to) = std::nan("");
  };
  for (LogPParameters* p : {&fitted.value, &fitted.low, &fitted.high}) forget_in(*p);
  std::ranges::for_each(fitted.replicates, forget_in);
}

class CInterface : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "commgauge-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    write(sample_);
    ASSERT_EQ(commgauge_load(file().c_str(), &model_), COMMGAUGE_OK) << commgauge_last_message();
  }
  void TearDown() override {
    commgauge_free(model_);
    std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] std::string file(const std::string& name = "model.json") const {
    return (directory_ / name).string();
  }
  void write(const Model& model) const { write_file(file(), to_json(model)); }
  /// The model of another file takes the sample's place.
  void use(const Model& model) {
    commgauge_free(model_);
    model_ = nullptr;
    write(model);
    ASSERT_EQ(commgauge_load(file().c_str(), &model_), COMMGAUGE_OK) << commgauge_last_message();
  }
  [[nodiscard]] commgauge_info info() const {
    commgauge_info info{};
    EXPECT_EQ(commgauge_get_info(model_, &info), COMMGAUGE_OK);
    return info;
  }

  std::filesystem::path directory_;
  Model sample_ = samples::model(4);
  commgauge_model* model_{};
  commgauge_prediction prediction_{untouched, untouched, untouched, -77};
  const char* text_{};
};

void expect_same(const commgauge_prediction& c, const Prediction& expected) {
  EXPECT_EQ(c.time_s, expected.time.value);
  EXPECT_EQ(c.low_s, expected.low.value);
  EXPECT_EQ(c.high_s, expected.high.value);
  EXPECT_EQ(c.extrapolated != 0, expected.extrapolated);
}

TEST_F(CInterface, VersionIsThatOfTheModelsItWrites) {
  EXPECT_THAT(commgauge_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(CInterface, OptionsHaveDefaults) {
  commgauge_options options{};
  options.cancelled = [](void*) { return 1; };
  ASSERT_EQ(commgauge_options_init(&options), COMMGAUGE_OK);
  EXPECT_EQ(options.time_budget_s, 0);
  EXPECT_EQ(options.precision, 0.025);
  EXPECT_EQ(options.confidence, 0.95);
  EXPECT_EQ(options.passes, 8);
  EXPECT_EQ(options.min_reps, 7);
  EXPECT_EQ(options.max_reps, 60);
  EXPECT_EQ(options.models, nullptr);
  EXPECT_EQ(options.largest_bytes, 1U << 20U);
  EXPECT_NE(options.thresholds, 0);
  EXPECT_NE(options.checks, 0);
  EXPECT_EQ(options.seed, 1U);
  EXPECT_EQ(options.cancelled, nullptr);
}

TEST_F(CInterface, InfoSaysWhatTheModelIsAbout) {
  const commgauge_info info = this->info();
  EXPECT_EQ(info.ranks, 4);
  EXPECT_EQ(info.hosts, 4);
  EXPECT_EQ(info.launches, 2);
  EXPECT_EQ(info.models, 10);
  EXPECT_EQ(info.complete, 1);
  EXPECT_EQ(info.confidence, 0.95);
  EXPECT_NE(info.eager_limit_known, 0);
  EXPECT_EQ(info.eager_limit_bytes, 19493U);
}

TEST_F(CInterface, InfoOfAnIncompleteModelWithoutALimitOnOneHost) {
  sample_.launches[1].complete = false;
  sample_.launches[1].incomplete_reason = "stopped early";
  sample_.eager_limit.reset();
  for (Launch& launch : sample_.launches) {
    for (RankPlace& place : launch.ranks) place.host = "alone";
  }
  use(sample_);
  EXPECT_EQ(info().complete, 0);
  EXPECT_EQ(info().hosts, 1);
  EXPECT_EQ(info().eager_limit_known, 0);
}

TEST_F(CInterface, NamesTheBestFirst) {
  std::vector<std::string> names;
  for (int k = 0; k < info().models; ++k) {
    ASSERT_EQ(commgauge_model_name(model_, k, &text_), COMMGAUGE_OK);
    names.emplace_back(text_);
  }
  EXPECT_EQ(names, sample_.names());
  EXPECT_EQ(names.front(), sample_.preferred());
}

TEST_F(CInterface, HostsOfRanks) {
  for (int rank = 0; rank < 4; ++rank) {
    ASSERT_EQ(commgauge_host(model_, rank, &text_), COMMGAUGE_OK);
    EXPECT_EQ(text_, sample_.host(rank));
  }
}

TEST_F(CInterface, WarningsAndWhatIsMissing) {
  sample_.not_determined = "plogp (too few sizes)";
  sample_.plogp.reset();
  use(sample_);
  std::vector<std::string> warnings;
  for (int k = 0; k < info().warnings; ++k) {
    ASSERT_EQ(commgauge_warning(model_, k, &text_), COMMGAUGE_OK);
    warnings.emplace_back(text_);
  }
  std::vector<std::string> expected = sample_.warning_texts();
  expected.emplace_back("missing: plogp (too few sizes)");
  EXPECT_EQ(warnings, expected);
}

TEST_F(CInterface, WhatIntervalsHold) {
  use(sample_);
  ASSERT_EQ(commgauge_interval_meaning(model_, &text_), COMMGAUGE_OK);
  EXPECT_EQ(text_, interval_meaning(sample_));
}

TEST_F(CInterface, SavedAndLoadedItIsTheSame) {
  ASSERT_EQ(commgauge_save(model_, file("copy.json").c_str()), COMMGAUGE_OK);
  EXPECT_EQ(read_file(file("copy.json")), read_file(file()));
}

TEST_F(CInterface, MessagesAsTheLibraryPredicts) {
  int predicted = 0;
  for (const std::string& name : sample_.names()) {
    for (const std::uint64_t size : {0U, 1000U, 100000U}) {
      const Query query{name, Operation::p2p, 1, 3, Bytes{size}};
      const commgauge_status status =
          commgauge_predict_message(model_, name.c_str(), 1, 3, size, &prediction_);
      if (const std::string why = refusal(sample_, query); !why.empty()) {
        EXPECT_EQ(status, COMMGAUGE_BAD_INPUT);
        EXPECT_EQ(commgauge_last_message(), why);
      } else {
        ASSERT_EQ(status, COMMGAUGE_OK) << commgauge_last_message();
        expect_same(prediction_, predict(sample_, query));
        ++predicted;
      }
    }
  }
  EXPECT_EQ(predicted, 29) << "plogp's curves end at the eager limit";
}

TEST_F(CInterface, WithoutANameTheBest) {
  const Query query{"lmo", Operation::p2p, 0, 1, Bytes{1000}};
  ASSERT_EQ(sample_.preferred(), "lmo");
  ASSERT_EQ(commgauge_predict_message(model_, nullptr, 0, 1, 1000, &prediction_), COMMGAUGE_OK);
  expect_same(prediction_, predict(sample_, query));
}

TEST_F(CInterface, ARoundTripIsBothWays) {
  ASSERT_EQ(commgauge_predict_round_trip(model_, "hockney", 1, 3, 1000, &prediction_),
            COMMGAUGE_OK);
  const Prediction there = predict(sample_, {"hockney", Operation::p2p, 1, 3, Bytes{1000}});
  const Prediction back = predict(sample_, {"hockney", Operation::p2p, 3, 1, Bytes{1000}});
  ASSERT_NE(there.time, back.time);
  expect_same(prediction_, {there.time + back.time, there.low + back.low, there.high + back.high});
}

constexpr std::pair<commgauge_operation, Operation> operations[] = {
    {COMMGAUGE_SCATTER, Operation::scatter},
    {COMMGAUGE_GATHER, Operation::gather},
    {COMMGAUGE_BCAST, Operation::bcast}};
constexpr std::pair<commgauge_algorithm, Algorithm> algorithms[] = {
    {COMMGAUGE_FLAT, Algorithm::flat}, {COMMGAUGE_BINOMIAL, Algorithm::binomial}};

TEST_F(CInterface, CollectivesAsTheLibraryPredicts) {
  for (const auto& [operation, expected_operation] : operations) {
    for (const auto& [algorithm, expected_algorithm] : algorithms) {
      const Query query{"bottleneck",   expected_operation, 2, -1, Bytes{2000},
                        Side::receiver, expected_algorithm};
      ASSERT_EQ(commgauge_predict_collective(model_, "bottleneck", operation, algorithm, 2, 2000,
                                             &prediction_),
                COMMGAUGE_OK);
      expect_same(prediction_, predict(sample_, query));
    }
  }
}

/// A host's link takes 1 us for a byte, far longer than any pair.
Fitted<HostLinks> slow_links(const Model& model) {
  const std::vector<double> all(4, 1e-6);
  Fitted<HostLinks> links;
  links.value = links.low = links.high = {all, all, all, std::vector<double>(4, std::nan(""))};
  links.replicate_kind = model.lmo->replicate_kind;
  links.replicates.assign(model.lmo->replicates.size(), links.value);
  return links;
}

TEST_F(CInterface, CollectivesOnLinksOfHostsAsTheLibraryPredicts) {
  sample_.host_links = slow_links(sample_);
  use(sample_);
  const Query query{"lmo", Operation::gather, 2, -1, Bytes{2000}};
  ASSERT_EQ(commgauge_predict_collective(model_, "lmo", COMMGAUGE_GATHER, COMMGAUGE_FLAT, 2, 2000,
                                         &prediction_),
            COMMGAUGE_OK);
  expect_same(prediction_, predict(sample_, query));
  sample_.host_links.reset();
  EXPECT_GT(prediction_.time_s, 2 * predict(sample_, query).time.value) << "on free links";
}

TEST_F(CInterface, TheFasterAlgorithmOnLinksOfHostsIsTheOneThatIsPredictedToBe) {
  sample_.host_links = slow_links(sample_);
  use(sample_);
  Model on_free_links = sample_;
  on_free_links.host_links.reset();
  long differ = 0;
  for (const auto& [operation, expected_operation] : operations) {
    double times[2]{};
    for (const auto algorithm : {COMMGAUGE_FLAT, COMMGAUGE_BINOMIAL}) {
      ASSERT_EQ(
          commgauge_predict_collective(model_, "lmo", operation, algorithm, 2, 2000, &prediction_),
          COMMGAUGE_OK);
      times[algorithm == COMMGAUGE_BINOMIAL ? 1 : 0] = prediction_.time_s;
    }
    commgauge_algorithm faster{};
    int certain = -1;
    ASSERT_EQ(commgauge_faster_algorithm(model_, "lmo", operation, 2, 2000, &faster, &certain),
              COMMGAUGE_OK);
    EXPECT_EQ(faster == COMMGAUGE_BINOMIAL, times[1] < times[0]) << operation;
    const Query query{"lmo", expected_operation, 2, -1, Bytes{2000}};
    differ += (faster == COMMGAUGE_BINOMIAL) !=
              (faster_algorithm(on_free_links, query).algorithm == Algorithm::binomial);
  }
  EXPECT_GT(differ, 0) << "shows nothing";
}

TEST_F(CInterface, TheFasterAlgorithmAsTheLibrarySays) {
  for (const auto& [operation, expected_operation] : operations) {
    for (const std::string& name : sample_.names()) {
      commgauge_algorithm algorithm{};
      int certain = -1;
      ASSERT_EQ(
          commgauge_faster_algorithm(model_, name.c_str(), operation, 1, 8, &algorithm, &certain),
          COMMGAUGE_OK);
      const FasterAlgorithm expected =
          faster_algorithm(sample_, {name, expected_operation, 1, -1, Bytes{8}});
      EXPECT_EQ(algorithm == COMMGAUGE_BINOMIAL, expected.algorithm == Algorithm::binomial);
      EXPECT_EQ(certain, expected.certain ? 1 : 0);
    }
  }
}

TEST_F(CInterface, AJobOfMoreProcessesHasItsOwnOverheads) {
  commgauge_model* grown = nullptr;
  ASSERT_EQ(commgauge_for_processes(model_, 64, &grown), COMMGAUGE_OK);
  Query query{"loggps", Operation::p2p, 1, 3, Bytes{1000}};
  query.processes = 64;
  ASSERT_EQ(commgauge_predict_message(grown, "loggps", 1, 3, 1000, &prediction_), COMMGAUGE_OK);
  expect_same(prediction_, predict(sample_, query));
  EXPECT_NE(prediction_.extrapolated, 0) << "of more than the four ranks";
  const double of_64 = prediction_.time_s;
  query.processes.reset();
  ASSERT_EQ(commgauge_predict_message(model_, "loggps", 1, 3, 1000, &prediction_), COMMGAUGE_OK);
  expect_same(prediction_, predict(sample_, query));
  EXPECT_NE(prediction_.time_s, of_64);
  EXPECT_EQ(commgauge_predict_message(grown, nullptr, 1, 3, 1000, &prediction_),
            COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("lmo has no overheads"));
  commgauge_free(grown);
}

TEST_F(CInterface, CollectivesOfAJobOfMoreProcesses) {
  commgauge_model* grown = nullptr;
  ASSERT_EQ(commgauge_for_processes(model_, 3, &grown), COMMGAUGE_OK);
  Query query{"logp", Operation::gather, 2, -1, Bytes{8}};
  query.processes = 3;
  ASSERT_EQ(commgauge_predict_collective(grown, "logp", COMMGAUGE_GATHER, COMMGAUGE_FLAT, 2, 8,
                                         &prediction_),
            COMMGAUGE_OK);
  expect_same(prediction_, predict(sample_, query));
  commgauge_algorithm algorithm{};
  int certain = -1;
  ASSERT_EQ(commgauge_faster_algorithm(grown, "logp", COMMGAUGE_GATHER, 2, 8, &algorithm, &certain),
            COMMGAUGE_OK);
  const FasterAlgorithm expected = faster_algorithm(sample_, query);
  EXPECT_EQ(algorithm == COMMGAUGE_BINOMIAL, expected.algorithm == Algorithm::binomial);
  EXPECT_EQ(certain, expected.certain ? 1 : 0);
  commgauge_free(grown);
}

TEST_F(CInterface, AModelForAnotherJobOutlivesWhatItIsOf) {
  commgauge_model* grown = nullptr;
  ASSERT_EQ(commgauge_for_processes(model_, 64, &grown), COMMGAUGE_OK);
  std::swap(model_, grown);
  commgauge_free(grown);
  EXPECT_EQ(info().ranks, 4);
  ASSERT_EQ(commgauge_host(model_, 3, &text_), COMMGAUGE_OK);
  EXPECT_EQ(text_, sample_.host(3));
  ASSERT_EQ(commgauge_save(model_, file("copy.json").c_str()), COMMGAUGE_OK);
  EXPECT_EQ(read_file(file("copy.json")), read_file(file()));
}

TEST_F(CInterface, KindsOfRanks) {
  int kinds = -1;
  ASSERT_EQ(commgauge_count_kinds(model_, &kinds), COMMGAUGE_OK);
  EXPECT_EQ(kinds, 0);
  const Model by_classes = samples::by_classes(3, 2);
  write_file(file("classes.json"), to_json(by_classes));
  commgauge_model* loaded = nullptr;
  ASSERT_EQ(commgauge_load(file("classes.json").c_str(), &loaded), COMMGAUGE_OK);
  ASSERT_EQ(commgauge_count_kinds(loaded, &kinds), COMMGAUGE_OK);
  EXPECT_EQ(kinds, 2);
  int kind = -1;
  int group = -1;
  ASSERT_EQ(commgauge_kind_of_rank(loaded, 3, &kind, &group), COMMGAUGE_OK);
  EXPECT_EQ(kind, 1);
  EXPECT_EQ(group, 1);
  ASSERT_EQ(commgauge_kind_name(loaded, 1, &text_), COMMGAUGE_OK);
  EXPECT_STREQ(text_, "b");
  commgauge_parameter parameter{};
  ASSERT_EQ(commgauge_class_parameter(loaded, "lmo", "L", 0, 1, 0, &parameter), COMMGAUGE_OK);
  EXPECT_EQ(parameter.value, by_classes.lmo->value.L(0, 2));
  EXPECT_EQ(parameter.high, by_classes.lmo->high.L(0, 2));
  ASSERT_EQ(commgauge_class_parameter(loaded, "lmo", "L", 1, 1, 1, &parameter), COMMGAUGE_OK);
  EXPECT_EQ(parameter.value, by_classes.lmo->value.L(2, 3));
  EXPECT_EQ(commgauge_kind_of_rank(loaded, 6, &kind, &group), COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_kind_of_rank(model_, 0, &kind, &group), COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_kind_name(loaded, 2, &text_), COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_class_parameter(loaded, "lmo", "L", 0, 2, 0, &parameter),
            COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_class_parameter(loaded, "lmo", "C", 0, 1, 0, &parameter),
            COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_class_parameter(loaded, nullptr, "L", 0, 1, 0, &parameter),
            COMMGAUGE_BAD_INPUT);
  commgauge_free(loaded);
}

TEST_F(CInterface, FreeingNothingIsAllowed) { commgauge_free(nullptr); }

/// Calls that fail, and words of their messages.
struct Failure {
  std::string name;
  std::function<commgauge_status()> call;
  std::vector<std::string> words;
};

void expect_bad_input(const std::vector<Failure>& failures) {
  for (const Failure& failure : failures) {
    SCOPED_TRACE(failure.name);
    EXPECT_EQ(failure.call(), COMMGAUGE_BAD_INPUT);
    const std::string message = commgauge_last_message();
    for (const std::string& word : failure.words) EXPECT_THAT(message, HasSubstr(word));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_F(CInterface, BadInputOfFiles) {
  commgauge_model* loaded = model_;
  write_file(file("noise.json"), "{\"schema\": \"commgauge.model/1\"}");
  const std::string missing = file("there-is-none/model.json");
  expect_bad_input({
      {"load null", [&] { return commgauge_load(nullptr, &loaded); }, {"file is null"}},
      {"load into null", [&] { return commgauge_load("m", nullptr); }, {"model is null"}},
      {"load nothing",
       [&] { return commgauge_load(missing.c_str(), &loaded); },
       {"there-is-none", "No such file"}},
      {"load noise",
       [&] { return commgauge_load(file("noise.json").c_str(), &loaded); },
       {"noise.json", "confidence"}},
      {"save null", [&] { return commgauge_save(nullptr, file("x").c_str()); }, {"model is null"}},
      {"save into null", [&] { return commgauge_save(model_, nullptr); }, {"file is null"}},
      {"save nowhere",
       [&] { return commgauge_save(model_, missing.c_str()); },
       {"there-is-none", "No such file"}},
      {"save on a full disk", [&] { return commgauge_save(model_, "/dev/full"); }, {"/dev/full"}},
  });
  EXPECT_EQ(loaded, model_) << "touched";
}

TEST_F(CInterface, BadInputOfQuestionsAboutTheModel) {
  commgauge_info info{};
  info.ranks = -77;
  const char* text = "untouched";
  expect_bad_input({
      {"options", [] { return commgauge_options_init(nullptr); }, {"options is null"}},
      {"info of null", [&] { return commgauge_get_info(nullptr, &info); }, {"model is null"}},
      {"info into null", [&] { return commgauge_get_info(model_, nullptr); }, {"info is null"}},
      {"name of null", [&] { return commgauge_model_name(nullptr, 0, &text); }, {"model is null"}},
      {"name into null",
       [&] { return commgauge_model_name(model_, 0, nullptr); },
       {"name is null"}},
      {"name -1", [&] { return commgauge_model_name(model_, -1, &text); }, {"no model -1"}},
      {"name 10", [&] { return commgauge_model_name(model_, 10, &text); }, {"no model 10", "10"}},
      {"host of null", [&] { return commgauge_host(nullptr, 0, &text); }, {"model is null"}},
      {"host into null", [&] { return commgauge_host(model_, 0, nullptr); }, {"host is null"}},
      {"host -1", [&] { return commgauge_host(model_, -1, &text); }, {"no rank -1"}},
      {"host 4", [&] { return commgauge_host(model_, 4, &text); }, {"no rank 4"}},
      {"warning of null", [&] { return commgauge_warning(nullptr, 0, &text); }, {"model is null"}},
      {"warning into null",
       [&] { return commgauge_warning(model_, 0, nullptr); },
       {"text is null"}},
      {"meaning of null",
       [&] { return commgauge_interval_meaning(nullptr, &text); },
       {"model is null"}},
      {"meaning into null",
       [&] { return commgauge_interval_meaning(model_, nullptr); },
       {"text is null"}},
      {"warning -1", [&] { return commgauge_warning(model_, -1, &text); }, {"no warning -1"}},
      {"warning 99", [&] { return commgauge_warning(model_, 99, &text); }, {"no warning 99"}},
  });
  EXPECT_EQ(info.ranks, -77);
  EXPECT_STREQ(text, "untouched");
}

using PredictPair = commgauge_status (*)(const commgauge_model*, const char*, int, int, uint64_t,
                                         commgauge_prediction*);

TEST_F(CInterface, ATimeWithoutAnInterval) {
  sample_.loggp->replicates.resize(1);
  use(sample_);
  for (const PredictPair call : {commgauge_predict_message, commgauge_predict_round_trip}) {
    ASSERT_EQ(call(model_, "loggp", 0, 1, 8, &prediction_), COMMGAUGE_OK);
    EXPECT_GT(prediction_.time_s, 0);
    EXPECT_TRUE(std::isnan(prediction_.low_s) && std::isnan(prediction_.high_s));
  }
  commgauge_algorithm algorithm = COMMGAUGE_BINOMIAL;
  int certain = -77;
  ASSERT_EQ(
      commgauge_faster_algorithm(model_, "loggp", COMMGAUGE_GATHER, 0, 8, &algorithm, &certain),
      COMMGAUGE_OK);
  EXPECT_EQ(certain, 0);
}

TEST_F(CInterface, BadInputOfMessages) {
  sample_.plogp.reset();
  forget(*sample_.logp, 1, 2);
  use(sample_);
  for (const PredictPair call : {commgauge_predict_message, commgauge_predict_round_trip}) {
    commgauge_prediction* const p = &prediction_;
    expect_bad_input({
        {"null model", [&] { return call(nullptr, nullptr, 0, 1, 8, p); }, {"model is null"}},
        {"null result",
         [&] { return call(model_, nullptr, 0, 1, 8, nullptr); },
         {"prediction is null"}},
        {"unknown", [&] { return call(model_, "logq", 0, 1, 8, p); }, {"logq", "hockney"}},
        {"not fitted", [&] { return call(model_, "plogp", 0, 1, 8, p); }, {"no model plogp"}},
        {"empty", [&] { return call(model_, "", 0, 1, 8, p); }, {"unknown model ''"}},
        {"from -1", [&] { return call(model_, nullptr, -1, 1, 8, p); }, {"-1"}},
        {"to 4", [&] { return call(model_, nullptr, 0, 4, 8, p); }, {"4"}},
        {"itself", [&] { return call(model_, nullptr, 2, 2, 8, p); }, {"2"}},
        {"unmeasured", [&] { return call(model_, "logp", 1, 2, 8, p); }, {"not measured"}},
    });
  }
  EXPECT_EQ(prediction_.time_s, untouched);
}

TEST_F(CInterface, BadInputOfCollectives) {
  sample_.plogp.reset();
  forget(*sample_.logp, 1, 2);
  use(sample_);
  commgauge_algorithm algorithm = COMMGAUGE_BINOMIAL;
  int certain = -77;
  using Call = std::function<commgauge_status(const commgauge_model*, const char*,
                                              commgauge_operation, int)>;
  const Call predicts = [&](const auto* model, const char* name, auto operation, int root) {
    return commgauge_predict_collective(model, name, operation, COMMGAUGE_FLAT, root, 8,
                                        &prediction_);
  };
  const Call compares = [&](const auto* model, const char* name, auto operation, int root) {
    return commgauge_faster_algorithm(model, name, operation, root, 8, &algorithm, &certain);
  };
  for (const Call& call : {predicts, compares}) {
    expect_bad_input({
        {"null", [&] { return call(nullptr, "lmo", COMMGAUGE_BCAST, 0); }, {"model is null"}},
        {"unknown", [&] { return call(model_, "logq", COMMGAUGE_BCAST, 0); }, {"logq"}},
        {"not fitted",
         [&] { return call(model_, "plogp", COMMGAUGE_BCAST, 0); },
         {"no model plogp"}},
        {"no operation",
         [&] { return call(model_, "lmo", commgauge_operation{}, 0); },
         {"no operation 0", "gather"}},
        {"root -1", [&] { return call(model_, "lmo", COMMGAUGE_SCATTER, -1); }, {"-1"}},
        {"root 4", [&] { return call(model_, "lmo", COMMGAUGE_GATHER, 4); }, {"4"}},
        {"unmeasured", [&] { return call(model_, "logp", COMMGAUGE_BCAST, 1); }, {"not measured"}},
    });
  }
  expect_bad_input({
      {"no algorithm",
       [&] {
         return commgauge_predict_collective(model_, "lmo", COMMGAUGE_BCAST, commgauge_algorithm{},
                                             0, 8, &prediction_);
       },
       {"no algorithm 0", "binomial"}},
      {"null result",
       [&] {
         return commgauge_predict_collective(model_, "lmo", COMMGAUGE_BCAST, COMMGAUGE_FLAT, 0, 8,
                                             nullptr);
       },
       {"prediction is null"}},
      {"null algorithm",
       [&] {
         return commgauge_faster_algorithm(model_, "lmo", COMMGAUGE_BCAST, 0, 8, nullptr, &certain);
       },
       {"algorithm is null"}},
      {"null certain",
       [&] {
         return commgauge_faster_algorithm(model_, "lmo", COMMGAUGE_BCAST, 0, 8, &algorithm,
                                           nullptr);
       },
       {"certain is null"}},
  });
  EXPECT_EQ(prediction_.time_s, untouched);
  EXPECT_EQ(algorithm, COMMGAUGE_BINOMIAL);
  EXPECT_EQ(certain, -77);
}

TEST_F(CInterface, BadInputOfProcesses) {
  commgauge_model* grown = model_;
  const auto call = [&](int processes) {
    return commgauge_for_processes(model_, processes, &grown);
  };
  expect_bad_input({
      {"null", [&] { return commgauge_for_processes(nullptr, 8, &grown); }, {"model is null"}},
      {"into null", [&] { return commgauge_for_processes(model_, 8, nullptr); }, {"grown is null"}},
      {"1", [&] { return call(1); }, {"a job of 1 processes", "at least 2"}},
      {"0", [&] { return call(0); }, {"a job of 0 processes", "at least 2"}},
  });
  sample_.overhead_growth.reset();
  use(sample_);
  expect_bad_input({{"no growth", [&] { return call(8); }, {"was not measured"}}});
}

TEST_F(CInterface, AModelWithoutFitsHasNoBest) {
  Model empty;
  empty.ranks = sample_.ranks;
  empty.launches = sample_.launches;
  empty.not_determined = "all (nothing was measured)";
  use(empty);
  EXPECT_EQ(info().models, 0);
  expect_bad_input(
      {{"best",
        [&] { return commgauge_predict_message(model_, nullptr, 0, 1, 8, &prediction_); },
        {"no model in the file", "nothing was measured"}}});
}

TEST_F(CInterface, CalibratingTakesMpi) {
  commgauge_model* model = model_;
  expect_bad_input({
      {"not initialised",
       [&] { return commgauge_calibrate(MPI_COMM_WORLD, nullptr, &model); },
       {"MPI is not running", "MPI_Init"}},
      {"null",
       [&] { return commgauge_calibrate(MPI_COMM_WORLD, nullptr, nullptr); },
       {"model is null"}},
  });
  EXPECT_EQ(model, model_);
}

/// Each allocation in turn, of those of at least `smallest` bytes, fails, until all that the call
/// needs succeed.
/// @return how often it failed
int failures_of(const std::function<commgauge_status()>& call, std::size_t smallest = 0) {
  for (long allocations = 0;; ++allocations) {
    commgauge_status status{};
    {
      const test::FailingNew failing{allocations, smallest};
      status = call();
    }
    if (status == COMMGAUGE_OK) return static_cast<int>(allocations);
    EXPECT_EQ(status, COMMGAUGE_NO_MEMORY) << allocations << ": " << commgauge_last_message();
    EXPECT_THAT(commgauge_last_message(), HasSubstr("out of memory"));
    if (testing::Test::HasFailure()) return 0;
  }
}

/// That of a file's text. Where the JSON library can't have a little memory it ends the process.
constexpr std::size_t large = 8192;

TEST_F(CInterface, NoMemoryWherePartsAreAllocated) {
  commgauge_info info{};
  commgauge_algorithm algorithm{};
  int certain{};
  const std::string copy = file("copy.json");
  EXPECT_GT(failures_of([&] { return commgauge_save(model_, copy.c_str()); }, large), 0);
  EXPECT_EQ(read_file(copy), read_file(file()));
  EXPECT_GT(failures_of([&] { return commgauge_get_info(model_, &info); }), 0);
  commgauge_model* grown = nullptr;
  EXPECT_EQ(failures_of([&] { return commgauge_for_processes(model_, 8, &grown); }), 1);
  commgauge_free(grown);
  EXPECT_GT(
      failures_of([&] { return commgauge_predict_message(model_, "lmo", 0, 1, 8, &prediction_); }),
      0);
  EXPECT_GT(failures_of(
                [&] { return commgauge_predict_round_trip(model_, "lmo", 0, 1, 8, &prediction_); }),
            0);
  EXPECT_GT(failures_of([&] {
              return commgauge_predict_collective(model_, nullptr, COMMGAUGE_GATHER,
                                                  COMMGAUGE_BINOMIAL, 0, 8, &prediction_);
            }),
            0);
  EXPECT_GT(failures_of([&] {
              return commgauge_faster_algorithm(model_, nullptr, COMMGAUGE_GATHER, 0, 8, &algorithm,
                                                &certain);
            }),
            0);
}

TEST_F(CInterface, NoMemoryForAModel) {
  const std::string name = file();
  commgauge_model* loaded = nullptr;
  EXPECT_GT(failures_of([&] { return commgauge_load(name.c_str(), &loaded); }, large), 0);
  commgauge_free(loaded);
}

/// These allocate for their complaints only.
TEST_F(CInterface, NoMemoryForAComplaint) {
  const auto status_of = [](const auto& call) {
    const test::FailingNew failing{0};
    return call();
  };
  EXPECT_EQ(status_of([&] { return commgauge_model_name(model_, 99, &text_); }),
            COMMGAUGE_NO_MEMORY);
  EXPECT_EQ(status_of([&] { return commgauge_host(model_, 99, &text_); }), COMMGAUGE_NO_MEMORY);
  EXPECT_EQ(status_of([&] { return commgauge_warning(model_, 99, &text_); }), COMMGAUGE_NO_MEMORY);
  EXPECT_EQ(status_of([] { return commgauge_options_init(nullptr); }), COMMGAUGE_NO_MEMORY);
}

TEST_F(CInterface, MessagesBelongToTheirThread) {
  EXPECT_EQ(commgauge_host(model_, 55, &text_), COMMGAUGE_BAD_INPUT);
  std::thread other{[&] {
    EXPECT_STREQ(commgauge_last_message(), "");
    EXPECT_EQ(commgauge_host(model_, 66, &text_), COMMGAUGE_BAD_INPUT);
    EXPECT_THAT(commgauge_last_message(), HasSubstr("66"));
  }};
  other.join();
  EXPECT_THAT(commgauge_last_message(), HasSubstr("55"));
  EXPECT_EQ(commgauge_host(model_, 0, &text_), COMMGAUGE_OK);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("55")) << "a success leaves it";
}

/// Two bytes each, at an odd place, so that the limit falls between the two.
TEST_F(CInterface, LongMessagesAreCutBetweenCharacters) {
  std::string name = "x";
  for (int k = 0; k < 2000; ++k) name += "\u00b5";
  for (const std::string& text : {name, name.substr(1)}) {
    EXPECT_EQ(commgauge_predict_message(model_, text.c_str(), 0, 1, 8, &prediction_),
              COMMGAUGE_BAD_INPUT);
    const std::string message = commgauge_last_message();
    EXPECT_THAT(message, EndsWith("\u00b5"));
    EXPECT_GE(message.size(), 2046U);
    EXPECT_LE(message.size(), 2047U);
  }
}

TEST(Regions, DoNothingWithoutARecorder) {
  commgauge_region_begin("solve");
  commgauge_region_begin(nullptr);
  commgauge_region_end(nullptr);
  commgauge_region_end("never begun");
}

}  // namespace commgauge::c_interface_test
