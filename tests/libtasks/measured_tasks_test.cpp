#include "commgauge/tasks/measured_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "../libestimate/damage.hpp"
#include "commgauge/base/error.hpp"

namespace commgauge::tasks::measured_tasks_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string message_of(const std::string& text, const std::optional<Shape>& shape = {}) {
  try {
    (void)tasks_from_csv(text, "tasks.csv", shape);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TasksFromCsv, ReadsThemInAnyOrder) {
  const MeasuredTasks tasks =
      tasks_from_csv("i1,i2,time_s\n2,1,3e-6\n# so far\n1,3,2e-6\n1,1,1e-6\n", "t.csv");
  EXPECT_EQ(tasks.shape, Shape({2, 3}));
  EXPECT_THAT(tasks.numbers, ElementsAre(0, 2, 3));
  EXPECT_THAT(tasks.times_s, ElementsAre(1e-6, 2e-6, 3e-6));
  EXPECT_THAT(tasks.result_bytes, IsEmpty());
  EXPECT_FALSE(tasks.has_all());
}

TEST(TasksFromCsv, ReadsResultsSizes) {
  const MeasuredTasks tasks =
      tasks_from_csv("i1,time_s,result_bytes\n2,0,40\n1,1,4\n", "t.csv", Shape({2}));
  EXPECT_THAT(tasks.result_bytes, ElementsAre(4, 40));
  EXPECT_TRUE(tasks.has_all());
}

TEST(TasksFromCsv, AShapeMayBeLarger) {
  EXPECT_EQ(tasks_from_csv("i1,i2,time_s\n1,1,1\n", "t.csv", Shape({9, 8})).shape, Shape({9, 8}));
}

TEST(TasksFromCsv, WhatIsWrittenIsReadAgain) {
  const MeasuredTasks tasks{Shape({3, 3}), {1, 4, 8}, {0.1, 1.0 / 3, 0}, {1, 2, 0.5}};
  const MeasuredTasks again = tasks_from_csv(to_csv(tasks), "t.csv", tasks.shape);
  EXPECT_EQ(again.numbers, tasks.numbers);
  EXPECT_EQ(again.times_s, tasks.times_s);
  EXPECT_EQ(again.result_bytes, tasks.result_bytes);
  EXPECT_EQ(to_csv(tasks.shape, {0, 5}), "i1,i2\n1,1\n2,3\n");
}

TEST(TasksFromCsv, SaysInOneLineWhatIsWrong) {
  const std::string head = "i1,i2,time_s\n";
  EXPECT_THAT(message_of(""), HasSubstr("tasks.csv: is empty"));
  EXPECT_THAT(message_of(head), HasSubstr("has no tasks"));
  EXPECT_THAT(message_of("time_s\n1\n"), HasSubstr("is no header of task times"));
  EXPECT_THAT(message_of("i1,i3,time_s\n1,1,1\n"), HasSubstr("is no header of task times"));
  EXPECT_THAT(message_of("i1,i2\n1,1\n"), HasSubstr("is no header of task times"));
  EXPECT_THAT(message_of(head + "1,1\n"), HasSubstr("line 2: has 2 fields where the header has 3"));
  EXPECT_THAT(message_of(head + "0,1,1\n"), HasSubstr("'0' is no number of a task"));
  EXPECT_THAT(message_of(head + "1.5,1,1\n"), HasSubstr("'1.5' is no number of a task"));
  EXPECT_THAT(message_of(head + "1,1,-2\n"), HasSubstr("line 2: time_s '-2' is negative"));
  EXPECT_THAT(message_of(head + "1,1,nan\n"), HasSubstr("line 2"));
  EXPECT_THAT(message_of(head + "1,2,1\n2,2,1\n1,2,3\n"),
              HasSubstr("line 4: task (1, 2) is there twice (see line 2)"));
  EXPECT_THAT(message_of("i1,time_s,result_bytes\n1,1,-1\n"), HasSubstr("result_bytes"));
  EXPECT_THAT(message_of("i1,time_s,result_bytes\n1,1,5e9\n"), HasSubstr("more than 4 GiB"));
  EXPECT_THAT(message_of(head + "1,3,1\n", Shape({2, 2})),
              HasSubstr("line 2: i2 is 3 (the shape 2x2 goes up to 2)"));
  EXPECT_THAT(message_of(head + "1,3,1\n", Shape({9})),
              HasSubstr("names tasks by 2 integers (the shape 9 has 1 dimensions)"));
}

TEST(TasksFromCsv, AFileSaysItsPlan) {
  MeasuredTasks tasks{Shape({30, 3}), {1, 4, 8}, {0.1, 0.2, 0}, {}};
  tasks.seed = 7;
  const MeasuredTasks again = tasks_from_csv(to_csv(tasks), "t.csv");
  EXPECT_EQ(again.shape, tasks.shape);
  EXPECT_EQ(again.seed, 7U);
  EXPECT_THAT(message_of(to_csv(tasks), Shape({3, 30})),
              HasSubstr("its tasks are of 30x3, not of 3x30"));
  EXPECT_EQ(tasks_from_csv("# tasks of whatever\ni1,time_s\n2,1\n", "t.csv").shape, Shape({2}));
  EXPECT_THAT(message_of("# tasks of 3y4, seed 1\ni1,time_s\n2,1\n"),
              HasSubstr("its comment on the plan"));
}

TEST(TasksFromCsv, DamagedFilesAreReadOrRefusedInOneLine) {
  const std::string good = "i1,i2,time_s,result_bytes\n1,1,1e-6,4\n1,2,2e-6,8\n2,1,3e-6,4\n";
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string damaged = samples::with_flipped_bytes(good, random);
    EXPECT_THAT(message_of(damaged), Not(HasSubstr("\n")));
  }
}

TEST(Merged, HasTheTasksOfBoth) {
  const MeasuredTasks all = merged({Shape({9}), {2, 7}, {20, 70}, {}}, {Shape({9}), {4}, {40}, {}});
  EXPECT_THAT(all.numbers, ElementsAre(2, 4, 7));
  EXPECT_THAT(all.times_s, ElementsAre(20, 40, 70));
}

TEST(Merged, RefusesWhatDoesNotFitTogether) {
  const MeasuredTasks some{Shape({9}), {2}, {20}, {}};
  EXPECT_THROW((void)merged(some, {Shape({8}), {4}, {40}, {}}), InputError);
  EXPECT_THROW((void)merged(some, {Shape({9}), {4}, {40}, {1}}), InputError);
  EXPECT_THROW((void)merged(some, some), InputError);
}

}  // namespace commgauge::tasks::measured_tasks_test
