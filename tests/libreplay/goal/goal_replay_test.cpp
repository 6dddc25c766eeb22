#include "commgauge/replay/goal/goal_replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/trace/goal/goal_of_trace.hpp"
#include "goal_schedules.hpp"

namespace commgauge::replay::goal_replay_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::Goal;
using trace::goal_from;

const std::string data = std::string{COMMGAUGE_DATA_DIR} + "/goal/";

/// A row of loggopsim.csv.
struct Answer {
  std::string schedule;
  LogGops parameters;
  std::size_t rank{};
  std::uint64_t end_ns{};
};

std::vector<Answer> answers() {
  std::ifstream file{data + "loggopsim.csv"};
  std::vector<Answer> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream words{line};
    Answer row;
    std::getline(words, row.schedule, ',');
    LogGops& p = row.parameters;
    char comma{};
    words >> p.latency_ns >> comma >> p.overhead_ns >> comma >> p.gap_ns >> comma >>
        p.gap_per_byte_ns >> comma >> p.overhead_per_byte_ns >> comma >> p.eager_bytes >> comma >>
        row.rank >> comma >> row.end_ns;
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::uint64_t> ends(const std::string& text, const LogGops& parameters = {}) {
  return replay(goal_from(text), parameters).ends_ns;
}

std::string error_of(const std::string& text) {
  try {
    (void)ends(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GoalReplay, TimesAreThoseOfLogGopsim) {
  const auto schedules = goals::stored_schedules();
  const std::vector<Answer> rows = answers();
  EXPECT_GT(rows.size(), 400);
  for (const Answer& row : rows) {
    const auto times = replay(schedules.at(row.schedule), row.parameters);
    EXPECT_EQ(times.ends_ns.at(row.rank), row.end_ns)
        << row.schedule << ", o " << row.parameters.overhead_ns << ", rank " << row.rank;
    if (times.ends_ns.size() > 16) {
      EXPECT_EQ(times.end_ns(), row.end_ns);
    }
  }
}

TEST(GoalReplay, TheStoredSchedulesAreTheGeneratedOnes) {
  for (const auto& [name, goal] : goals::stored_schedules())
    EXPECT_EQ(to_text(goal), read_file(data + name + ".goal")) << name;
}

const std::string one_message = R"(num_ranks 2
rank 0 {
l1: send 11b to 1 tag 3
}
rank 1 {
l1: recv 11b from 0 tag 3
})";

TEST(GoalReplay, AMessageTakesOverheadsLatencyAndBytes) {
  EXPECT_THAT(ends(one_message, {100, 10, 5, 2, 1, 1000}),
              ElementsAre(10 + 10 * 1, 10 + 100 + 10 + 10 * 2));
}

TEST(GoalReplay, EventsAreOperationsAndMessages) {
  EXPECT_EQ(replay(goal_from(one_message), {}).events, 3);
}

TEST(GoalReplay, ARendezvousMessageHoldsItsSender) {
  const std::string text = R"(num_ranks 2
rank 0 {
l1: send 11b to 1 tag 3
l2: calc 1
l2 requires l1
}
rank 1 {
l1: calc 5000
l2: recv 11b from 0 tag 3
l2 requires l1
})";
  EXPECT_THAT(ends(text, {100, 10, 5, 2, 0, 11}), ElementsAre(11, 5030));
  EXPECT_THAT(ends(text, {100, 10, 5, 2, 0, 10}), ElementsAre(5001, 5030));
}

TEST(GoalReplay, MessagesWithoutDataCostNothingPerByte) {
  EXPECT_THAT(ends("num_ranks 1\nrank 0 {\nsend 0b to 0\nrecv 0b from 0\n}", {100, 10, 5, 2, 1, 9}),
              ElementsAre(120));
}

TEST(GoalReplay, WhatIsRequiredHasEndedOnOtherProcessorsToo) {
  EXPECT_THAT(ends(R"(num_ranks 1
rank 0 {
l1: calc 100 cpu 0
l2: calc 10 cpu 1
l2 requires l1
l3: calc 5 cpu 2
l3 irequires l2
})"),
              ElementsAre(110));
}

TEST(GoalReplay, WhatNeverEndsIsAnError) {
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nrecv 5b from 0 tag 4\n}"),
              HasSubstr("1 operations never end (rank 0 waits in a receive from 0, tag 4"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nsend 99999b to 0 tag 4\n}"),
              HasSubstr("rank 0 waits in a send to 0, tag 4"));
  EXPECT_THAT(
      error_of("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}"),
      HasSubstr("2 operations never begin"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\nsend 5b to 0 tag 4\n}"),
              HasSubstr("a message is never received (a send to 0, tag 4 of rank 0)"));
  EXPECT_THAT(error_of("num_ranks 1\nrank 0 {\ncalc 9223372036854775807\n}"),
              HasSubstr("the schedule takes too long"));
}

