#include "commgauge/simulate/machine/disturbance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "commgauge/base/error.hpp"

namespace commgauge::simulate::disturbance_test {

using testing::HasSubstr;

Processor processor(std::initializer_list<const char*> texts, int rank = 0) {
  std::vector<Disturbance> disturbances;
  for (const char* const text : texts) disturbances.push_back(parse_disturbance(text));
  return {disturbances, rank};
}

TEST(Disturbance, IsReadWithAllItsWords) {
  const Disturbance all =
      parse_disturbance("rank=3,from=0.5,until=2min,speed=0.25,period=100ms,length=10ms");
  EXPECT_EQ(all.rank, 3);
  EXPECT_EQ(all.from, 0.5);
  EXPECT_EQ(all.until, 120);
  EXPECT_EQ(all.speed, 0.25);
  EXPECT_EQ(all.period, 0.1);
  EXPECT_EQ(all.length, 0.01);
  const Disturbance least = parse_disturbance("rank=*");
  EXPECT_TRUE(least.concerns(0) && least.concerns(7));
  EXPECT_EQ(least.from, 0);
  EXPECT_TRUE(std::isinf(least.until));
  EXPECT_EQ(least.speed, 0);
}

TEST(Disturbance, IsRefusedWithItsReason) {
  const std::pair<const char*, const char*> cases[]{
      {"", "of which rank"},
      {"from=1", "of which rank"},
      {"rank=-1", "neither a rank"},
      {"rank=1.5", "neither a rank"},
      {"rank=0,rank=1", "comes once"},
      {"rank=0,,until=1", "no name=value"},
      {"rank=0,speed", "no name=value"},
      {"rank=0,size=1", "'size' is not known"},
      {"rank=0,speed=1", "no share"},
      {"rank=0,speed=-0.1", "no share"},
      {"rank=0,speed=nan", "no share"},
      {"rank=0,speed=1e-9", "no share"},
      {"rank=0,from=-1", "negative"},
      {"rank=0,from=2,until=2", "ends before it begins"},
      {"rank=0,until=0", "ends before it begins"},
      {"rank=0,until=1e300", "beyond 1e9"},
      {"rank=0,period=1", "go together"},
      {"rank=0,length=1", "go together"},
      {"rank=0,period=1us,length=0.5us", "below 10 us"},
      {"rank=0,period=1,length=1", "nothing is left"}};
  for (const auto& [text, word] : cases) {
    try {
      (void)parse_disturbance(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(word)) << text;
    }
  }
}

TEST(Disturbance, MayNotTakeAProcessorForEver) {
  EXPECT_THROW(processor({"rank=0"}), InputError);
  EXPECT_THROW(processor({"rank=*,from=5"}), InputError);
  EXPECT_THROW(processor({"rank=0,period=1,length=0.5", "rank=*,period=3,length=1.5"}), InputError);
  EXPECT_NO_THROW(processor({"rank=0"}, 1));
  EXPECT_NO_THROW(processor({"rank=0,until=1", "rank=0,speed=0.01"}));
}

TEST(Processor, LosesNothingUndisturbed) {
  for (const Processor& one : {processor({}), processor({"rank=1,until=9"}, 0)}) {
    EXPECT_EQ(one.loss(1, 0.3), 0);
    EXPECT_EQ(one.got(1, 1.25), 0.25);
    EXPECT_EQ(one.losses(0, 100), 0);
  }
  const Processor later = processor({"rank=0,from=4,until=5", "rank=0,from=7,speed=0.5"});
  EXPECT_EQ(later.loss(1, 3), 0);
  EXPECT_EQ(later.loss(5, 2), 0);
}

TEST(Processor, WorkWaitsForTheRestOfALoss) {
  const Processor one = processor({"rank=0,from=1,until=2"});
  EXPECT_EQ(one.loss(1.25, 0), 0.75);
  EXPECT_EQ(one.loss(1.25, 5), 0.75);
  EXPECT_EQ(one.loss(0.5, 0.25), 0);
  EXPECT_EQ(one.loss(0.5, 1), 1);
  EXPECT_EQ(one.got(0.5, 3), 1.5);
  EXPECT_EQ(one.losses(0, 1), 1);
  EXPECT_EQ(one.losses(1, 5), 0);
}

TEST(Processor, AtHalfSpeedWorkTakesTwice) {
  const Processor one = processor({"rank=0,from=1,until=2,speed=0.5"});
  EXPECT_EQ(one.loss(1, 0.25), 0.25);
  EXPECT_EQ(one.loss(0, 1.25), 0.25);
  EXPECT_EQ(one.loss(0, 3), 0.5);
  EXPECT_EQ(one.got(0.5, 1.5), 0.75);
}

TEST(Processor, AThiefComesBack) {
  const Processor one = processor({"rank=0,from=0.5,period=1,length=0.25"});
  EXPECT_EQ(one.loss(0, 0.5), 0);
  EXPECT_EQ(one.loss(0, 0.75), 0.25);
  EXPECT_EQ(one.loss(0, 2), 0.5);
  EXPECT_EQ(one.got(0, 4), 3);
  EXPECT_EQ(one.losses(0, 4), 4);
}

TEST(Processor, DisturbancesMultiply) {
  const Processor one = processor({"rank=0,speed=0.5", "rank=0,from=1,until=2,speed=0.5"});
  EXPECT_EQ(one.got(0, 3), 0.5 + 0.25 + 0.5);
  EXPECT_EQ(one.loss(0, 1), 1.5);  // 0.5 s until 1 s, 0.25 until 2 s, 0.25 until 2.5 s
}

/// What is lost and what is done make up the time, wherever work begins.
TEST(Processor, GetsWhatItDoesNotLose) {
  const Processor one =
      processor({"rank=0,from=0.3,until=5,period=0.07,length=0.01",
                 "rank=0,period=0.11,length=0.02,speed=0.3", "rank=0,from=1,until=1.5"});
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> starts(0, 6);
  std::uniform_real_distribution<double> works(0, 2);
  for (int i = 0; i < 1000; ++i) {
    const double start = starts(random);
    const double work = works(random);
    const double end = start + work + one.loss(start, work);
    EXPECT_NEAR(one.got(start, end), work, 1e-12);
    const double middle = start + (end - start) / 3;
    EXPECT_NEAR(one.got(start, middle) + one.got(middle, end), work, 1e-12);
    EXPECT_EQ(one.losses(start, middle) + one.losses(middle, end), one.losses(start, end));
  }
}

}  // namespace commgauge::simulate::disturbance_test
