#include "explain/places.hpp"

#include <gtest/gtest.h>

#include "marked_rank.hpp"

namespace commgauge::replay::places_test {

using namespace trace::event;

/// MPI_Send within "phase", which is entered within itself; then MPI_Recv.
trace::Trace nested() {
  trace::Trace trace = two_ranks();
  trace.ranks.resize(1);
  trace.sites.push_back({"solve", "solve.c", 12});
  trace.ranks[0].events = {RegionBegin{2}, RegionBegin{2},        Enter{.name = 0, .site = 1},
                           Send{},         Leave{.name = 0},      RegionEnd{2},
                           RegionEnd{2},   Enter{.name = 1},      Receive{},
                           Leave{1},       RegionBegin{.name = 2}};
  return trace;
}

TEST(Places, AreCallsAndRegions) {
  const trace::Trace trace = nested();
  const Places places(trace);
  EXPECT_EQ(places.whereabouts(0, 0), (Whereabouts{0, whole_program, "", ""}));
  EXPECT_EQ(places.whereabouts(0, 3), (Whereabouts{0, "phase", "MPI_Send", "solve (solve.c:12)"}));
  EXPECT_EQ(places.whereabouts(0, 8), (Whereabouts{0, whole_program, "MPI_Recv", ""}));
  EXPECT_EQ(places.whereabouts(0, 1000), (Whereabouts{0, "phase", "", ""})) << "at its end";
}

TEST(Places, ARegionWithinItselfIsOneInstance) {
  const trace::Trace trace = nested();
  const Places places(trace);
  ASSERT_EQ(places.instances().size(), 3U);
  EXPECT_EQ(places.instance(0, 1), places.instance(0, 3));
  EXPECT_EQ(places.instances()[1].number, 0U);
  EXPECT_EQ(places.instances()[2].number, 1U) << "the rank had been there before";
  EXPECT_TRUE(places.is_within(0, 3, 2));
  EXPECT_TRUE(places.is_within(0, 3, places.whole()));
  EXPECT_FALSE(places.is_within(0, 8, 2));
  EXPECT_TRUE(places.is_around(0, 1));
  EXPECT_FALSE(places.is_around(1, 0));
}

TEST(Places, ThreadsBeginInTheWholeProgram) {
  trace::Trace trace = nested();
  trace.ranks[0].events.insert(trace.ranks[0].events.end(), {ThreadBegin{1}, RegionBegin{2}});
  trace.ranks[0].further_threads = {11};
  const Places places(trace);
  EXPECT_EQ(places.whereabouts(0, 12).region, whole_program);
  EXPECT_EQ(places.thread(0, 3).to, 11U);
  EXPECT_EQ(places.thread(0, 12).from, 11U);
  EXPECT_EQ(places.thread(0, 12).to, 13U);
}

}  // namespace commgauge::replay::places_test
