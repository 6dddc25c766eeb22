// Tasks in the C interface: what libtasks says, and each way to fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "commgauge.h"
#include "commgauge/base/files.hpp"
#include "commgauge/tasks/prediction.hpp"
#include "commgauge/tasks/sample.hpp"
#include "failing_new.hpp"
#include "samples.hpp"

namespace commgauge::c_tasks_test {

using testing::Each;
using testing::HasSubstr;

constexpr const char* shape_text = "24x20";

double time_of(const std::vector<std::uint64_t>& task) {
  const double i = static_cast<double>(task[0]) - 8;
  const double j = static_cast<double>(task[1]) - 7;
  return 1e-3 * (2 + (i * i + j * j) / 50);
}

class CTasks : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "commgauge-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    write_file(file("model.json"), to_json(sample_));
    ASSERT_EQ(commgauge_load(file("model.json").c_str(), &model_), COMMGAUGE_OK)
        << commgauge_last_message();
    measured_.numbers = tasks::plan(measured_.shape, {}, {.seed = 5}).next;
    for (const std::uint64_t number : measured_.numbers) {
      measured_.times_s.push_back(time_of(measured_.shape.task_of(number)));
    }
    write_file(file(), tasks::to_csv(measured_));
    ASSERT_EQ(commgauge_load_tasks(file().c_str(), shape_text, 5, &tasks_), COMMGAUGE_OK)
        << commgauge_last_message();
    commgauge_task_options_init(&options_);
  }
  void TearDown() override {
    commgauge_free_tasks(tasks_);
    commgauge_free(model_);
    std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] std::string file(const std::string& name = "tasks.csv") const {
    return (directory_ / name).string();
  }
  commgauge_status predict(const char* name, const std::vector<int>& processes) {
    predictions_.assign(processes.size(), {});
    return commgauge_predict_tasks(model_, name, tasks_, &options_, processes.data(),
                                   static_cast<int>(processes.size()), predictions_.data());
  }

  std::filesystem::path directory_;
  Model sample_ = samples::model(4);
  tasks::MeasuredTasks measured_{tasks::parse_shape(shape_text), {}, {}, {}};
  commgauge_model* model_{};
  commgauge_tasks* tasks_{};
  commgauge_task_options options_{};
  std::vector<commgauge_task_prediction> predictions_;
};

/// What the library says for the same.
std::vector<tasks::Predicted> expected_of(const Model& model, const tasks::MeasuredTasks& measured,
                                          const std::vector<int>& processes,
                                          const tasks::PredictionOptions& options) {
  const tasks::TaskTimes times(measured, {.confidence = model.confidence, .seed = 5});
  return tasks::predicted(times, model, processes, options).runs;
}

void expect_same(const std::vector<commgauge_task_prediction>& found,
                 const std::vector<tasks::Predicted>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].processes, expected[k].processes);
    EXPECT_EQ(found[k].time.time_s, expected[k].time.time.value);
    EXPECT_TRUE(std::isnan(expected[k].time.low.value)
                    ? std::isnan(found[k].time.low_s) && std::isnan(found[k].time.high_s)
                    : found[k].time.low_s == expected[k].time.low.value &&
                          found[k].time.high_s == expected[k].time.high.value);
    EXPECT_EQ(found[k].time.extrapolated != 0, expected[k].time.extrapolated);
    EXPECT_EQ(found[k].masters_busy, expected[k].run.masters);
    EXPECT_EQ(found[k].workers_computing, expected[k].run.workers);
    EXPECT_EQ(found[k].splits, expected[k].run.splits);
  }
}

TEST_F(CTasks, OptionsHaveDefaults) {
  const tasks::Protocol usual;
  EXPECT_EQ(options_.order, COMMGAUGE_GIVEN);
  EXPECT_EQ(options_.chunk, usual.chunk);
  EXPECT_EQ(options_.masters, 1);
  EXPECT_EQ(options_.split_after_s, 0);
  EXPECT_EQ(options_.request_bytes, usual.request.value);
  EXPECT_EQ(options_.task_bytes, usual.task.value);
  EXPECT_EQ(options_.result_bytes, usual.result.value);
  EXPECT_EQ(options_.time_ratio, nullptr);
  EXPECT_NE(options_.growth, 0);
  EXPECT_NE(options_.interval, 0);
  commgauge_plan_options plan{};
  ASSERT_EQ(commgauge_plan_options_init(&plan), COMMGAUGE_OK);
  EXPECT_EQ(plan.precision, 0.02);
  EXPECT_EQ(plan.confidence, 0.95);
  EXPECT_EQ(plan.seed, 1U);
}

