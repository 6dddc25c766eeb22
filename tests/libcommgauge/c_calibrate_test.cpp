// Calibrating through the C interface, and each way in which that fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <climits>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "commgauge.h"
#include "failing_new.hpp"

namespace {

bool duplicating_fails = false;
bool is_over = false;

}  // namespace

// These stand in for the library's.
extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  return duplicating_fails ? MPI_ERR_OTHER : PMPI_Comm_dup(comm, copy);
}
extern "C" int MPI_Finalized(int* flag) {
  const int result = PMPI_Finalized(flag);
  if (is_over) *flag = 1;
  return result;
}

namespace commgauge::c_calibrate_test {

using testing::HasSubstr;

int rank_of() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Short: these tests look at structure.
commgauge_options quick() {
  commgauge_options options;
  EXPECT_EQ(commgauge_options_init(&options), COMMGAUGE_OK);
  options.passes = 2;
  options.min_reps = 3;
  options.max_reps = 3;
  options.models = "hockney";
  options.largest_bytes = 16384;
  options.thresholds = 0;
  options.checks = 0;
  return options;
}

using OwnedModel = std::unique_ptr<commgauge_model, decltype(&commgauge_free)>;

/// Null, and a failed test, where there is none.
OwnedModel calibrated(const commgauge_options& options, commgauge_info& info) {
  commgauge_model* model = nullptr;
  const commgauge_status status = commgauge_calibrate(MPI_COMM_WORLD, &options, &model);
  EXPECT_EQ(status, COMMGAUGE_OK) << commgauge_last_message();
  if (status == COMMGAUGE_OK) {
    EXPECT_EQ(commgauge_get_info(model, &info), COMMGAUGE_OK);
  }
  return {model, commgauge_free};
}

/// A failing calibration's status; the model stays as it is.
commgauge_status failure_of(const commgauge_options& options, MPI_Comm comm = MPI_COMM_WORLD) {
  auto* const untouched = reinterpret_cast<commgauge_model*>(1);
  commgauge_model* model = untouched;
  const commgauge_status status = commgauge_calibrate(comm, &options, &model);
  EXPECT_EQ(model, untouched);
  return status;
}

void expect_bad(const commgauge_options& options, const std::string& word) {
  EXPECT_EQ(failure_of(options), COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr(word));
}

TEST(CCalibrate, TheSameModelOnEveryRank) {
  commgauge_info info{};
  const OwnedModel model = calibrated(quick(), info);
  if (!model) return;
  EXPECT_EQ(info.ranks, size_of());
  EXPECT_EQ(info.launches, 1);
  EXPECT_EQ(info.models, 1);
  EXPECT_EQ(info.complete, 1);
  EXPECT_GT(info.confidence, 0.94);
  commgauge_prediction mine{};
  EXPECT_EQ(commgauge_predict_round_trip(model.get(), nullptr, 0, 1, 1000, &mine), COMMGAUGE_OK);
  // On a crowded machine a line may well go below 0, which is not hidden.
  EXPECT_TRUE(std::isfinite(mine.time_s));
  EXPECT_LE(mine.low_s, mine.time_s);
  EXPECT_GE(mine.high_s, mine.time_s);
  double times[] = {mine.time_s, mine.low_s, mine.high_s};
  MPI_Bcast(times, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_EQ(mine.time_s, times[0]);
  EXPECT_EQ(mine.low_s, times[1]);
  EXPECT_EQ(mine.high_s, times[2]);
}

/// Ranks of a host are those of the model there, in their order: a job of two has its first two.
TEST(CCalibrate, AJobOfSomeRanksHasTheModelOfTheFirstOnes) {
  commgauge_info info{};
  const OwnedModel model = calibrated(quick(), info);
  ASSERT_TRUE(model);
  const bool is_in = rank_of() >= size_of() - 2;
  MPI_Comm last_two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, -rank_of(), &last_two);
  if (!is_in) return;
  commgauge_model* job = nullptr;
  EXPECT_EQ(commgauge_for_communicator(model.get(), last_two, &job), COMMGAUGE_OK)
      << commgauge_last_message();
  MPI_Comm_free(&last_two);
  ASSERT_NE(job, nullptr);
  const OwnedModel owned{job, commgauge_free};
  commgauge_info of_job{};
  EXPECT_EQ(commgauge_get_info(job, &of_job), COMMGAUGE_OK);
  EXPECT_EQ(of_job.ranks, 2);
  commgauge_prediction whole{};
  commgauge_prediction part{};
  EXPECT_EQ(commgauge_predict_message(model.get(), nullptr, 1, 0, 1000, &whole), COMMGAUGE_OK);
  EXPECT_EQ(commgauge_predict_message(job, nullptr, 1, 0, 1000, &part), COMMGAUGE_OK);
  EXPECT_EQ(whole.time_s, part.time_s);
}

TEST(CCalibrate, AJobsModelIsRefreshed) {
  commgauge_info info{};
  const OwnedModel model = calibrated(quick(), info);
  ASSERT_TRUE(model);
  commgauge_model* now = nullptr;
  int holds = -1;
  EXPECT_EQ(commgauge_refresh(model.get(), MPI_COMM_WORLD, 0, &now, &holds), COMMGAUGE_OK)
      << commgauge_last_message();
  ASSERT_NE(now, nullptr);
  const OwnedModel owned{now, commgauge_free};
  EXPECT_TRUE(holds == 0 || holds == 1);
  commgauge_prediction time{};
  EXPECT_EQ(commgauge_predict_message(now, nullptr, 0, 1, 1000, &time), COMMGAUGE_OK);
  // Of three repetitions on a busy machine even a time below zero may be fitted.
  EXPECT_GT(time.high_s, 0);
  EXPECT_TRUE(time.low_s <= time.time_s && time.time_s <= time.high_s);
  commgauge_model* none = nullptr;
  EXPECT_EQ(commgauge_refresh(model.get(), MPI_COMM_WORLD, -1, &none, nullptr),
            COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_refresh(model.get(), MPI_COMM_SELF, 0, &none, nullptr), COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("commgauge_for_communicator"));
  EXPECT_EQ(none, nullptr);
}

TEST(CCalibrate, AJobNeedsACommunicator) {
  commgauge_info info{};
  const OwnedModel model = calibrated(quick(), info);
  ASSERT_TRUE(model);
  commgauge_model* job = nullptr;
  EXPECT_EQ(commgauge_for_communicator(model.get(), MPI_COMM_NULL, &job), COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("MPI_COMM_NULL"));
  EXPECT_EQ(commgauge_for_communicator(nullptr, MPI_COMM_WORLD, &job), COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_for_communicator(model.get(), MPI_COMM_WORLD, nullptr), COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(job, nullptr);
}

TEST(CCalibrate, SeveralModelsByName) {
  commgauge_options options = quick();
  options.models = size_of() < 3 ? "hockney,start_up" : "lmo,hockney";
  commgauge_info info{};
  if (calibrated(options, info)) {
    EXPECT_EQ(info.models, 2);
  }
}

TEST(CCalibrate, OptionsOutOfRange) {
  const auto with = [](auto member, auto value) {
    commgauge_options options = quick();
    options.*member = value;
    return options;
  };
  using O = commgauge_options;
  expect_bad(with(&O::time_budget_s, -1.0), "time budget");
  expect_bad(with(&O::time_budget_s, std::nan("")), "time budget");
  expect_bad(with(&O::precision, 0.0), "precision");
  expect_bad(with(&O::precision, std::nan("")), "precision");
  expect_bad(with(&O::confidence, 1.0), "confidence");
  expect_bad(with(&O::passes, 0), "passes");
  expect_bad(with(&O::min_reps, 1), "min-reps");
  expect_bad(with(&O::max_reps, 2), "max-reps");
  expect_bad(with(&O::models, "hockney,logq"), "logq");
  expect_bad(with(&O::models, ""), "unknown model ''");
  expect_bad(with(&O::largest_bytes, std::uint64_t{INT_MAX} + 1), "above");
}

TEST(CCalibrate, CommunicatorsThatWontDo) {
  EXPECT_EQ(failure_of(quick(), MPI_COMM_NULL), COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("MPI_COMM_NULL"));
  EXPECT_EQ(failure_of(quick(), MPI_COMM_SELF), COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("at least two"));
  commgauge_model* model = nullptr;
  EXPECT_EQ(commgauge_calibrate(MPI_COMM_SELF, nullptr, &model), COMMGAUGE_BAD_INPUT);
  EXPECT_EQ(commgauge_calibrate(MPI_COMM_WORLD, nullptr, nullptr), COMMGAUGE_BAD_INPUT);

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  const int side = rank_of() % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &both);
  EXPECT_EQ(failure_of(quick(), both), COMMGAUGE_BAD_INPUT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("intercommunicator"));
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

TEST(CCalibrate, MpiThatIsOver) {
  is_over = true;
  EXPECT_EQ(failure_of(quick()), COMMGAUGE_BAD_INPUT);
  is_over = false;
  EXPECT_THAT(commgauge_last_message(), HasSubstr("MPI is not running"));
}

TEST(CCalibrate, WhatCantBeFitted) {
  commgauge_options options = quick();
  options.cancelled = [](void*) { return 1; };
  EXPECT_EQ(failure_of(options), COMMGAUGE_CANT_FIT) << commgauge_last_message();
  options = quick();
  options.time_budget_s = 1e-9;
  EXPECT_EQ(failure_of(options), COMMGAUGE_CANT_FIT) << "too short";
  if (size_of() > 2) return;
  options = quick();
  options.models = "lmo";
  EXPECT_EQ(failure_of(options), COMMGAUGE_CANT_FIT);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("three ranks"));
}

TEST(CCalibrate, TheCallbackGetsItsData) {
  commgauge_options options = quick();
  int asked = 0;
  options.cancelled = [](void* data) {
    ++*static_cast<int*>(data);
    return 1;
  };
  options.cancelled_data = &asked;
  EXPECT_EQ(failure_of(options), COMMGAUGE_CANT_FIT);
  EXPECT_GT(asked, 0);
}

TEST(CCalibrate, ACallbackThatThrows) {
  commgauge_options options = quick();
  options.cancelled = [](void*) -> int { throw std::runtime_error("thrown by the callback"); };
  EXPECT_EQ(failure_of(options), COMMGAUGE_INTERNAL);
  EXPECT_STREQ(commgauge_last_message(), "thrown by the callback");
  options.cancelled = [](void*) -> int { throw 1; };
  EXPECT_EQ(failure_of(options), COMMGAUGE_INTERNAL);
  EXPECT_THAT(commgauge_last_message(), HasSubstr("unknown exception"));
}

TEST(CCalibrate, MpiThatFails) {
  duplicating_fails = true;
  EXPECT_EQ(failure_of(quick()), COMMGAUGE_MPI_FAILED);
  duplicating_fails = false;
  EXPECT_THAT(commgauge_last_message(), HasSubstr("MPI_Comm_dup failed"));
}

/// Before the ranks have to do with each other.
TEST(CCalibrate, NoMemory) {
  const commgauge_options options = quick();
  commgauge_status status{};
  {
    const test::FailingNew failing{0};
    status = failure_of(options);
  }
  EXPECT_EQ(status, COMMGAUGE_NO_MEMORY);
}

}  // namespace commgauge::c_calibrate_test
