#include "commgauge/trace/events/crossings.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace::crossings_test {

/// A thread starts a receive that another one waits for.
Rank one_crossing() {
  Rank rank;
  rank.events = {event::Receive{.request = 4}, event::ThreadBegin{.number = 1},
                 event::Wait{.list = 0, .count = 1}};
  rank.further_threads = {1};
  rank.requests = {4};
  return rank;
}

TEST(Crossings, ARankOfOneThreadHasNone) {
  Rank rank = one_crossing();
  rank.further_threads.clear();
  EXPECT_TRUE(crossings(rank).empty());
}

TEST(Crossings, AreFoundByTheirRequests) {
  const auto found = crossings(one_crossing());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, 0U);
  EXPECT_EQ(found[0].end, 2U);
  EXPECT_EQ(found[0].entry, 0U);
}

TEST(Crossings, WhatAThreadHasStartedItselfIsItsOwn) {
  Rank rank = one_crossing();
  rank.events.insert(rank.events.begin() + 2, event::Send{.request = 4});
  EXPECT_TRUE(crossings(rank).empty());
}

TEST(Crossings, WhatWasGivenUpIsntStarted) {
  Rank rank = one_crossing();
  rank.events.insert(rank.events.begin() + 1, event::Free{4});
  rank.further_threads = {2};
  EXPECT_TRUE(crossings(rank).empty());
}

TEST(Crossings, AMessageThatIsSetAsideHasNoEntry) {
  Rank rank;
  rank.events = {event::MatchedProbe{.request = 7}, event::ThreadBegin{.number = 1},
                 event::MatchedReceive{.message = 7}};
  rank.further_threads = {1};
  const auto found = crossings(rank);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].entry, no_entry);
}

/// MPI_Start by one thread, MPI_Wait by another one, twice; then both are given up.
TEST(Crossings, AreOfEachRoundOfAPersistentRequest) {
  for (const bool is_partitioned : {false, true}) {
    Rank rank;
    const Event start =
        is_partitioned ? Event{event::Start{.request = 0}} : Event{event::Send{.request = 0}};
    rank.events = {{start.what, 1},
                   {start.what, 3},
                   event::ThreadBegin{.number = 1},
                   {event::Wait{.list = 0, .count = 1}, 2},
                   {event::Wait{.list = 1, .count = 1}, 4}};
    if (is_partitioned) {
      rank.events.insert(rank.events.begin(), event::PrepareSend{.request = 0});
      rank.events.insert(rank.events.begin() + 3, {event::Free{.request = 0}, 5});
    }
    const std::uint32_t first = is_partitioned ? 1 : 0;
    const std::uint32_t further = is_partitioned ? 4 : 2;
    rank.further_threads = {further};
    rank.requests = {0, 0};
    const auto found = crossings(rank);
    ASSERT_EQ(found.size(), 2);
    for (std::uint32_t k = 0; k < 2; ++k) {
      EXPECT_EQ(found[k].start, first + k);
      EXPECT_EQ(found[k].end, further + 1 + k);
      EXPECT_EQ(found[k].entry, k);
    }
  }
}

}  // namespace commgauge::trace::crossings_test
