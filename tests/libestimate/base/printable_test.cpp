#include "commgauge/base/printable.hpp"

#include <gtest/gtest.h>

namespace commgauge::printable_test {

TEST(OneLine, LeavesTextThatShowsItself) {
  for (const char* text : {"", "node17", "a b", "µs ± σ", "日本", "🚀", "~"}) {
    EXPECT_EQ(one_line(text), text);
  }
}

TEST(OneLine, HasNoControlCharacters) {
  EXPECT_EQ(one_line("\x1b[2Jown\x07\nx"), "?[2Jown??x");
  EXPECT_EQ(one_line("a\tb\rc\x7f"), "a?b?c?");
  EXPECT_EQ(one_line(std::string_view{"a\0b", 3}), "a?b");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "2J"),
            "?2J")
      << "the control sequence introducer of C1";
  EXPECT_EQ(one_line("\xc2\x85"), "?") << "the next line";
}

TEST(OneLine, HasNoCharactersThatMoveOthers) {
  EXPECT_EQ(one_line("a\xe2\x80\xa8z"), "a?z") << "line separator";
  EXPECT_EQ(one_line("a\xe2\x80\xaez"), "a?z") << "right to left from here on";
  EXPECT_EQ(one_line("a\xe2\x81\xa6z"), "a?z");
  EXPECT_EQ(one_line("\xef\xbb\xbfz"), "?z") << "byte order mark";
}

TEST(OneLine, HasAMarkForEachByteThatIsNoCharacter) {
  EXPECT_EQ(one_line("caf\xe9"), "caf?") << "Latin 1";
  EXPECT_EQ(one_line("\xff\xfe"), "??");
  EXPECT_EQ(one_line("\xe2\x82"), "??") << "cut";
  EXPECT_EQ(one_line("\xc0\xaf"), "??") << "longer than need be";
  EXPECT_EQ(one_line("\xe0\x80\xaf"), "???");
  EXPECT_EQ(one_line("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "????") << "beyond the last character";
  EXPECT_EQ(one_line("\x80"
                     "a"),
            "?a");
}

TEST(Printable, KeepsTheEndsOfLines) {
  EXPECT_EQ(printable("one\ntwo\x1b[31m\n"), "one\ntwo?[31m\n");
  EXPECT_EQ(printable("\r\n"), "?\n");
}

TEST(AsQuoted, IsCutBetweenCharacters) {
  EXPECT_EQ(as_quoted("x"), "'x'");
  EXPECT_EQ(as_quoted("a\nb"), "'a?b'");
  const std::string longest(40, 'x');
  EXPECT_EQ(as_quoted(longest), "'" + longest + "'");
  EXPECT_EQ(as_quoted(longest + "y"), "'" + longest + "...'");
  const std::string beginning(39, 'x');
  EXPECT_EQ(as_quoted(beginning + "µµ"), "'" + beginning + "...'");
  EXPECT_EQ(as_quoted(std::string(50, '\x80')), "'" + std::string(37, '?') + "...'");
}

}  // namespace commgauge::printable_test
