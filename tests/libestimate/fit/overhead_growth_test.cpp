#include "commgauge/fit/overhead_growth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "commgauge/base/error.hpp"
#include "commgauge/judge/fit.hpp"
#include "samples.hpp"

namespace commgauge::overhead_growth_test {

using samples::row;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double us = 1e-6;

/// Rows of a CSV without quotes, the header left out.
std::vector<std::vector<std::string>> published(const std::string& name) {
  std::ifstream file(std::string{COMMGAUGE_DATA_DIR} + "/mizutani2004/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// As the paper prints them.
std::string digits(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

struct Points {
  std::vector<int> processes;
  std::vector<Seconds> times;
};

std::map<std::string, Points> points(const std::string& name) {
  std::map<std::string, Points> result;
  for (const auto& row : published(name)) {
    result[row.at(0)].processes.push_back(std::stoi(row.at(1)));
    result[row.at(0)].times.push_back(Seconds{std::stod(row.at(2)) * us});
  }
  return result;
}

TEST(PublishedOverheads, GiveThePrintedParameters) {
  const Points measured = points("overheads.csv").at("MPICH");
  const OverheadLine line = fit_overhead_growth(measured.processes, measured.times);
  std::map<std::string, std::string> printed;
  for (const auto& row : published("parameters.csv")) printed[row.at(0)] = row.at(1);
  EXPECT_EQ(digits("%.1f", line.o_prime_a.value / us), printed.at("o_prime_a"));
  EXPECT_EQ(digits("%.3f", line.o_prime_b.value / us), printed.at("o_prime_b"));
  // Section 5.1: 2^20 round trips take 21.4 s longer among 64 processes than among 8.
  const Seconds longer = 2 * 1048576 * (line.at(64) - line.at(8));
  EXPECT_NEAR(longer.value, 21.4, 0.1);
}

TEST(PublishedRoundTrips, GiveThePrintedIncreasingRates) {
  const auto measured = points("round_trips.csv");
  const auto printed = published("increasing_rates.csv");
  ASSERT_EQ(printed.size(), 3U);
  for (const auto& row : printed) {
    const Points& of = measured.at(row.at(0));
    const bool one_decimal = row.at(1).size() - row.at(1).find('.') == 2;
    const double rate = 100 * increasing_rate(of.processes, of.times);
    EXPECT_EQ(digits(one_decimal ? "%.1f" : "%.2f", rate), row.at(1)) << row.at(0);
  }
}

TEST(OverheadGrowthLine, IsLeastSquares) {
  const std::vector<int> processes{2, 4, 6};
  const std::vector<Seconds> overheads{{1.0}, {3.0}, {2.0}};
  const OverheadLine line = fit_overhead_growth(processes, overheads);
  EXPECT_NEAR(line.o_prime_b.value, 0.25, 1e-12);
  EXPECT_NEAR(line.o_prime_a.value, 1.0, 1e-12);
  EXPECT_NEAR(line.at(10).value, 3.5, 1e-12);
}

TEST(OverheadGrowthLine, RefusesWhatMakesNoLine) {
  const std::vector<Seconds> two{{1e-6}, {2e-6}};
  EXPECT_THROW((void)fit_overhead_growth(std::vector{2}, two), InputError);
  EXPECT_THROW((void)fit_overhead_growth(std::vector{2, 0}, two), InputError);
  EXPECT_THROW((void)fit_overhead_growth(std::vector{2, 2}, two), FitError);
  EXPECT_THROW((void)fit_overhead_growth(std::vector{2, 4}, std::vector<Seconds>{{1}, {NAN}}),
               InputError);
  EXPECT_THROW((void)increasing_rate(std::vector{2, 2}, two), InputError);
  EXPECT_THROW((void)increasing_rate(std::vector{2, 4}, std::vector<Seconds>{{0}, {1}}),
               InputError);
  EXPECT_THROW((void)increasing_rate(std::vector{2}, std::vector<Seconds>{{1}}), FitError);
}

Experiment among(int processes, Experiment experiment) {
  experiment.processes = processes;
  return experiment;
}

/// A job of n ranks, its pairs' round trips at three sizes, so that a model can be fitted.
Measurements job(int n, int passes) {
  Measurements m;
  m.launches.resize(1);
  for (int r = 0; r < n; ++r) {
    m.launches[0].ranks.push_back({"h" + std::to_string(r), {}});
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (i == j) continue;
        for (const std::uint64_t size : {0, 1000, 2000}) {
          const double time = (20 + static_cast<double>(size) / 100) * us;
          m.observations.push_back(row(round_trip(i, j, Bytes{size}, {}), pass, time));
        }
      }
    }
  }
  return m;
}

/// What sending and receiving take among P processes, in one pass.
struct Truth {
  double a_s, b_s, a_r, b_r;
  double bend{};  ///< of receiving, at P = 4
  [[nodiscard]] double sent(int p) const { return (a_s + b_s * p) * us; }
  [[nodiscard]] double received(int p) const { return (a_r + b_r * p + (p == 4 ? bend : 0)) * us; }
};

void add_steps(Measurements& m, const std::vector<int>& steps, const std::vector<Truth>& passes) {
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    for (const int p : steps) {
      const int number = static_cast<int>(pass);
      const Experiment sent = send_overhead(0, 1, Bytes{1});
      const Experiment received = receive_overhead(1, 0, Bytes{1});
      m.observations.push_back(row(among(p, sent), number, passes[pass].sent(p)));
      m.observations.push_back(row(among(p, received), number, passes[pass].received(p)));
      const Experiment trip = round_trip(0, 1, Bytes{1}, Bytes{1});
      m.observations.push_back(row(among(p, trip), number, (100.0 + p) * us));
    }
  }
}

/// Sending doesn't grow; receiving by 0.1, 0.2, 0.3 us a process in three passes.
const std::vector<Truth> three_passes{{5, 0, 8, 0.1}, {5, 0, 8, 0.2}, {5, 0, 8, 0.3}};

TEST(OverheadGrowthFit, EveryPassIsALineOfItsOwn) {
  Measurements m = job(8, 3);
  add_steps(m, {2, 8}, three_passes);
  const Model model = fit(m);
  ASSERT_TRUE(model.overhead_growth) << model.not_determined;
  const auto& growth = *model.overhead_growth;
  EXPECT_EQ(growth.replicate_kind, ReplicateKind::passes);
  ASSERT_EQ(growth.replicates.size(), 3U);
  EXPECT_NEAR(growth.replicates[2].o_prime_b_r, 0.3 * us, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_a_s, 5 * us, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_b_s, 0, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_a_r, 8 * us, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_b_r, 0.2 * us, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_a, 6.5 * us, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_b, 0.1 * us, 1e-12);
  // Student's 4.303 for three passes, whose slopes have a standard deviation of 0.1 us.
  EXPECT_NEAR(growth.high.o_prime_b_r - growth.value.o_prime_b_r, 4.303 * 0.1 * us / std::sqrt(3),
              1e-10);
  EXPECT_TRUE(std::isnan(growth.residual)) << "two points tell nothing of the line";
  EXPECT_THAT(growth.warnings, ElementsAre());
}

TEST(OverheadGrowthFit, StepsEnterNoOtherFit) {
  const Model without = fit(job(8, 3));
  Measurements m = job(8, 3);
  add_steps(m, {2, 4, 8}, three_passes);
  const Model with = fit(m);
  EXPECT_EQ(with.hockney->value.alpha.values().size(),
            without.hockney->value.alpha.values().size());
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i == j) continue;
      EXPECT_EQ(with.hockney->value.alpha(i, j), without.hockney->value.alpha(i, j));
    }
  }
  EXPECT_EQ(with.hockney->observations, without.hockney->observations);
}

