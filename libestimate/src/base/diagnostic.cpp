#include "commgauge/base/diagnostic.hpp"

namespace commgauge {

std::string Diagnostic::text() const {
  return problem + (reason.empty() ? "" : " (" + reason + ")") +
         (advice.empty() ? "" : ": " + advice);
}

std::vector<std::string> texts_of(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& one : diagnostics) texts.push_back(one.text());
  return texts;
}

}  // namespace commgauge
