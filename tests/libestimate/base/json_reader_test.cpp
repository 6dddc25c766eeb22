#include "base/json_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "refusal.hpp"

namespace commgauge::detail::json_reader_test {

const Json document = Json::parse(R"({
  "name": "a name", "flag": true, "null": null, "words": ["one", "two"],
  "numbers": [0, -1, 2.5, 1e-9, 18446744073709551615, null],
  "inner": {"list": [{"x": "text"}]}})");

Reader top() { return {document, "f.json", ""}; }
Reader number(std::size_t index) { return top()["numbers"][index]; }

/// Why a value is refused, which read() reads.
template <class Read>
std::string reason(Read&& read) {
  return refusal([&] { (void)read(); });
}

TEST(JsonReader, KnowsItsPlace) {
  EXPECT_EQ(reason([] { return top()["inner"]["list"][0]["x"].number(); }),
            "f.json: inner.list[0].x: is not a finite number");
  EXPECT_EQ(reason([] { return top()["inner"]["no"]; }), "f.json: inner.no: is missing");
  EXPECT_EQ(reason([] { return top()["name"]["x"]; }), "f.json: name: is not an object");
  EXPECT_EQ(reason([] { return top().size(); }), "f.json: top level: is not an array");
}

TEST(JsonReader, MembersAndElements) {
  EXPECT_TRUE(top().has("null"));
  EXPECT_FALSE(top().has("x"));
  EXPECT_FALSE(top()["name"].has("x"));
  EXPECT_TRUE(top()["null"].is_null());
  EXPECT_EQ(top()["inner"].keys(), std::vector<std::string>{"list"});
  EXPECT_EQ(top()["words"].texts(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(top()["name"].text(), "a name");
  EXPECT_TRUE(top()["flag"].flag());
  EXPECT_NO_THROW(top()["words"].expect_size(2));
  EXPECT_EQ(reason([] {
              top()["words"].expect_size(3);
              return 0;
            }),
            "f.json: words: has 2 entries where 3 belong");
}

TEST(JsonReader, NumbersAndTheirRanges) {
  EXPECT_EQ(number(1).number(), -1);
  EXPECT_EQ(number(3).positive(), 1e-9);
  EXPECT_EQ(number(0).non_negative(), 0);
  EXPECT_EQ(reason([] { return number(1).non_negative(); }), "f.json: numbers[1]: is negative");
  EXPECT_EQ(reason([] { return number(0).positive(); }), "f.json: numbers[0]: is zero");
  EXPECT_EQ(reason([] { return number(5).number(); }),
            "f.json: numbers[5]: is not a finite number");
  EXPECT_EQ(reason([] { return number(0).confidence(); }),
            "f.json: numbers[0]: is not between 0 and 1");
}

TEST(JsonReader, NullMayStandForNaN) {
  EXPECT_TRUE(std::isnan(number(5).number_or_nan()));
  EXPECT_EQ(number(2).number_or_nan(), 2.5);
  const Reader numbers = top()["numbers"];
  EXPECT_TRUE(std::isnan(numbers.number_or_nan(5)));
  EXPECT_EQ(numbers.number_or_nan(2), 2.5);
  EXPECT_EQ(numbers.number_or_nan(1), -1) << "an integer";
  EXPECT_EQ(reason([] { return top()["words"].number_or_nan(1); }),
            "f.json: words[1]: is not a finite number");
}

TEST(JsonReader, IntegersAndTheirRanges) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(number(4).unsigned_integer(most), most);
  EXPECT_EQ(reason([] { return number(4).size_bytes(); }),
            "f.json: numbers[4]: is larger than 9223372036854775808");
  EXPECT_EQ(reason([] { return number(4).count(); }),
            "f.json: numbers[4]: is larger than 2147483647");
  EXPECT_EQ(reason([] { return number(1).count(); }), "f.json: numbers[1]: is negative");
  EXPECT_EQ(reason([] { return number(2).count(); }), "f.json: numbers[2]: is not an integer");
  EXPECT_EQ(reason([] { return number(0).number_of_ranks(); }),
            "f.json: numbers[0]: is not at least 1");
}

TEST(JsonReader, IndicesCountFromZero) {
  const Json three = 3U;
  const Reader reader{three, "f.json", "rank"};
  EXPECT_EQ(reader.rank(4), 3);
  EXPECT_EQ(reason([&] { return reader.rank(3); }),
            "f.json: rank: is not a rank (they are 0 to 2)");
  EXPECT_EQ(read_part(reader, 3, "blocks"), 3);
  EXPECT_EQ(reason([&] { return read_part(reader, 2, "blocks"); }),
            "f.json: rank: is above blocks");
}

TEST(JsonReader, ForeignTextIsQuotedAndCut) {
  EXPECT_EQ(in_quotes("word"), "\"word\"");
  const std::string sixty(60, 'x');
  EXPECT_EQ(in_quotes(sixty).size(), 62U);
  EXPECT_EQ(in_quotes(sixty + "y").size(), 65U);
  EXPECT_EQ(in_quotes(sixty + "y").substr(59), "xx...\"");
}

TEST(ParseJson, SaysWhereTheTextIsWrong) {
  EXPECT_EQ(parse_json("[1]", "f.json").at(0), 1);
  EXPECT_EQ(reason([] { return parse_json("\n \t", "f.json"); }), "f.json: top level: is empty");
  const std::string wrong = reason([] { return parse_json("[1,\n2,,3]", "f.json"); });
  EXPECT_EQ(wrong.rfind("f.json: line 2, column 3: syntax error", 0), 0U) << wrong;
}

/// Whatever a file holds, a message is one line of ASCII and not long.
TEST(ParseJson, MessagesStayReadable) {
  const std::string wrong =
      reason([] { return parse_json("[\"" + std::string(1000, '\xff') + "\"]", "f.json"); });
  EXPECT_LT(wrong.size(), 300U);
  for (const char c : wrong) EXPECT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
}

TEST(ExpectSchema, RefusesAnother) {
  const Json json{{"schema", "kind/1"}};
  const Reader reader{json, "f.json", ""};
  EXPECT_NO_THROW(expect_schema(reader, "kind/1"));
  EXPECT_EQ(refusal([&] { expect_schema(reader, "kind/2"); }),
            "f.json: schema: is \"kind/1\" where only \"kind/2\" is supported");
}

TEST(JsonReader, SaysWhichOfOurFilesItIs) {
  const Json json{{"schema", "commgauge.model/2"}};
  const Reader reader{json, "f.json", ""};
  EXPECT_EQ(refusal([&] { expect_schema(reader, "commgauge.measurements/1"); }),
            "f.json is a model file (a file of measurements belongs here): estimate-model show, "
            "predict, compare, validate and export read it, and --model of emulate and replay");
  EXPECT_EQ(refusal([&] { (void)read_schema(reader, "commgauge.speed/1", "commgauge.speed/2"); }),
            refusal([&] { expect_schema(reader, "commgauge.speed/1"); }));
  EXPECT_EQ(
      refusal([&] { expect_schema(reader, "commgauge.model/1"); }),
      "f.json: schema: is \"commgauge.model/2\" where only \"commgauge.model/1\" is supported")
      << "another version";
}

TEST(JsonReader, SaysWhatElseItIs) {
  EXPECT_EQ(refusal([] { (void)parse_json("#Paraver (26", "x.json").size(); }),
            "x.json is a Paraver trace (a JSON file of commgauge's belongs here): nothing here "
            "reads it, record the program with record or Score-P, which write OTF2");
  EXPECT_NE(refusal([] { (void)parse_json("?", "x.otf").size(); }).find("Open Trace Format"),
            std::string::npos);
  EXPECT_NE(refusal([] { (void)parse_json("{\"traceEvents\": []}", "x").size(); }).find("events"),
            std::string::npos);
  EXPECT_EQ(refusal([] {
              (void)parse_json("{\"schema\": \"commgauge.model/1\",", "x.otf").size();
            }).find("x.otf: line 1, column"),
            0U)
      << "a damaged one of ours is that";
}

TEST(ReadSchema, SaysWhichOfTwo) {
  const Json json{{"schema", "kind/2"}};
  const Reader reader{json, "f.json", ""};
  EXPECT_EQ(read_schema(reader, "kind/1", "kind/2"), "kind/2");
  EXPECT_EQ(read_schema(reader, "kind/2", "kind/3"), "kind/2");
  EXPECT_EQ(refusal([&] { (void)read_schema(reader, "kind/3", "kind/4"); }),
            "f.json: schema: is \"kind/2\" where only \"kind/3\" and \"kind/4\" are supported");
}

}  // namespace commgauge::detail::json_reader_test