TEST(OverheadGrowthFit, SaysWhereNoLineFits) {
  Measurements straight = job(8, 3);
  add_steps(straight, {2, 4, 8}, three_passes);
  EXPECT_THAT(fit(straight).overhead_growth->warnings, ElementsAre());
  Measurements bent = job(8, 3);
  add_steps(bent, {2, 4, 8}, {{5, 0, 8, 0.19, 1.9}, {5, 0, 8, 0.2, 2.0}, {5, 0, 8, 0.21, 2.1}});
  const Model model = fit(bent);
  EXPECT_THAT(texts_of(model.overhead_growth->warnings),
              ElementsAre(HasSubstr("of receiving is no line in the number of processes")));
  EXPECT_GT(model.overhead_growth->residual, 0.01);
}

TEST(OverheadGrowthFit, OneNumberOfProcessesIsTooFew) {
  Measurements m = job(8, 3);
  add_steps(m, {8}, three_passes);
  const Model model = fit(m);
  EXPECT_FALSE(model.overhead_growth);
  EXPECT_THAT(model.not_determined, HasSubstr("overhead_growth: the overheads of ranks 0 and 1"));
  EXPECT_THAT(model.not_determined, HasSubstr("fewer than two numbers of processes"));
  EXPECT_THAT(fit(job(8, 3)).not_determined, Not(HasSubstr("overhead_growth")));
}

