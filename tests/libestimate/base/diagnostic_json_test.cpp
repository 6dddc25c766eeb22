#include "base/diagnostic_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "refusal.hpp"

namespace commgauge::detail::diagnostic_json_test {

const std::vector<Diagnostic> warnings{
    {.kind = "odd_times", .count = 2, .problem = "2 times are odd"},
    {.kind = "poor_fit", .problem = "a poor fit", .reason = "7 %", .advice = "measure again"}};

/// As it is read out of a file.
Json parsed(const OrderedJson& written) { return Json::parse(written.dump()); }

Json written() {
  OrderedJson object = OrderedJson::object();
  add_warnings(object, warnings);
  return parsed(object);
}

std::vector<Diagnostic> read(const Json& json) { return read_warnings({json, "f.json", ""}); }

std::string reason(const Json& json) {
  return refusal([&] { (void)read(json); });
}

TEST(DiagnosticJson, SentencesAndBesideThemTheValues) {
  OrderedJson object{{"first", 1}};
  add_warnings(object, warnings);
  EXPECT_EQ(object.dump(),
            R"({"first":1,"warnings":["2 times are odd","a poor fit (7 %): measure again"],)"
            R"("diagnostics":[{"kind":"odd_times","count":2,"problem":"2 times are odd",)"
            R"("reason":"","advice":""},{"kind":"poor_fit","count":1,"problem":"a poor fit",)"
            R"("reason":"7 %","advice":"measure again"}]})");
  EXPECT_EQ(read(written()), warnings);
  OrderedJson without = OrderedJson::object();
  add_warnings(without, {});
  EXPECT_EQ(without.dump(), R"({"warnings":[],"diagnostics":[]})");
  EXPECT_EQ(read(parsed(without)), std::vector<Diagnostic>{});
}

TEST(DiagnosticJson, OfASentenceTheKindIsItsBeginning) {
  EXPECT_EQ(from_sentence("rank 1 is odd (7 %)"),
            (Diagnostic{.kind = "rank ", .problem = "rank 1 is odd (7 %)"}));
  EXPECT_EQ(from_sentence("steep").kind, "steep");
  EXPECT_EQ(from_sentence("2 pairs are odd").kind, "");
  EXPECT_EQ(read(Json{{"warnings", {"steep"}}}),
            (std::vector{Diagnostic{.kind = "steep", .problem = "steep"}}));
}

TEST(DiagnosticJson, ADisagreementIsRefused) {
  Json json = written();
  json["diagnostics"][1]["advice"] = "measure less";
  EXPECT_EQ(reason(json),
            "f.json: diagnostics[1]: disagrees with the warning, which says \"a poor fit (7 %): "
            "measure again\"");
  json = written();
  json["diagnostics"].erase(0);
  EXPECT_EQ(reason(json), "f.json: diagnostics: has 1 entries where 2 belong");
  json = written();
  json["diagnostics"][0]["count"] = -2;
  EXPECT_EQ(reason(json), "f.json: diagnostics[0].count: is negative");
  json = written();
  json["diagnostics"][0].erase("kind");
  EXPECT_EQ(reason(json), "f.json: diagnostics[0].kind: is missing");
  json = written();
  json.erase("warnings");
  EXPECT_EQ(reason(json), "f.json: warnings: is missing");
}

TEST(DiagnosticJson, OneByItself) {
  const Json json = parsed(as_json(warnings[1]));
  const Reader reader{json, "f.json", "here"};
  EXPECT_EQ(read_diagnostic(reader, warnings[1].text()), warnings[1]);
  EXPECT_EQ(refusal([&] { (void)read_diagnostic(reader, "good"); }),
            "f.json: here: disagrees with the warning, which says \"good\"");
}

}  // namespace commgauge::detail::diagnostic_json_test