/// Each rank calls the operation once.
trace::Trace trace_of(const schedule::Collective& what) {
  trace::Trace trace;
  trace.communicators.resize(1);
  for (std::int32_t rank = 0; rank < what.ranks; ++rank) {
    trace.communicators[0].members.push_back(rank);
    trace::Rank& called = trace.ranks.emplace_back();
    called.collectives.push_back({what});
    called.events.emplace_back(trace::event::Collective{});
  }
  return trace;
}

TEST(GoalReplay, MessagesOfAllCollectiveOperationsFindTheirReceives) {
  for (const schedule::Operation operation : schedule::all_operations())
    for (const schedule::Algorithm algorithm : schedule::algorithms_of(operation))
      for (int ranks = 1; ranks <= 9; ++ranks) {
        const schedule::Collective what{operation, ranks, ranks / 2, {1000}};
        if (!schedule::is_possible(what, algorithm)) continue;
        const schedule::Choice choice{schedule::Deciders::mpich, {{operation, algorithm}}};
        const Goal goal = trace::goal_of(trace_of(what), choice);
        EXPECT_NO_THROW(EXPECT_EQ(2 * replay(goal, {}).events, 3 * goal.operations()))
            << to_text(operation) << ' ' << to_text(algorithm) << ' ' << ranks;
      }
}

/// One to three bytes become others, or go.
std::string damaged(std::string text, std::mt19937& engine) {
  for (auto many = 1 + engine() % 3; many > 0; --many) {
    const std::size_t place = engine() % text.size();
    if (engine() % 3 == 0)
      text.erase(place, 1 + engine() % 20);
    else
      text[place] = "0123456789 \nb"[engine() % 13];
  }
  return text;
}

TEST(GoalReplay, DamagedSchedulesAreRefusedOrReplayed) {
  std::vector<std::string> texts;
  for (const auto& [name, goal] : goals::stored_schedules()) texts.push_back(to_text(goal));
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 engine{seed};
    try {
      const auto times = replay(goal_from(damaged(texts[seed % texts.size()], engine)), LogGops{});
      EXPECT_GT(times.end_ns(), 0);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 500);
}

TEST(GoalReplay, ManyProcessorsTakeLittleMemory) {
  std::string text = "num_ranks 3000\n";
  for (int rank = 0; rank < 3000; ++rank)
    text += "rank " + std::to_string(rank) + " {\nsend 1b to 0 cpu 255 nic 255\n}\n";
  EXPECT_THAT(error_of(text), HasSubstr("a message is never received"));
}

TEST(GoalReplay, NothingTakesNoTime) {
  EXPECT_THAT(ends("num_ranks 2\nrank 0 {\n}\nrank 1 {\n}"), ElementsAre(0, 0));
}

TEST(GoalReplay, ALinearAllToAllIsNotQuadratic) {
  const Goal goal = goals::linear_all_to_all(200, 1);
  EXPECT_EQ(replay(goal, {}).events, 3 * 200 * 199);
}

}  // namespace commgauge::replay::goal_replay_test
