#include "estimate-model/text/judgement_text.hpp"

#include "common/output/table.hpp"

namespace commgauge::tools {

std::string bias_text(const Judgement& judgement) {
  constexpr double hundred = 100;
  const auto& [value, low, high] = judgement.bias;
  return (value > 0 ? "+" : "") + with_interval(value, low, high, hundred) + " %";
}

}  // namespace commgauge::tools
