#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// Calls use(facts, array) for each parameter of pairs (a Matrix; of curves that of each size) and
/// of ranks (a vector) that a set of parameters has, in the order of visit_fields().
template <class Parameters, class Use>
void for_each_array(Parameters& parameters, Use&& use) {
  visit_fields(parameters, [&](const FieldFacts& facts, auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, Matrix>) {
      if (field.size() > 0) use(facts, field);
    } else if constexpr (std::is_same_v<Field, std::vector<Matrix>>) {
      for (auto& matrix : field) use(facts, matrix);
    } else if constexpr (std::is_same_v<Field, std::vector<double>>) {
      use(facts, field);
    }
  });
}

}  // namespace commgauge