/// A job of its own for each n: nothing says P but the number of ranks.
Measurements job_with_overheads(int n, const std::vector<Truth>& passes) {
  Measurements m = job(n, static_cast<int>(passes.size()));
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    const int number = static_cast<int>(pass);
    for (const std::uint64_t size : {0, 64}) {
      const double more = static_cast<double>(size) * 0.01 * us;
      const double sent = passes[pass].sent(n) + more;
      const double received = passes[pass].received(n) + more;
      m.observations.push_back(row(send_overhead(0, 1, Bytes{size}), number, sent));
      m.observations.push_back(row(receive_overhead(1, 0, Bytes{size}), number, received));
    }
  }
  return m;
}

TEST(OverheadGrowthFit, SeparateJobsCountWithTheirSize) {
  const std::array parts{job_with_overheads(2, three_passes), job_with_overheads(8, three_passes),
                         job_with_overheads(4, three_passes)};
  const Model model = fit(merge(parts));
  EXPECT_EQ(model.ranks, 8);
  ASSERT_TRUE(model.overhead_growth) << model.not_determined;
  const auto& growth = *model.overhead_growth;
  EXPECT_NEAR(growth.value.o_prime_a_r, 8 * us, 1e-12);
  EXPECT_NEAR(growth.value.o_prime_b_r, 0.2 * us, 1e-12);
  EXPECT_EQ(growth.first, Bytes{0}) << "the smallest size that all jobs have";
  EXPECT_EQ(growth.last, Bytes{0});
  EXPECT_EQ(growth.observations, 6);
  EXPECT_THAT(texts_of(growth.warnings),
              ElementsAre(HasSubstr("separate jobs of 2, 4, 8 ranks"), HasSubstr("launched once")));
  EXPECT_THAT(texts_of(model.warnings),
              Contains(HasSubstr("2 of 3 launches have fewer than 8 ranks")));
}

/// Connections opened little by little may cost something else.
const std::vector<Truth> steeper{{5, 1, 8, 1.1}, {5, 1, 8, 1.2}, {5, 1, 8, 1.3}};

TEST(OverheadGrowthFit, SeparateJobsCountAloneWhereThereAreSteps) {
  Measurements large = job_with_overheads(8, three_passes);
  add_steps(large, {2, 4, 8}, steeper);
  const std::array parts{job_with_overheads(2, three_passes), large};
  const auto growth = fit(merge(parts)).overhead_growth;
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->value.o_prime_b_r, 0.2 * us, 1e-12);
  EXPECT_EQ(growth->first, Bytes{0});
  EXPECT_THAT(texts_of(growth->warnings),
              Contains(HasSubstr("jobs of 2, 8 ranks, not from steps")));
}

TEST(OverheadGrowthFit, StepsOfTheLargestCountWhereJobsTellNothing) {
  Measurements large = job_with_overheads(8, three_passes);
  add_steps(large, {2, 4, 8}, steeper);
  Measurements small = job(2, 3);
  add_steps(small, {0}, three_passes);  // of the whole job, at the size of the other's steps
  const std::array parts{small, large};
  const auto growth = fit(merge(parts)).overhead_growth;
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->value.o_prime_b_r, 1.2 * us, 1e-12);
  EXPECT_EQ(growth->first, Bytes{1});
  EXPECT_EQ(growth->observations, 6);
  EXPECT_THAT(texts_of(growth->warnings), Not(Contains(HasSubstr("separate jobs"))));
}

