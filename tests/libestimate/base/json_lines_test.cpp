#include "base/json_lines.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace commgauge::detail::json_lines_test {

TEST(JsonLines, WhatIsShortStandsOnOneLine) {
  EXPECT_EQ(to_lines(1.5), "1.5\n");
  EXPECT_EQ(to_lines(OrderedJson::array()), "[]\n");
  EXPECT_EQ(to_lines(OrderedJson::object()), "{}\n");
  EXPECT_EQ(to_lines({{"b", 1}, {"a", {1, 2}}}), "{\"b\":1,\"a\":[1,2]}\n") << "in their order";
}

TEST(JsonLines, MembersOfALongObjectHaveLinesOfTheirOwn) {
  const std::string text(98, 'x');
  EXPECT_EQ(to_lines({{"a", std::string(92, 'x')}}), "{\"a\":\"" + std::string(92, 'x') + "\"}\n")
      << "100 characters";
  EXPECT_EQ(to_lines({{"a", std::string(93, 'x')}}),
            "{\n \"a\": \"" + std::string(93, 'x') + "\"\n}\n");
  EXPECT_EQ(to_lines({{"a", {{"b", text}}}, {"c", 1}}),
            "{\n \"a\": {\n  \"b\": \"" + text + "\"\n },\n \"c\": 1\n}\n");
}

TEST(JsonLines, AnObjectOfMoreThanTwelveMembersIsLong) {
  OrderedJson json;
  for (int i = 0; i < 12; ++i) json[std::string(1, static_cast<char>('a' + i))] = i;
  EXPECT_EQ(to_lines(json).find('\n'), to_lines(json).size() - 1);
  json["m"] = 12;
  EXPECT_EQ(to_lines(json).rfind("{\n \"a\": 0,\n \"b\": 1,", 0), 0U);
}

TEST(JsonLines, OnlyArraysOfArraysAreBroken) {
  EXPECT_EQ(to_lines(std::vector<int>(100, 7)).find('\n'), 200U + 1) << "brackets and commas";
  EXPECT_EQ(to_lines({{1, 2}, {3, 4}}), "[\n [1,2],\n [3,4]\n]\n");
}

TEST(JsonLines, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(to_lines(std::vector{std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(), 1.0}),
            "[null,null,1.0]\n");
}

TEST(JsonLines, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(to_lines("eth\xff"), "\"eth\xEF\xBF\xBD\"\n");
}

}  // namespace commgauge::detail::json_lines_test
