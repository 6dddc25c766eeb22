#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// Whether a machine has any pair of ranks on one host, or on two.
struct PairsThere {
  bool between_hosts{};
  bool within_hosts{};
};
[[nodiscard]] PairsThere pairs_there(const PairClasses& classes);

/// Gives values to classes of pairs of which the model has no pair, such as two ranks of a kind on
/// one host where it has but one: the mean of what messages from the sender's kind and those to the
/// receiver's take; where it knows neither, of all there are, within a host or between hosts.
/// @param wanted  pairs of each class in the machine that is to be; a class without stays as it is
/// @pre model.classes
void fill_classes(Model& model, const std::vector<std::int64_t>& wanted);

}  // namespace commgauge
