#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commgauge/replay/explain/explanation.hpp"
#include "replay/outcome/outcome.hpp"
#include "replay/page/page_what_ifs.hpp"

namespace commgauge::tools {

/// How the run would be if an answer were followed.
struct After {
  std::size_t answer{};                          ///< which of the explanation's
  std::vector<std::vector<replay::Mark>> marks;  ///< as replay::walked_marks() tells them
};

/// What a page shows besides the run itself.
struct PageExplanation {
  nlohmann::ordered_json json;      ///< of `replay explain -o`
  nlohmann::ordered_json what_ifs;  ///< what_ifs_json()
  std::vector<After> afters;
};

/// @pre the explanation's answers that have marks have those of the outcome's result.
[[nodiscard]] PageExplanation page_explanation(const Outcome& outcome,
                                               const replay::Explanation& explanation,
                                               const WhatIfs& what_ifs);

/// How many pictures of other runs a page of this one can hold: each takes two bytes for a call.
/// @pre the result has its marks.
[[nodiscard]] std::size_t most_afters(const replay::Result& result);

/// The explanation for the head of a page: without the critical path's steps, with `kinds` and
/// `calls` of these, `after`: of which answers there are pictures, and `what_ifs`.
[[nodiscard]] nlohmann::ordered_json explanation_head(const PageExplanation& explained);

/// The rest of it, as Numbers in base64; times are whole nanoseconds.
///
/// - The critical path's steps: their number, and of each the signed time since the one before
///   ended (or since 0), its duration, rank + 1 (0: none), kind, call + 1 (0: none), and 0 or, if
///   it has a message, from + 1, to, bytes.
/// - For each after the number of its bytes, and in these of each of page_events()'s calls and
///   regions, in that order, by how much longer the time since the one before is, and its duration,
///   both signed.
[[nodiscard]] std::string explanation_events(const Outcome& outcome,
                                             const PageExplanation& explained);

}  // namespace commgauge::tools
