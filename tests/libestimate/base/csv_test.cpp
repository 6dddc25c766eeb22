#include "commgauge/base/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::csv_test {

using ::testing::ElementsAre;

const std::string file_name = "f.csv";

std::vector<std::string> texts_in(const std::string& text) {
  std::vector<std::string> texts;
  for (const CsvLine& line : csv_lines(text, file_name)) texts.emplace_back(line.text);
  return texts;
}

template <class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsvLines, EndAsAnySystemEndsThem) {
  EXPECT_THAT(texts_in("a\nb\r\nc\rd"), ElementsAre("a", "b", "c", "d"));
}

TEST(CsvLines, WithoutCommentsBlanksAndByteOrderMark) {
  EXPECT_THAT(texts_in("\xef\xbb\xbf a ,b\t\n\n# said\n  \nc\n"), ElementsAre("a ,b", "c"));
}

TEST(CsvLines, KnowTheirNumbers) {
  const std::string text = "\na\r\n#\n\nb";
  const std::vector<CsvLine> lines = csv_lines(text, file_name);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].number, 2U);
  EXPECT_EQ(lines[1].number, 5U);
  EXPECT_EQ(message_of([&] { lines[1].fail("is odd\nindeed"); }), "f.csv: line 5: is odd?indeed");
}

TEST(CsvLines, RefuseWhatIsNoPlainText) {
  EXPECT_EQ(message_of([] { (void)texts_in(std::string("a\n\0", 3)); }),
            "f.csv: line 2: has a zero byte (a binary file, or UTF-16?): save it as plain text");
  EXPECT_EQ(message_of([] { (void)texts_in("\"a\",b"); }),
            "f.csv: line 1: has a quote (quoted fields are not read): write the fields without "
            "quotes");
}

TEST(CsvFields, AreBetweenCommas) {
  EXPECT_THAT(csv_fields("a , b,,c"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(csv_fields(""), ElementsAre(""));
}

TEST(CsvFields, AreAsManyAsTheHeaders) {
  const CsvLine line{&file_name, 3, "1,2"};
  EXPECT_THAT(csv_fields(line, 2), ElementsAre("1", "2"));
  EXPECT_EQ(message_of([&] { (void)csv_fields(line, 3); }),
            "f.csv: line 3: has 2 fields where the header has 3 (every row has them all): check "
            "its commas");
}

TEST(CsvColumn, IsFoundOnce) {
  const CsvLine header{&file_name, 1, "a,b,a"};
  const auto names = csv_fields(header.text);
  EXPECT_EQ(csv_column(names, "b", header), 1U);
  EXPECT_EQ(csv_column(names, "c", header), std::nullopt);
  EXPECT_EQ(message_of([&] { (void)csv_column(names, "a", header); }),
            "f.csv: line 1: has the column 'a' twice (which of them counts?): leave one of them "
            "out");
}

TEST(CsvSeconds, AreFiniteNumbers) {
  const CsvLine line{&file_name, 2, ""};
  EXPECT_EQ(csv_seconds("1.5e-6", "time_s", line), 1.5e-6);
  EXPECT_EQ(csv_seconds("-2", "time_s", line), -2);
  for (const char* const wrong : {"", "x", "1x", "nan", "inf", "1e999", "1 2"}) {
    EXPECT_NE(message_of([&] { (void)csv_seconds(wrong, "time_s", line); }), "no error") << wrong;
  }
}

TEST(AppendCsv, WritesTheShortestDigitsThatMeanTheNumber) {
  std::string out = "x,";
  append_csv(out, 0.1);
  EXPECT_EQ(out, "x,0.1");
  for (const double number : {1.0 / 3, 1e-300, 123456789.125, std::numeric_limits<double>::max()}) {
    std::string text;
    append_csv(text, number);
    EXPECT_EQ(std::stod(text), number);
  }
}

}  // namespace commgauge::csv_test
