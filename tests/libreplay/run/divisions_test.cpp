#include "run/divisions.hpp"

#include <gtest/gtest.h>

namespace commgauge::replay::divisions_test {

using namespace trace::event;

PrepareSend send(std::int32_t to, std::uint32_t partitions, std::int32_t tag = 0) {
  return {.peer = to, .tag = tag, .partitions = partitions, .bytes = 100};
}
PrepareReceive receive(std::int32_t from, std::int32_t tag = 0) {
  return {.peer = from, .tag = tag, .partitions = 1, .bytes = 1};
}

trace::Trace trace_of(std::vector<trace::Event> first, std::vector<trace::Event> second) {
  trace::Trace trace;
  trace.ranks.resize(2);
  trace.ranks[0].events = std::move(first);
  trace.ranks[1].events = std::move(second);
  return trace;
}

TEST(Divisions, AReceiveIsDividedAsItsSend) {
  const auto trace = trace_of({Sleep{}, send(1, 3)}, {receive(0)});
  const Divisions divisions(trace);
  ASSERT_NE(divisions.find(0, 1), nullptr);
  ASSERT_NE(divisions.find(1, 0), nullptr);
  EXPECT_EQ(divisions.find(1, 0)->partitions, 3);
  EXPECT_EQ(divisions.find(1, 0)->bytes, 100U);
  EXPECT_EQ(divisions.find(0, 0), nullptr) << "no message";
}

TEST(Divisions, TheOrderOfPreparingTellsWhichSendItIs) {
  const auto trace = trace_of({send(1, 2), send(1, 5), send(1, 7, 1)},
                              {receive(0, 1), receive(0), receive(0), receive(0)});
  const Divisions divisions(trace);
  EXPECT_EQ(divisions.find(1, 0)->partitions, 7);
  EXPECT_EQ(divisions.find(1, 1)->partitions, 2);
  EXPECT_EQ(divisions.find(1, 2)->partitions, 5);
  EXPECT_EQ(divisions.find(1, 3), nullptr) << "never sent";
}

TEST(Divisions, ThreadsPrepareInTheOrderOfTime) {
  auto trace =
      trace_of({{send(1, 2), 20}, ThreadBegin{1}, {send(1, 5), 10}}, {receive(0), receive(0)});
  trace.ranks[0].further_threads = {1};
  const Divisions divisions(trace);
  EXPECT_EQ(divisions.find(1, 0)->partitions, 5);
  EXPECT_EQ(divisions.find(1, 1)->partitions, 2);
}

}  // namespace commgauge::replay::divisions_test
