#include "commgauge/simulate/time_ratio.hpp"

#include "bindings.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::python {

void set_time_ratios(simulate::Machine& machine, const TimeRatio& said) {
  if (!said) return;
  if (const auto* const text = std::get_if<std::string>(&*said)) {
    simulate::set_time_ratios(machine, *text);
    return;
  }
  const auto& numbers = std::get<std::vector<double>>(*said);
  if (static_cast<int>(numbers.size()) != machine.ranks) {
    throw InputError("time_ratio has " + std::to_string(numbers.size()) + " numbers, the machine " +
                     std::to_string(machine.ranks) +
                     " ranks (every rank of it has a processor): give one for each");
  }
  machine.time_ratios.clear();
  for (const double number : numbers) machine.time_ratios.push_back({number, number, number});
}

}  // namespace commgauge::python
