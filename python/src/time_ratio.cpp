#include "bindings.hpp"

namespace commgauge::python {

simulate::TimeRatios time_ratios_of(const TimeRatio& said) {
  if (!said) return {};
  if (const auto* const text = std::get_if<std::string>(&*said)) return *text;
  std::vector<Estimate> ratios;
  for (const double one : std::get<std::vector<double>>(*said)) ratios.push_back({one, one, one});
  return ratios;
}

}  // namespace commgauge::python
