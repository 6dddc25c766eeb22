#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge::testing {

/// One parameter with its place: "t[2]", "L[0][1]".
struct Entry {
  std::string field;
  std::string name;
  double value{};
};

/// All entries but the diagonals, in the order of visit_fields.
template <class Parameters>
[[nodiscard]] std::vector<Entry> entries(const Parameters& parameters) {
  std::vector<Entry> all;
  const auto place = [](std::size_t i) { return "[" + std::to_string(i) + "]"; };
  const auto add_matrix = [&](const std::string& field, const std::string& name, const Matrix& m) {
    for (int i = 0; i < m.size(); ++i) {
      for (int j = 0; j < m.size(); ++j) {
        const std::string cell =
            place(static_cast<std::size_t>(i)) + place(static_cast<std::size_t>(j));
        if (i != j) all.push_back({field, name + cell, m(i, j)});
      }
    }
  };
  visit_fields(parameters, [&](const FieldFacts& facts, const auto& values) {
    const std::string field = facts.name;
    using Field = std::decay_t<decltype(values)>;
    if constexpr (std::is_same_v<Field, double>) {
      all.push_back({field, field, values});
    } else if constexpr (std::is_same_v<Field, Matrix>) {
      add_matrix(field, field, values);
    } else if constexpr (std::is_same_v<Field, std::vector<Matrix>>) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        add_matrix(field, field + place(k), values[k]);
      }
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        all.push_back({field, field + place(i), values[i]});
      }
    }
  });
  return all;
}

/// Every entry within `relative` of the truth.
template <class Parameters>
void expect_close(const Parameters& found, const Parameters& truth, double relative) {
  const auto values = entries(found);
  const auto truths = entries(truth);
  ASSERT_EQ(values.size(), truths.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i].value, truths[i].value, relative * std::abs(truths[i].value))
        << truths[i].name;
  }
}

/// low <= value <= high where there is a value, and only a high end where there is none.
template <class Parameters>
void expect_ordered(const Fitted<Parameters>& fitted) {
  const auto low = entries(fitted.low);
  const auto value = entries(fitted.value);
  const auto high = entries(fitted.high);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (std::isnan(value[i].value)) {
      EXPECT_TRUE(std::isnan(low[i].value)) << value[i].name;
    } else {
      EXPECT_LE(low[i].value, value[i].value) << value[i].name;
      EXPECT_GE(high[i].value, value[i].value) << value[i].name;
    }
  }
}

}  // namespace commgauge::testing
