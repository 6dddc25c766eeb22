#include "commgauge/simulate/machine/jitter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "commgauge/base/error.hpp"
#include "simulated_job.hpp"

namespace commgauge::simulate::jitter_test {

using Leg = Jitter::Leg;

TEST(Jitter, IsDistributedExponentially) {
  const Jitter jitter{.mean = 2, .seed = 1};
  constexpr int messages = 20'000;
  double sum = 0;
  int beyond = 0;
  for (int number = 0; number < messages; ++number) {
    const double late = jitter.lateness(3, 5, number, Leg::message);
    ASSERT_GE(late, 0);
    sum += late;
    if (late > 3) ++beyond;
  }
  EXPECT_NEAR(sum / messages, 1, 0.025);
  EXPECT_NEAR(beyond, messages * std::exp(-3), 0.1 * messages * std::exp(-3));
}

TEST(Jitter, DiffersBySeedRanksNumberAndLeg) {
  const Jitter jitter{.mean = 1, .seed = 1};
  const double one = jitter.lateness(0, 1, 0, Leg::message);
  EXPECT_EQ(one, jitter.lateness(0, 1, 0, Leg::message));
  EXPECT_NE(one, (Jitter{.mean = 1, .seed = 2}.lateness(0, 1, 0, Leg::message)));
  EXPECT_NE(one, jitter.lateness(1, 0, 0, Leg::message));
  EXPECT_NE(one, jitter.lateness(0, 2, 0, Leg::message));
  EXPECT_NE(one, jitter.lateness(0, 1, 1, Leg::message));
  EXPECT_NE(one, jitter.lateness(0, 1, 0, Leg::answer));
}

TEST(Jitter, IsReadFromText) {
  const WantedJitter read = parse_jitter("7:50us");
  EXPECT_EQ(read.seed, 7U);
  EXPECT_DOUBLE_EQ(read.mean.value(), 50e-6);
  EXPECT_FALSE(read.is_open());
  EXPECT_EQ(parse_jitter("12").seed, 12U);
  EXPECT_FALSE(parse_jitter("12").mean);
  EXPECT_TRUE(parse_jitter("none").none);
  EXPECT_FALSE(parse_jitter("none").is_open());
  EXPECT_TRUE(WantedJitter{}.is_open());
  for (const char* const wrong :
       {"", ":50us", "7:", "7:0us", "7:-1us", "-1:1us", "7:2h", "7 :1us", "7:1us:2", "1.5:1us",
        "7:nan", "99999999999999999999:1us", "None", "7:none"}) {
    EXPECT_THROW((void)parse_jitter(wrong), InputError) << wrong;
  }
}

/// Measured times hold the mean lateness.
TEST(Jitter, InTheMeanMessagesTakeAsLongAsBefore) {
  for (const std::uint64_t eager_limit : {std::uint64_t{1} << 20, std::uint64_t{0}}) {
    for (const Model& model : {lmo_model(2, eager_limit), loggps_model(2, eager_limit)}) {
      const Machine before = machine_of(model, "");
      const auto one_way = [](const Machine& machine) {
        return job::run(machine, [](CoroutineProcess& p) -> Task {
          if (p.rank() == 0) co_await p.send(1, 100'000);
          if (p.rank() == 1) co_await p.receive(0, 100'000);
        })[1];
      };
      Machine late = with_jitter(before, {.mean = 0.2 * before.pair(0, 1).arrival.at(0),
                                          .per_byte = 0.1 * before.pair(0, 1).link.first.per_byte});
      double sum = 0;
      constexpr int seeds = 4000;
      for (late.jitter.seed = 0; late.jitter.seed < seeds; ++late.jitter.seed) sum += one_way(late);
      EXPECT_NEAR(sum / seeds / one_way(before), 1, 0.02) << before.kind << " " << eager_limit;
    }
  }
}

TEST(Jitter, WithinAHostIsNoneWhereThereAreSeveral) {
  Model model = hockney_model(4);
  model.hockney->value.alpha(0, 1) = model.hockney->value.alpha(1, 0) = 2e-6;
  for (RankPlace& place : model.launches.front().ranks) place.host = "a";
  const Jitter jitter{.mean = 1e-6, .per_byte = 0.1e-9};
  EXPECT_GT(with_jitter(machine_of(model, ""), jitter).pair(0, 1).jitter, 0);
  for (const std::size_t rank : {2U, 3U}) model.launches.front().ranks[rank].host = "b";
  const Machine late = with_jitter(machine_of(model, ""), jitter);
  EXPECT_EQ(late.pair(0, 1).jitter, 0);
  EXPECT_EQ(late.pair(0, 1).jitter_per_byte, 0);
  EXPECT_GT(late.pair(0, 2).jitter, 0);
}

TEST(Jitter, GrowsWithTheDataThatAreSent) {
  const Machine before = machine_of(hockney_model(2), "");
  const Machine late = with_jitter(before, {.mean = 1e-6, .per_byte = 0.05e-9});
  EXPECT_EQ(late.pair(0, 1).jitter_per_byte, 0.05e-9);
  EXPECT_DOUBLE_EQ(late.pair(0, 1).one_way.at(1000),
                   before.pair(0, 1).one_way.at(1000) - 1e-6 - 0.05e-6);
  EXPECT_EQ(look_back(late), look_back(with_jitter(before, {.mean = 1e-6})));
  const Machine cut = with_jitter(before, {.mean = 1e-6, .per_byte = 1});
  EXPECT_DOUBLE_EQ(cut.pair(0, 1).jitter_per_byte, 0.1e-9);
  EXPECT_NEAR(cut.pair(0, 1).port.at(1000), before.pair(0, 1).port.at(1000) - 0.1e-6, 1e-15);
}

/// Nothing is late by more than it takes.
TEST(Jitter, OfQuickPairsIsCutToTheirTimes) {
  const Machine before = machine_of(lmo_model(2, std::uint64_t{1} << 20), "");
  const Machine late = with_jitter(before, {.mean = 1});
  const double empty = before.pair(0, 1).arrival.at(0);
  EXPECT_DOUBLE_EQ(late.pair(0, 1).jitter, 0.75 * empty);
  EXPECT_DOUBLE_EQ(late.pair(0, 1).arrival.at(0), 0.25 * empty);
  EXPECT_GT(look_ahead(late, 0, 1), 0);
}

TEST(Jitter, ThatIsAskedForIsWhole) {
  const Machine before = machine_of(lmo_model(2, std::uint64_t{1} << 20), "");
  const Machine late = with_jitter(before, {.mean = 1, .is_whole = true});
  EXPECT_EQ(late.pair(0, 1).jitter, 1);
  EXPECT_EQ(late.pair(0, 1).arrival.at(0),
            with_jitter(before, {.mean = 1}).pair(0, 1).arrival.at(0));
  EXPECT_GT(look_ahead(late, 0, 1), 0);
  EXPECT_TRUE(parse_jitter("7:50us").is_whole);
}

}  // namespace commgauge::simulate::jitter_test
