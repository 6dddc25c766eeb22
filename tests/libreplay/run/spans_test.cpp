#include "commgauge/replay/run/spans.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "marked_rank.hpp"

namespace commgauge::replay::spans_test {

using namespace trace::event;

Result marked_at(const std::vector<double>& times) {
  Result result;
  result.marks.resize(1);
  for (const double time : times) result.marks.front().push_back({time, 0});
  return result;
}

trace::Trace of_one_rank(const std::vector<trace::Event>& events) {
  trace::Trace trace = two_ranks();
  trace.ranks.resize(1);
  trace.ranks.front().events = events;
  return trace;
}

TEST(Spans, CallsAreWithinRegions) {
  const auto trace =
      of_one_rank({border<RegionBegin>(2, 0), border<Enter>(0, 0), Send{}, border<Leave>(0, 0),
                   border<Enter>(1, 0), border<Leave>(1, 0), border<RegionEnd>(2, 0)});
  const auto spans = spans_of(trace, marked_at({1, 2, 3, 5, 8, 13})).front();
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_TRUE(spans[0].is_region);
  EXPECT_EQ(spans[0].depth, 0);
  EXPECT_EQ(spans[0].from, 1);
  EXPECT_EQ(spans[0].to, 13);
  EXPECT_FALSE(spans[1].is_region);
  EXPECT_EQ(spans[1].depth, 1);
  EXPECT_EQ(spans[1].from, 2);
  EXPECT_EQ(spans[1].to, 3);
  EXPECT_EQ(spans[2].name, 1U);
  EXPECT_EQ(spans[2].depth, 1);
  EXPECT_EQ(spans[2].from, 5);
  EXPECT_EQ(spans[2].to, 8);
}

TEST(Spans, CallsHaveTheirSites) {
  auto trace =
      of_one_rank({border<RegionBegin>(2, 0), Enter{.name = 0, .site = 1}, border<Leave>(0, 0)});
  trace.sites.push_back({"solve", "solve.c", 120});
  const auto spans = spans_of(trace, marked_at({1, 2, 4})).front();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].site, trace::no_site);
  EXPECT_EQ(spans[1].site, 1U);
}

TEST(Spans, WhatIsLeftOpenEndsWithItsRank) {
  const auto trace =
      of_one_rank({border<RegionBegin>(2, 0), border<Enter>(0, 0), border<Leave>(0, 0)});
  const auto spans = spans_of(trace, marked_at({1, 2, 4})).front();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].to, 4);
}

TEST(Spans, AnEndWithoutABeginningIsLeftOut) {
  const auto trace =
      of_one_rank({border<RegionEnd>(2, 0), border<Enter>(0, 0), border<Leave>(0, 0)});
  const auto spans = spans_of(trace, marked_at({1, 2, 4})).front();
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].from, 2);
}

}  // namespace commgauge::replay::spans_test
