#include "write/unify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "commgauge/base/error.hpp"

namespace commgauge::trace::unify_test {

using testing::ElementsAre;

Report report_of(std::int32_t rank, std::vector<std::string> names) {
  Report report;
  report.used.assign(names.size(), 1);
  report.names = std::move(names);
  report.communicators = {{"MPI_COMM_WORLD", {0, 1}, {}}};
  report.origins.resize(1);
  report.ranks = {{.rank = rank, .host = "node" + std::to_string(rank), .events = 5}};
  return report;
}

TEST(Report, IsTheSameAsBytes) {
  Report report = report_of(1, {"MPI_Send", "solve"});
  report.sites = {{"solve", "solve.c", 7}};
  report.origins[0] = {3, "tag"};
  report.ranks[0].further_threads = {{17, 4}};
  report.ranks[0].problem = "the disk is full";
  const Report again = to_report(to_bytes(report));
  EXPECT_EQ(again.names, report.names);
  EXPECT_EQ(again.used, report.used);
  EXPECT_EQ(again.sites, report.sites);
  EXPECT_EQ(again.origins, report.origins);
  ASSERT_EQ(again.ranks.size(), 1U);
  EXPECT_EQ(again.ranks[0].host, "node1");
  EXPECT_EQ(again.ranks[0].events, 5U);
  EXPECT_EQ(again.ranks[0].problem, "the disk is full");
  ASSERT_EQ(again.ranks[0].further_threads.size(), 1U);
  EXPECT_EQ(again.ranks[0].further_threads[0].number, 17U);
  EXPECT_TRUE(has_further_threads(again));
  EXPECT_FALSE(has_further_threads(report_of(0, {})));
}

TEST(Report, ThatIsCutOffIsRefused) {
  std::string bytes = to_bytes(report_of(0, {"MPI_Send"}));
  bytes.pop_back();
  EXPECT_THROW(static_cast<void>(to_report(bytes)), commgauge::Error);
}

TEST(Unify, NamesAreListedOnceAndRanksInOrder) {
  const Unified all =
      unify({report_of(1, {"MPI_Recv", "MPI_Send"}), report_of(0, {"MPI_Send", "MPI_Barrier"})});
  ASSERT_EQ(all.whole.ranks.size(), 2U);
  EXPECT_EQ(all.whole.ranks[0].host, "node0");
  EXPECT_EQ(all.whole.ranks[1].host, "node1");
  EXPECT_EQ(std::set(all.whole.names.begin(), all.whole.names.end()),
            (std::set<std::string>{"MPI_Barrier", "MPI_Recv", "MPI_Send"}));
  EXPECT_EQ(all.whole.names.size(), 3U);
  EXPECT_EQ(all.whole.communicators.size(), 1U);
  EXPECT_THAT(all.numbers[0].communicators, ElementsAre(0));
  EXPECT_THAT(all.numbers[1].communicators, ElementsAre(0));
  EXPECT_EQ(all.numbers[0].regions[region_of(1, false)],
            all.numbers[1].regions[region_of(0, false)]);
}

TEST(Unify, ANameMayBeACallAndARegion) {
  EXPECT_EQ(region_of(3, false), 6U);
  EXPECT_EQ(region_of(3, true), 7U);
  const std::vector<std::uint32_t> numbers = region_numbers({1, 3, 0, 2});
  ASSERT_EQ(numbers.size(), 8U);
  EXPECT_EQ(numbers[0], 0U);
  EXPECT_EQ(numbers[2], 1U);
  EXPECT_EQ(numbers[3], 2U);
  EXPECT_EQ(numbers[4], 3U) << "of which nobody knows that it is a region: a call";
  EXPECT_EQ(numbers[7], 4U) << "without gaps";
}

TEST(Unify, WindowsAreNumberedWithoutGaps) {
  const Communicator world{"MPI_COMM_WORLD", {0}, {}};
  const Communicator window{"", {0}, {}, true};
  EXPECT_TRUE(window_numbers({world, world}).empty());
  const auto numbers = window_numbers({world, window, world, window});
  EXPECT_EQ(numbers.at(1), 0U);
  EXPECT_EQ(numbers.at(3), 1U);
}

}  // namespace commgauge::trace::unify_test
