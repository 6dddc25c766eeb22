#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// Calls use(number) for every number of a parameter. `Field` may be const.
template <class Field, class Use>
void for_each_number(Field& field, Use&& use) {
  using Plain = std::remove_const_t<Field>;
  if constexpr (std::is_same_v<Plain, double>) {
    use(field);
  } else if constexpr (std::is_same_v<Plain, Matrix>) {
    for (auto& value : field.values()) use(value);
  } else {
    for (auto& part : field) for_each_number(part, use);
  }
}

/// All numbers of a set of parameters in the order of visit_fields.
template <class Parameters>
[[nodiscard]] std::vector<double> flatten(const Parameters& parameters) {
  std::vector<double> all;
  visit_fields(parameters, [&](const FieldFacts&, const auto& field) {
    for_each_number(field, [&](double value) { all.push_back(value); });
  });
  return all;
}

/// The reverse: `shape` says how many numbers each field takes.
template <class Parameters>
[[nodiscard]] Parameters unflatten(const std::vector<double>& all, Parameters shape) {
  auto next = all.begin();
  visit_fields(shape, [&](const FieldFacts&, auto& field) {
    for_each_number(field, [&](double& value) { value = *next++; });
  });
  return shape;
}

}  // namespace commgauge
