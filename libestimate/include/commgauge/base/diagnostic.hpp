#pragma once

#include <span>
#include <string>
#include <vector>

namespace commgauge {

/// What is odd about a machine, its measurements or a fit.
struct Diagnostic {
  std::string kind{};  ///< "poor_fit": the same for the same kind of remark, whatever its numbers
  long count{1};       ///< how many things it is about: pairs, times, launches, ...
  std::string problem{};  ///< what was found
  std::string reason{};   ///< why it is one, or its numbers; may be empty
  std::string advice{};   ///< what follows from it, or what to do; may be empty

  /// For people: "problem (reason): advice", of those that are there.
  [[nodiscard]] std::string text() const;
  bool operator==(const Diagnostic&) const = default;
};

/// The text() of each.
[[nodiscard]] std::vector<std::string> texts_of(std::span<const Diagnostic> diagnostics);

}  // namespace commgauge