TEST(OverheadGrowthFit, SmallJobsLeaveTheModelsAlone) {
  const Measurements large = job_with_overheads(8, three_passes);
  Measurements small = job_with_overheads(2, three_passes);
  for (Observation& o : small.observations) o.time_s *= 3, o.high_s *= 3;
  const std::array parts{small, large};
  const Model alone = fit(large);
  const Model merged = fit(merge(parts));
  EXPECT_EQ(merged.hockney->value.alpha(0, 1), alone.hockney->value.alpha(0, 1));
  EXPECT_EQ(merged.hockney->replicate_kind, ReplicateKind::passes);
  EXPECT_EQ(merged.launches.size(), 2U);
}

TEST(OverheadGrowthFit, SeveralJobsOfEachSizeAreReplicates) {
  // Two launches of each size; the third of 2 ranks is averaged with the first.
  const std::array parts{
      job_with_overheads(2, {{5, 0, 8, 0.1}}), job_with_overheads(2, {{5, 0, 8, 0.3}}),
      job_with_overheads(2, {{5, 0, 8, 0.1}}), job_with_overheads(8, {{5, 0, 8, 0.1}}),
      job_with_overheads(8, {{5, 0, 8, 0.3}})};
  const Model model = fit(merge(parts));
  ASSERT_TRUE(model.overhead_growth) << model.not_determined;
  EXPECT_EQ(model.overhead_growth->replicate_kind, ReplicateKind::launches);
  ASSERT_EQ(model.overhead_growth->replicates.size(), 2U);
  EXPECT_NEAR(model.overhead_growth->replicates[0].o_prime_b_r, 0.1 * us, 1e-12);
  EXPECT_NEAR(model.overhead_growth->replicates[1].o_prime_b_r, 0.3 * us, 1e-12);
  EXPECT_NEAR(model.overhead_growth->value.o_prime_b_r, 0.2 * us, 1e-12);
  EXPECT_THAT(texts_of(model.overhead_growth->warnings), Not(Contains(HasSubstr("launched once"))));
}

TEST(OverheadsAmong, TheLineWithItsIntervalFromEveryReplicate) {
  Fitted<OverheadGrowth> growth;
  growth.value = {10e-6, 1e-6, 20e-6, 2e-6, 15e-6, 1.5e-6};
  growth.replicate_kind = ReplicateKind::launches;
  // At 8 processes 17, 18 and 19 us: the errors of both parameters cancel in part.
  growth.replicates = {growth.value, growth.value, growth.value};
  growth.replicates[0].o_prime_a_s = 17e-6;
  growth.replicates[0].o_prime_b_s = 0;
  growth.replicates[2].o_prime_a_s = 3e-6;
  growth.replicates[2].o_prime_b_s = 2e-6;
  const auto found = overheads_among(growth, 8, 0.95);
  EXPECT_NEAR(found.sending.value, 18e-6, 1e-15);
  EXPECT_NEAR(found.sending.high - found.sending.value, 4.302653 * 1e-6 / std::sqrt(3), 1e-11);
  EXPECT_NEAR(found.sending.value - found.sending.low, 4.302653 * 1e-6 / std::sqrt(3), 1e-11);
  EXPECT_NEAR(found.receiving.value, 36e-6, 1e-15);
  EXPECT_NEAR(found.receiving.high, found.receiving.low, 1e-15);
}

TEST(OverheadsAmong, NoIntervalWithoutReplicates) {
  Fitted<OverheadGrowth> growth;
  growth.value.o_prime_b_s = 1e-6;
  const auto found = overheads_among(growth, 3, 0.95);
  EXPECT_NEAR(found.sending.value, 3e-6, 1e-15);
  EXPECT_TRUE(std::isnan(found.sending.low) && std::isnan(found.sending.high));
  EXPECT_THROW((void)overheads_among(growth, 0, 0.95), InputError);
}

}  // namespace commgauge::overhead_growth_test
