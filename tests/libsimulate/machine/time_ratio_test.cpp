#include "commgauge/simulate/machine/time_ratio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../libestimate/own_file.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/measurements/processor_speed.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate::time_ratio_test {

using testing::ElementsAre;
using testing::HasSubstr;

Machine machine_with(const std::string& said, int ranks) {
  Machine machine;
  machine.ranks = ranks;
  set_time_ratios(machine, said);
  return machine;
}

Machine machine_with_file(const std::string& text, int ranks) {
  write_file(own_file(), text);
  return machine_with(own_file(), ranks);
}

std::vector<Estimate> from_file(const std::string& text, int ranks) {
  return machine_with_file(text, ranks).time_ratios;
}

std::string refusal(const std::string& text) {
  try {
    (void)from_file(text, 2);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(TimeRatios, AreANumberForAllRanks) {
  EXPECT_THAT(machine_with("1.5", 2).time_ratios,
              ElementsAre(Estimate{1.5, 1.5, 1.5}, Estimate{1.5, 1.5, 1.5}));
  for (const char* wrong : {"0", "-1", "inf", "nan"}) {
    EXPECT_THROW((void)machine_with(wrong, 2), InputError) << wrong;
  }
  EXPECT_THROW((void)machine_with("1,5", 2), InputError) << "no such file";
}

TEST(TimeRatios, AreACsvWithALineForEachRank) {
  EXPECT_THAT(from_file("rank,time_ratio\n1, 2\r\n0,0.5\n", 2),
              ElementsAre(Estimate{0.5, 0.5, 0.5}, Estimate{2, 2, 2}));
  EXPECT_THAT(from_file("rank,time_ratio,low,high\n0,2,1.5,3\n1,1\n", 2),
              ElementsAre(Estimate{2, 1.5, 3}, Estimate{1, 1, 1}));
}

TEST(TimeRatios, AreWhatWasMeasured) {
  SpeedRatio measured;
  measured.confidence = 0.95;
  measured.ratio = {2, 1.5, 3};
  EXPECT_THAT(from_file("\n" + to_json(measured), 2),
              ElementsAre(Estimate{2, 1.5, 3}, Estimate{2, 1.5, 3}));
}

TEST(TimeRatios, SayWhatMadeThemDoubtful) {
  std::vector<double> uneven(20, 1e-3);
  for (std::size_t i = 0; i < uneven.size(); i += 2) uneven[i] = 2e-3;
  const ProcessorSpeed noisy{"one", 0.5, {{"integer", uneven}}};
  const ProcessorSpeed quiet{"other", 0, {{"integer", std::vector<double>(20, 1e-3)}}};
  const auto doubts = machine_with_file(to_json(speed_ratio(noisy, quiet)), 2).speed_doubts;
  ASSERT_EQ(doubts.size(), 2U);
  EXPECT_THAT(doubts[0].text(), HasSubstr("when the machine was measured: for 50 % of the time"));
  EXPECT_THAT(doubts[1].text(), HasSubstr("kernel integer vary"));
  EXPECT_TRUE(machine_with_file(to_json(speed_ratio(quiet, quiet)), 2).speed_doubts.empty());
}

TEST(TimeRatios, RefuseWhatIsNone) {
  const std::string header = "rank,time_ratio\n";
  EXPECT_THAT(refusal(header + "0,1\n"), HasSubstr("rank 1 is missing"));
  EXPECT_THAT(refusal(""), HasSubstr("rank 0 is missing"));
  for (const char* line : {"0", "0,0", "0,x", "0,1,", "0,1,1", "0,1,2,3", "0,2,1,1.5", "0,1,0,2",
                           "0,1,1,inf", "2,1", "-1,1", "0.5,1", "0;1", ",1"}) {
    EXPECT_THAT(refusal(header + line + "\n"), HasSubstr("line 2")) << line;
  }
  EXPECT_THAT(refusal("0,1\n0,1\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal("{}"), HasSubstr("schema"));
}

}  // namespace commgauge::simulate::time_ratio_test