TEST_F(CTasks, AreCounted) {
  std::uint64_t all = 0;
  std::uint64_t run = 0;
  ASSERT_EQ(commgauge_count_tasks(tasks_, &all, &run), COMMGAUGE_OK);
  EXPECT_EQ(all, 480U);
  EXPECT_EQ(run, 256U);
}

TEST_F(CTasks, PredictionsAreTheLibrarys) {
  ASSERT_EQ(predict(nullptr, {2, 4, 7}), COMMGAUGE_OK) << commgauge_last_message();
  expect_same(predictions_, expected_of(sample_, measured_, {2, 4, 7}, {}));
  EXPECT_EQ(predictions_[1].time.extrapolated, 0);
  EXPECT_NE(predictions_[2].time.extrapolated, 0);
  EXPECT_LT(predictions_[0].time.low_s, predictions_[0].time.time_s);
}

TEST_F(CTasks, EachOptionIsTheLibrarys) {
  options_.order = COMMGAUGE_LONGEST_FIRST;
  options_.chunk = 3;
  options_.masters = 2;
  options_.serve_s = 2e-5;
  options_.request_bytes = 100;
  options_.task_bytes = 200;
  options_.result_bytes = 300;
  options_.time_ratio = "1.5";
  options_.growth = 0;
  options_.interval = 0;
  ASSERT_EQ(predict("loggps", {4, 8}), COMMGAUGE_OK) << commgauge_last_message();
  tasks::PredictionOptions same;
  same.machine.kind = "loggps";
  same.protocol.order = tasks::Order::longest_first;
  same.protocol.chunk = 3;
  same.protocol.masters = 2;
  same.protocol.serve = Seconds{2e-5};
  same.protocol.request = Bytes{100};
  same.protocol.task = Bytes{200};
  same.protocol.result = Bytes{300};
  same.has_interval = false;
  same.machine.time_ratios = std::string{"1.5"};
  same.machine.ignores_growth = true;
  const auto expected = expected_of(sample_, measured_, {4, 8}, same);
  expect_same(predictions_, expected);
  for (const auto& change : std::vector<std::function<void()>>{
           [&] { options_.order = COMMGAUGE_RANDOM; }, [&] { options_.chunk = 1; },
           [&] { options_.masters = 1; }, [&] { options_.serve_s = 0; },
           [&] { options_.request_bytes = 10'000; }, [&] { options_.task_bytes = 20'000; },
           [&] { options_.result_bytes = 30'000; }, [&] { options_.time_ratio = "2"; },
           [&] { options_.growth = 1; }}) {
    const commgauge_task_options before = options_;
    change();
    ASSERT_EQ(predict("loggps", {8}), COMMGAUGE_OK) << commgauge_last_message();
    EXPECT_NE(predictions_[0].time.time_s, expected[1].time.time.value) << "as if not given";
    options_ = before;
  }
  options_.masters = 1;
  options_.split_after_s = 1e-9;
  ASSERT_EQ(predict("loggps", {8}), COMMGAUGE_OK) << commgauge_last_message();
  EXPECT_GT(predictions_[0].splits, 0);
}

TEST_F(CTasks, AModelForOtherProcessesIsTheSame) {
  commgauge_model* grown = nullptr;
  ASSERT_EQ(commgauge_for_processes(model_, 32, &grown), COMMGAUGE_OK);
  ASSERT_EQ(predict("loggps", {4}), COMMGAUGE_OK);
  const double time = predictions_[0].time.time_s;
  const int processes = 4;
  ASSERT_EQ(
      commgauge_predict_tasks(grown, "loggps", tasks_, nullptr, &processes, 1, predictions_.data()),
      COMMGAUGE_OK);
  EXPECT_EQ(predictions_[0].time.time_s, time);
  commgauge_free(grown);
}

TEST_F(CTasks, EqualTasksOnOneWorkerTakeTheirSumAtLeast) {
  commgauge_tasks* equal = nullptr;
  ASSERT_EQ(commgauge_equal_tasks(50, 0.01, &equal), COMMGAUGE_OK);
  std::swap(equal, tasks_);
  ASSERT_EQ(predict(nullptr, {2}), COMMGAUGE_OK) << commgauge_last_message();
  EXPECT_GT(predictions_[0].time.time_s, 0.5);
  EXPECT_LT(predictions_[0].time.time_s, 0.6);
  commgauge_free_tasks(equal);
}

TEST_F(CTasks, APlanIsTheLibrarys) {
  commgauge_plan_options options{0.001, 0.9, 5};
  commgauge_plan found{};
  const tasks::Plan expected =
      tasks::plan(measured_.shape, measured_, {.precision = 0.001, .confidence = 0.9, .seed = 5});
  ASSERT_EQ(commgauge_plan_tasks(shape_text, tasks_, &options, nullptr, 0, &found), COMMGAUGE_OK)
      << commgauge_last_message();
  EXPECT_EQ(found.next, expected.next.size());
  EXPECT_EQ(found.run, 256U);
  EXPECT_EQ(found.dimensions, 2);
  EXPECT_EQ(found.precise, 0);
  EXPECT_EQ(found.total_s, expected.total->value);
  EXPECT_EQ(found.low_s, expected.total->low);
  EXPECT_EQ(found.high_s, expected.total->high);
  EXPECT_EQ(found.doubtful, 0);
  std::vector<std::uint64_t> next(2 * found.next + 1, 77);
  ASSERT_EQ(commgauge_plan_tasks(shape_text, tasks_, &options, next.data(), found.next, &found),
            COMMGAUGE_OK);
  for (std::size_t k = 0; k < expected.next.size(); ++k) {
    EXPECT_THAT(measured_.shape.task_of(expected.next[k]),
                testing::ElementsAre(next[2 * k], next[2 * k + 1]));
  }
  EXPECT_EQ(next.back(), 77U);
}

TEST_F(CTasks, APlanFillsTheRoomThatThereIs) {
  std::vector<std::uint64_t> next(10, 77);
  commgauge_plan found{};
  ASSERT_EQ(commgauge_plan_tasks("300", nullptr, nullptr, next.data(), 6, &found), COMMGAUGE_OK);
  EXPECT_EQ(found.next, 256U);
  EXPECT_EQ(found.dimensions, 1);
  EXPECT_TRUE(std::isnan(found.total_s) && std::isnan(found.low_s) && std::isnan(found.high_s));
  EXPECT_THAT(std::vector(next.begin() + 6, next.end()), Each(77U));
  EXPECT_TRUE(std::is_sorted(next.begin(), next.begin() + 6));
  EXPECT_LE(next[5], 300U);
}

TEST_F(CTasks, APlanNamesWhatIsDoubtful) {
  measured_.times_s[40] *= 200;
  write_file(file(), tasks::to_csv(measured_));
  commgauge_tasks* disturbed = nullptr;
  ASSERT_EQ(commgauge_load_tasks(file().c_str(), shape_text, 5, &disturbed), COMMGAUGE_OK);
  commgauge_plan_options options{0.01, 0.95, 5};
  commgauge_plan found{};
  ASSERT_EQ(commgauge_plan_tasks(shape_text, disturbed, &options, nullptr, 0, &found),
            COMMGAUGE_OK);
  EXPECT_NE(found.doubtful, 0);
  EXPECT_EQ(found.doubtful_number, measured_.numbers[40]);
  EXPECT_EQ(found.doubtful_s, measured_.times_s[40]);
  EXPECT_LT(found.others_s, found.doubtful_s / 50);
  commgauge_free_tasks(disturbed);
}

struct Refusal {
  const char* name;
  std::function<commgauge_status()> call;
  const char* word;
};

void expect_bad_input(const std::vector<Refusal>& refusals) {
  for (const Refusal& one : refusals) {
    EXPECT_EQ(one.call(), COMMGAUGE_BAD_INPUT) << one.name;
    EXPECT_THAT(commgauge_last_message(), HasSubstr(one.word)) << one.name;
  }
}

TEST_F(CTasks, BadFilesAndShapesAreRefused) {
  commgauge_tasks* none = nullptr;
  const auto load = [&](const char* text, const char* shape) {
    write_file(file("other.csv"), text);
    return commgauge_load_tasks(file("other.csv").c_str(), shape, 1, &none);
  };
  expect_bad_input({
      {"no file", [&] { return commgauge_load_tasks("/no/tasks.csv", nullptr, 1, &none); },
       "/no/tasks.csv"},
      {"null", [&] { return commgauge_load_tasks(nullptr, nullptr, 1, &none); }, "file is null"},
      {"into null", [&] { return commgauge_load_tasks(file().c_str(), nullptr, 1, nullptr); },
       "tasks is null"},
      {"header", [&] { return load("a,b\n1,2\n", nullptr); }, "other.csv: line 1"},
      {"twice", [&] { return load("i1,time_s\n1,1\n1,1\n", nullptr); }, "twice"},
      {"shape", [&] { return load("i1,time_s\n1,1\n", "1y"); }, "is no shape"},
      {"outside", [&] { return load("i1,time_s\n9,1\n", "4"); }, "goes up to 4"},
      {"none", [&] { return commgauge_equal_tasks(0, 1, &none); }, "0 tasks"},
      {"many", [&] { return commgauge_equal_tasks(1U << 29U, 1, &none); }, "268435456"},
      {"negative", [&] { return commgauge_equal_tasks(3, -1, &none); }, "time is negative"},
      {"equal into null", [&] { return commgauge_equal_tasks(3, 1, nullptr); }, "tasks is null"},
  });
  EXPECT_EQ(none, nullptr);
  std::uint64_t count = 7;
  expect_bad_input({
      {"of null", [&] { return commgauge_count_tasks(nullptr, &count, &count); }, "tasks is null"},
      {"all", [&] { return commgauge_count_tasks(tasks_, nullptr, &count); }, "all is null"},
      {"run", [&] { return commgauge_count_tasks(tasks_, &count, nullptr); }, "run is null"},
  });
  EXPECT_EQ(count, 7U);
  commgauge_free_tasks(nullptr);
}

TEST_F(CTasks, BadPlansAreRefused) {
  commgauge_plan plan{};
  plan.next = 77;
  commgauge_plan_options options{};
  const auto with = [&](double precision, double confidence) {
    options = {precision, confidence, 1};
    return commgauge_plan_tasks(shape_text, nullptr, &options, nullptr, 0, &plan);
  };
  expect_bad_input({
      {"null", [&] { return commgauge_plan_tasks(nullptr, nullptr, nullptr, nullptr, 0, &plan); },
       "shape is null"},
      {"into null",
       [&] { return commgauge_plan_tasks("5", nullptr, nullptr, nullptr, 0, nullptr); },
       "plan is null"},
      {"no room", [&] { return commgauge_plan_tasks("5", nullptr, nullptr, nullptr, 3, &plan); },
       "next is null"},
      {"shape", [&] { return commgauge_plan_tasks("x", nullptr, nullptr, nullptr, 0, &plan); },
       "is no shape"},
      {"another shape",
       [&] { return commgauge_plan_tasks("5x5", tasks_, nullptr, nullptr, 0, &plan); }, "24x20"},
      {"precision", [&] { return with(0, 0.95); }, "precision"},
      {"no precision", [&] { return with(std::nan(""), 0.95); }, "precision"},
      {"confidence", [&] { return with(0.1, 1); }, "confidence"},
      {"options", [] { return commgauge_plan_options_init(nullptr); }, "options is null"},
  });
  EXPECT_EQ(plan.next, 77U);
}

TEST_F(CTasks, BadPredictionsAreRefused) {
  const auto changed = [&](const std::function<void()>& change) {
    return [this, change] {
      const commgauge_task_options before = options_;
      change();
      const commgauge_status status = predict("lmo", {4});
      options_ = before;
      return status;
    };
  };
  const int two = 2;
  commgauge_task_prediction one{};
  one.processes = 77;
  const auto call = [&](const commgauge_model* model, const commgauge_tasks* tasks,
                        const int* processes, int count, commgauge_task_prediction* into) {
    return commgauge_predict_tasks(model, nullptr, tasks, nullptr, processes, count, into);
  };
  expect_bad_input({
      {"model", [&] { return call(nullptr, tasks_, &two, 1, &one); }, "model is null"},
      {"tasks", [&] { return call(model_, nullptr, &two, 1, &one); }, "tasks is null"},
      {"processes", [&] { return call(model_, tasks_, nullptr, 1, &one); }, "processes is null"},
      {"into", [&] { return call(model_, tasks_, &two, 1, nullptr); }, "predictions is null"},
      {"none", [&] { return call(model_, tasks_, &two, 0, &one); }, "no number of processes"},
      {"negative", [&] { return call(model_, tasks_, &two, -1, &one); }, "negative number"},
      {"alone", [&] { return predict("lmo", {1}); }, "a job of 1 processes"},
      {"less than none",
       [&] {
         return predict("lmo", {2, -5});
       },
       "a job of -5 processes"},
      {"unknown", [&] { return predict("nobody", {2}); }, "nobody"},
      {"chunk", changed([&] { options_.chunk = 0; }), "a chunk of no tasks"},
      {"masters", changed([&] { options_.masters = 0; }), "no master"},
      {"many masters", changed([&] { options_.masters = 3; }), "3 masters"},
      {"serve", changed([&] { options_.serve_s = -1; }), "serve_s"},
      {"split", changed([&] { options_.split_after_s = std::nan(""); }), "split_after_s"},
      {"ratio", changed([&] { options_.time_ratio = "0"; }), "0"},
      {"order", changed([&] { options_.order = static_cast<commgauge_order>(0); }), "no order 0"},
      {"options", [] { return commgauge_task_options_init(nullptr); }, "options is null"},
  });
  EXPECT_EQ(one.processes, 77);
}

/// Neither a grid nor a sample: the file is named.
TEST_F(CTasks, WhatTellsNothingOfOtherTasksIsRefused) {
  write_file(file("few.csv"), "i1,time_s\n2,1\n3,1\n");
  commgauge_tasks* few = nullptr;
  ASSERT_EQ(commgauge_load_tasks(file("few.csv").c_str(), "9", 1, &few), COMMGAUGE_OK);
  std::swap(few, tasks_);
  expect_bad_input({{"few", [&] { return predict(nullptr, {2}); }, "few.csv: "}});
  commgauge_free_tasks(few);
}

TEST_F(CTasks, NoMemory) {
  const std::string name = file();
  commgauge_plan plan{};
  const int processes = 3;
  commgauge_task_prediction found{};
  const auto failures_of = [](const std::function<commgauge_status()>& call,
                              std::size_t smallest = 4096) {
    for (long allocations = 0;; ++allocations) {
      commgauge_status status{};
      {
        const test::FailingNew failing{allocations, smallest};
        status = call();
      }
      if (status == COMMGAUGE_OK) return allocations;
      EXPECT_EQ(status, COMMGAUGE_NO_MEMORY) << allocations << ": " << commgauge_last_message();
      if (testing::Test::HasFailure()) return 0L;
    }
  };
  commgauge_tasks* loaded = nullptr;
  EXPECT_GT(failures_of([&] { return commgauge_load_tasks(name.c_str(), nullptr, 1, &loaded); }),
            0);
  commgauge_free_tasks(loaded);
  EXPECT_GT(failures_of([&] {
              return commgauge_predict_tasks(model_, "lmo", tasks_, &options_, &processes, 1,
                                             &found);
            }),
            0);
  std::vector<std::uint64_t> next(6, 77);
  EXPECT_GT(
      failures_of(
          [&] { return commgauge_plan_tasks(shape_text, nullptr, nullptr, next.data(), 3, &plan); },
          0),
      3);
  EXPECT_EQ(plan.next, 256U);
}

}  // namespace commgauge::c_tasks_test
