#pragma once

#include <vector>

#include "base/json_reader.hpp"
#include "commgauge/base/diagnostic.hpp"

namespace commgauge::detail {

[[nodiscard]] OrderedJson as_json(const Diagnostic& diagnostic);
/// What as_json() wrote. @throws InputError  its text() isn't `sentence`: an edited file must not
/// say two things.
[[nodiscard]] Diagnostic read_diagnostic(const Reader& json, const std::string& sentence);
/// Of a file of an older version: remarks of one kind begin alike, up to a number.
[[nodiscard]] Diagnostic from_sentence(const std::string& sentence);

/// Adds `warnings`, sentences for people, and `diagnostics`, what they are made of.
void add_warnings(OrderedJson& object, const std::vector<Diagnostic>& warnings);
/// What add_warnings() wrote; without `diagnostics` each warning from_sentence().
[[nodiscard]] std::vector<Diagnostic> read_warnings(const Reader& json);

}  // namespace commgauge::detail
