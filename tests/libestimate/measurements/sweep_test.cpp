#include "commgauge/measurements/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "commgauge/base/error.hpp"
#include "damage.hpp"
#include "samples.hpp"

namespace commgauge::sweep_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string message_of(const std::string& text) {
  try {
    (void)sweeps_from_csv(text, "s.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The message of one row below the usual header.
std::string message_of_row(const std::string& row) {
  return message_of("kind,size_bytes,time_s\n" + row + "\n");
}

Sweep only_sweep(const std::string& text) {
  const std::vector<Sweep> sweeps = sweeps_from_csv(text, "s.csv");
  EXPECT_EQ(sweeps.size(), 1U);
  return sweeps.at(0);
}

TEST(SweepPoint, TimeIsTheMedian) {
  EXPECT_EQ((SweepPoint{Bytes{8}, {3.0}}.time_s()), 3.0);
  EXPECT_EQ((SweepPoint{Bytes{8}, {3.0, 1.0, 9.0}}.time_s()), 3.0);
  EXPECT_EQ((SweepPoint{Bytes{8}, {3.0, 1.0, 9.0, 4.0}}.time_s()), 3.5);
}

TEST(AddTimes, KeepsSizesAscending) {
  Sweep sweep;
  add_times(sweep, Bytes{8}, std::array{1.0});
  add_times(sweep, Bytes{2}, std::array{2.0, 3.0});
  add_times(sweep, Bytes{32}, std::array{4.0});
  add_times(sweep, Bytes{8}, std::array{5.0});
  ASSERT_EQ(sweep.points.size(), 3U);
  EXPECT_EQ(sweep.points[0].size, Bytes{2});
  EXPECT_THAT(sweep.points[0].times_s, ElementsAre(2.0, 3.0));
  EXPECT_EQ(sweep.points[1].size, Bytes{8});
  EXPECT_THAT(sweep.points[1].times_s, ElementsAre(1.0, 5.0));
  EXPECT_EQ(sweep.points[2].size, Bytes{32});
}

TEST(AddTimes, OfNothingAddsNothing) {
  Sweep sweep;
  add_times(sweep, Bytes{8}, {});
  EXPECT_TRUE(sweep.points.empty());
}

TEST(AddTimes, AnIntervalOfOneTimeIsNoneOfTwo) {
  Sweep sweep{"", 0, 0, {{Bytes{8}, {1.0}, 0.5, 1.5}}};
  add_times(sweep, Bytes{8}, std::array{2.0});
  EXPECT_TRUE(std::isnan(sweep.points[0].low_s));
  EXPECT_TRUE(std::isnan(sweep.points[0].high_s));
}

TEST(SweepCsv, RowsOfOneKindMakeASweep) {
  const std::vector<Sweep> sweeps = sweeps_from_csv(
      "kind,size_bytes,time_s\n"
      "scatter,1024,2e-5\n"
      "gather,1024,0.00003\n"
      "scatter,1,1.5e-5\n",
      "s.csv");
  ASSERT_EQ(sweeps.size(), 2U);
  EXPECT_EQ(sweeps[0].kind, "scatter");
  EXPECT_EQ(sweeps[1].kind, "gather");
  ASSERT_EQ(sweeps[0].points.size(), 2U);
  EXPECT_EQ(sweeps[0].points[0].size, Bytes{1});
  EXPECT_THAT(sweeps[0].points[0].times_s, ElementsAre(1.5e-5));
  EXPECT_EQ(sweeps[0].points[1].size, Bytes{1024});
  EXPECT_THAT(sweeps[1].points[0].times_s, ElementsAre(3e-5));
}

TEST(SweepCsv, RowsOfOneSizeAreRepetitions) {
  const Sweep sweep = only_sweep(
      "size_bytes,time_s,low_s,high_s\n8,1,0.5,1.5\n16,1,,\n8,2,1.5,2.5\n8,1,0.5,1.5\n"
      "32,4,3,5\n");
  ASSERT_EQ(sweep.points.size(), 3U);
  EXPECT_THAT(sweep.points[0].times_s, ElementsAre(1.0, 2.0, 1.0));
  EXPECT_TRUE(std::isnan(sweep.points[0].low_s));
  EXPECT_TRUE(std::isnan(sweep.points[0].high_s));
  EXPECT_TRUE(std::isnan(sweep.points[1].low_s));
  EXPECT_EQ(sweep.points[2].low_s, 3);
  EXPECT_EQ(sweep.points[2].high_s, 5);
}

TEST(SweepCsv, WithoutKindIsOneSeries) {
  const Sweep sweep = only_sweep("size_bytes,time_s\n0,1\n9223372036854775808,2\n");
  EXPECT_EQ(sweep.kind, "");
  EXPECT_EQ(sweep.points[0].size, Bytes{0});
  EXPECT_EQ(sweep.points[1].size, Bytes{std::uint64_t{1} << 63U});
}

TEST(SweepCsv, OneRowIsEnoughToRead) {
  EXPECT_EQ(only_sweep("size_bytes,time_s\n8,1\n").points.size(), 1U);
  EXPECT_EQ(only_sweep("size_bytes,time_s\n8,1").points.size(), 1U);
}

TEST(SweepCsv, ColumnsComeInAnyOrderAmongOthers) {
  const Sweep sweep = only_sweep("host,time_s,high_s,size_bytes,low_s,kind,\nh1,2,3,8,1,gather,\n");
  EXPECT_EQ(sweep.kind, "gather");
  ASSERT_EQ(sweep.points.size(), 1U);
  EXPECT_EQ(sweep.points[0].size, Bytes{8});
  EXPECT_THAT(sweep.points[0].times_s, ElementsAre(2.0));
  EXPECT_EQ(sweep.points[0].low_s, 1);
  EXPECT_EQ(sweep.points[0].high_s, 3);
}

TEST(SweepCsv, LineEndsBlanksAndCommentsDoNotMatter) {
  const std::string plain = "kind,size_bytes,time_s\ngather,8,1\ngather,16,2\n";
  const std::string expected = to_csv(sweeps_from_csv(plain, "s.csv"));
  for (const std::string same :
       {"\xef\xbb\xbfkind,size_bytes,time_s\r\ngather,8,1\r\ngather,16,2\r\n",
        "kind,size_bytes,time_s\rgather,8,1\rgather,16,2",
        "# measured on a \"Sunday\"\n\n kind , size_bytes\t,time_s \n  \n gather, 8, 1\n"
        "  # a comment, too\ngather,16,2   \n\n\n"}) {
    EXPECT_EQ(to_csv(sweeps_from_csv(same, "s.csv")), expected);
  }
}

TEST(SweepCsv, LinesAreCountedAsEditorsDo) {
  EXPECT_THAT(message_of("size_bytes,time_s\r\n\r\n# x\r\n8,fast\r\n"),
              StartsWith("s.csv: line 4: "));
  EXPECT_THAT(message_of("size_bytes,time_s\r\r# x\r8,fast\r"), StartsWith("s.csv: line 4: "));
  EXPECT_THAT(message_of("\n\nsize_bytes,time_s\n8,fast\n"), StartsWith("s.csv: line 4: "));
}

TEST(SweepCsv, ReadBackAsWritten) {
  const std::array sweeps{
      samples::sweep(),
      Sweep{"", 0, 0, {{Bytes{3}, {0.1, 5e-324, std::numeric_limits<double>::max()}}}}};
  const std::string text = to_csv(sweeps);
  EXPECT_THAT(text, StartsWith("kind,size_bytes,time_s\ngather,0,1.5e-05\ngather,1024,2e-05\n"));
  const std::vector<Sweep> back = sweeps_from_csv(text, "s.csv");
  EXPECT_EQ(to_csv(back), text);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[1].points[0].times_s, sweeps[1].points[0].times_s);
}

TEST(SweepCsv, KeepsPassesThatAreKnownOfAll) {
  const std::string text =
      "kind,size_bytes,time_s,pass\ngather,8,1.5,0\ngather,8,2.5,2\ngather,16,3,1\n";
  const std::vector<Sweep> sweeps = sweeps_from_csv(text, "s.csv");
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_EQ(sweeps[0].points[0].passes, (std::vector{0, 2}));
  EXPECT_TRUE(has_passes(sweeps[0]));
  EXPECT_EQ(next_pass(sweeps[0]), 3);
  EXPECT_EQ(to_csv(sweeps), text);
}

TEST(SweepCsv, PassesThatAreNone) {
  for (const char* pass : {"", "-1", "1.5", "x", "1000001"}) {
    EXPECT_EQ(message_of("size_bytes,time_s,pass\n8,1.5," + std::string{pass} + '\n'),
              "s.csv: line 2: pass '" + std::string{pass} +
                  "' is not a whole number (the repetitions that were taken in turn have the "
                  "same): write 0, 1, 2 ..., or leave the column out");
  }
}

TEST(Sweep, ForgetsPassesThatAreNotKnownOfAll) {
  Sweep sweep;
  add_times(sweep, Bytes{8}, {{1.0}}, {{4}});
  EXPECT_EQ(next_pass(sweep), 5);
  add_times(sweep, Bytes{8}, {{1.0}});
  EXPECT_FALSE(has_passes(sweep));
  EXPECT_TRUE(sweep.points[0].passes.empty());
}

TEST(SweepCsv, OfNoSweepIsAHeader) { EXPECT_EQ(to_csv({}), "kind,size_bytes,time_s\n"); }

TEST(SweepCsv, WhatHoldsNoRows) {
  EXPECT_THAT(message_of(""), StartsWith("s.csv: is empty (nothing to read): put kind,"));
  EXPECT_THAT(message_of("\xef\xbb\xbf\n # x\n"), StartsWith("s.csv: is empty "));
  EXPECT_THAT(message_of("kind,size_bytes,time_s\n"),
              StartsWith("s.csv: has no rows (only a header): put kind,"));
}

TEST(SweepCsv, TheHeaderHasToNameItsColumns) {
  EXPECT_EQ(message_of("1024,2e-5\n2048,3e-5\n"),
            "s.csv: line 1: no header (the first line has numbers): put kind,size_bytes,time_s on "
            "the first line");
  EXPECT_THAT(message_of("scatter,1024,2e-5\n"), HasSubstr("no header"));
  EXPECT_EQ(message_of("kind,size,time_s\nscatter,8,1\n"),
            "s.csv: line 1: has no column size_bytes (the header is 'kind,size,time_s'): name the "
            "columns kind,size_bytes,time_s");
  EXPECT_THAT(message_of("size_bytes,time_us\n8,1\n"), HasSubstr("has no column time_s"));
  EXPECT_THAT(message_of("size_bytes;time_s\n8;1\n"), HasSubstr("separate the columns by commas"));
  EXPECT_EQ(message_of("size_bytes,time_s,size_bytes\n8,1,8\n"),
            "s.csv: line 1: has the column 'size_bytes' twice (which of them counts?): leave one "
            "of them out");
  EXPECT_THAT(message_of("size_bytes,time_s,x,x\n8,1,8,8\n"), HasSubstr("'x' twice"));
  EXPECT_THAT(message_of("size_bytes,time_s,low_s\n8,1,1\n"), HasSubstr("only one of low_s and"));
}

TEST(SweepCsv, SizesAreWholeBytes) {
  EXPECT_EQ(message_of_row("scatter,64KiB,1"),
            "s.csv: line 2: size_bytes '64KiB' is not a whole number of bytes (no signs, fractions "
            "or units here): write 65536");
  EXPECT_THAT(message_of_row("scatter,1024.0,1"), HasSubstr("write 1024"));
  EXPECT_THAT(message_of_row("scatter,1.5,1"), HasSubstr("write plain digits"));
  EXPECT_THAT(message_of_row("scatter,-8,1"), HasSubstr("'-8' is not a whole number of bytes"));
  EXPECT_THAT(message_of_row("scatter,1e6,1"), HasSubstr("'1e6' is not a whole number of bytes"));
  EXPECT_THAT(message_of_row("scatter,0x10,1"), HasSubstr("is not a whole number of bytes"));
  EXPECT_THAT(message_of_row("scatter,,1"), HasSubstr("size_bytes is empty"));
  EXPECT_THAT(message_of_row("scatter,9223372036854775809,1"), HasSubstr("is too large"));
  EXPECT_THAT(message_of_row("scatter,99999999999999999999999,1"), HasSubstr("is too large"));
}

TEST(SweepCsv, TimesArePositiveSeconds) {
  EXPECT_EQ(message_of_row("scatter,8,0"),
            "s.csv: line 2: time_s '0' is not positive (no message takes no time): leave the row "
            "out, or time more repetitions together");
  EXPECT_THAT(message_of_row("scatter,8,-0.0"), HasSubstr("is not positive"));
  EXPECT_THAT(message_of_row("scatter,8,-1e-5"), HasSubstr("time_s '-1e-5' is not positive"));
  EXPECT_THAT(message_of_row("scatter,8,25us"), HasSubstr("time_s '25us' is not a number"));
  EXPECT_THAT(message_of_row("scatter,8,"), HasSubstr("time_s is empty"));
  EXPECT_THAT(message_of_row("scatter,8,nan"), HasSubstr("is not a finite number"));
  EXPECT_THAT(message_of_row("scatter,8,inf"), HasSubstr("is not a finite number"));
  EXPECT_THAT(message_of_row("scatter,8,1e999"), HasSubstr("too long for a time"));
  EXPECT_THAT(message_of_row("scatter,8,1e-400"), HasSubstr("'1e-400' is too short"));
  EXPECT_THAT(message_of_row("scatter,8,1 2"), HasSubstr("is not a number"));
}

TEST(SweepCsv, AnIntervalHoldsItsTime) {
  const std::string header = "size_bytes,time_s,low_s,high_s\n";
  EXPECT_EQ(message_of(header + "8,1,2,3\n"),
            "s.csv: line 2: low_s '2' is above time_s (an interval holds its value): check the "
            "columns");
  EXPECT_THAT(message_of(header + "8,1,0.5,0.9\n"), HasSubstr("high_s '0.9' is below time_s"));
  EXPECT_THAT(message_of(header + "8,1,0.5,\n"), HasSubstr("high_s is empty beside"));
  EXPECT_THAT(message_of(header + "8,1,,2\n"), HasSubstr("low_s is empty beside"));
  EXPECT_THAT(message_of(header + "8,1,nan,2\n"), HasSubstr("low_s 'nan' is not a finite number"));
  EXPECT_EQ(message_of(header + "8,1,-0.5,2\n"), "no error");
}

TEST(SweepCsv, RowsHaveTheHeadersFields) {
  EXPECT_EQ(message_of_row("scatter,8"),
            "s.csv: line 2: has 2 fields where the header has 3 (every row has them all): check "
            "its commas");
  EXPECT_THAT(message_of_row("scatter,8,1,2"), HasSubstr("has 4 fields"));
  EXPECT_THAT(message_of_row("scatter,1024,0,00002"), HasSubstr("has 4 fields"));
}

TEST(SweepCsv, WhatIsNoPlainText) {
  EXPECT_EQ(message_of_row("\"scatter\",8,1"),
            "s.csv: line 2: has a quote (quoted fields are not read): write the fields without "
            "quotes");
  using namespace std::string_literals;
  EXPECT_THAT(message_of("s\0i\0z\0e\0"s), HasSubstr("line 1: has a zero byte"));
  EXPECT_THAT(message_of_row("scatter,\x01\x1b[2J,1"), HasSubstr("size_bytes '??[2J' is not"));
  EXPECT_THAT(message_of(std::string(100'000, ',')), StartsWith("s.csv: line 1: has no column"));
}

TEST(SweepCsv, MissingFileIsNamed) {}

/// Cuts the text off or flips some of its bytes.
std::string damaged(const std::string& good, unsigned seed) {
  std::mt19937 random{seed};
  if (seed % 4 != 0) return samples::with_flipped_bytes(good, random);
  return good.substr(0, std::uniform_int_distribution<std::size_t>{0, good.size()}(random));
}

void expect_sound(const std::vector<Sweep>& sweeps) {
  EXPECT_FALSE(sweeps.empty());
  for (const Sweep& sweep : sweeps) {
    EXPECT_FALSE(sweep.points.empty());
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
      const SweepPoint& point = sweep.points[i];
      EXPECT_GT(point.time_s(), 0);
      EXPECT_FALSE(point.low_s > point.time_s());
      EXPECT_FALSE(point.high_s < point.time_s());
      if (i > 0) {
        EXPECT_LT(sweep.points[i - 1].size, point.size);
      }
    }
  }
}

TEST(SweepCsv, DamagedFilesAreReadOrRefused) {
  const std::string good =
      "# comment\nkind,size_bytes,time_s,low_s,high_s\nscatter,1,1.5e-05,1.4e-05,1.6e-05\n"
      "scatter,1024,2e-05,1.9e-05,2.2e-05\r\nscatter,1024,2.5e-05,,\ngather,1,1e-05,,\n";
  int refused = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    try {
      expect_sound(sweeps_from_csv(damaged(good, seed), "s.csv"));
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), StartsWith("s.csv: "));
      EXPECT_EQ(std::string{error.what()}.find_first_of("\r\n"), std::string::npos);
    }
  }
  EXPECT_GE(refused, 500);
  EXPECT_LE(refused, 1950);
}

}  // namespace commgauge::sweep_test
