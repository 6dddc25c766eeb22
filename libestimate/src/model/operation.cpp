#include "commgauge/model/operation.hpp"

#include <array>
#include <string>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge {

namespace {

/// Indexed by Operation.
constexpr std::array<std::string_view, 4> operation_names{"p2p", "scatter", "gather", "bcast"};

}  // namespace

std::string_view to_text(Operation operation) {
  return operation_names.at(static_cast<std::size_t>(operation));
}

std::string_view to_text(Algorithm algorithm) {
  return algorithm == Algorithm::binomial ? "binomial" : "flat";
}

Operation parse_operation(std::string_view text) {
  for (std::size_t i = 0; i < operation_names.size(); ++i) {
    if (operation_names[i] == text) return static_cast<Operation>(i);
  }
  throw InputError("unknown operation '" + one_line(std::string(text)) +
                   "' (known: p2p, scatter, gather, bcast): give one of them");
}

Algorithm parse_algorithm(std::string_view text) {
  for (const Algorithm algorithm : {Algorithm::flat, Algorithm::binomial}) {
    if (to_text(algorithm) == text) return algorithm;
  }
  throw InputError("unknown algorithm '" + one_line(std::string(text)) +
                   "' (known: flat, binomial): give one of them");
}

}  // namespace commgauge
