#include "base/diagnostic_json.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace commgauge::detail {

OrderedJson as_json(const Diagnostic& diagnostic) {
  return {{"kind", diagnostic.kind},
          {"count", diagnostic.count},
          {"problem", diagnostic.problem},
          {"reason", diagnostic.reason},
          {"advice", diagnostic.advice}};
}

Diagnostic read_diagnostic(const Reader& json, const std::string& sentence) {
  Diagnostic found{.kind = json["kind"].text(),
                   .count = json["count"].count<long>(),
                   .problem = json["problem"].text(),
                   .reason = json["reason"].text(),
                   .advice = json["advice"].text()};
  if (found.text() == sentence) return found;
  json.fail("disagrees with the warning, which says " + in_quotes(sentence));
}

Diagnostic from_sentence(const std::string& sentence) {
  return {.kind = sentence.substr(0, sentence.find_first_of("0123456789")), .problem = sentence};
}

void add_warnings(OrderedJson& object, const std::vector<Diagnostic>& warnings) {
  object["warnings"] = texts_of(warnings);
  OrderedJson diagnostics = OrderedJson::array();
  for (const Diagnostic& one : warnings) diagnostics.push_back(as_json(one));
  object["diagnostics"] = std::move(diagnostics);
}

std::vector<Diagnostic> read_warnings(const Reader& json) {
  const std::vector<std::string> sentences = json["warnings"].texts();
  std::vector<Diagnostic> found;
  found.reserve(sentences.size());
  if (!json.has("diagnostics")) {
    for (const std::string& sentence : sentences) found.push_back(from_sentence(sentence));
    return found;
  }
  const Reader diagnostics = json["diagnostics"];
  diagnostics.expect_size(sentences.size());
  for (std::size_t k = 0; k < sentences.size(); ++k) {
    found.push_back(read_diagnostic(diagnostics[k], sentences[k]));
  }
  return found;
}

}  // namespace commgauge::detail
