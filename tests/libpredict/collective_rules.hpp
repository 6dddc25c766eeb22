#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "certain.hpp"
#include "commgauge/predict/predict.hpp"

/// A machine that MPI libraries choose collectives for, and how Open MPI reads its rules.
namespace commgauge::collective_rules {

inline constexpr int ranks = 6;
inline constexpr std::uint64_t last_size = 6000;

/// Where Open MPI itself takes neither of the two with so many ranks, but a binary tree.
inline bool is_open_mpis(Operation operation, std::uint64_t size) {
  return operation == Operation::bcast && (size < 64 || (size >= 128 && size < 2048));
}

/// Trees are faster for small messages, flat algorithms for large ones.
inline Model machine(int n = ranks) {
  Model model;
  model.ranks = n;
  const auto count = static_cast<std::size_t>(n);
  AdditiveParameters lmo{std::vector<double>(count, 50 * us), std::vector<double>(count, 2 * ns),
                         Matrix(n, 5.3 * us), Matrix(n, 10 * ns)};
  lmo.C[2] = 70 * us;
  model.lmo = certain(lmo);
  model.lmo->first = Bytes{0};
  model.lmo->last = Bytes{last_size};
  return model;
}

inline Operation operation_of(int code) {
  if (code == 15) return Operation::scatter;
  return code == 9 ? Operation::gather : Operation::bcast;
}

struct Rule {
  std::uint64_t size;
  int algorithm;
};
using Rules = std::map<Operation, std::vector<Rule>>;

/// As Open MPI reads its file. Checks that what is not the model's is left to Open MPI.
inline Rules read_rules(const std::string& text, int n = ranks) {
  std::string numbers;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    numbers += line.substr(0, line.find('#')) + "\n";
  }
  std::istringstream in{numbers};
  const auto next = [&] {
    std::uint64_t number = 0;
    EXPECT_TRUE(in >> number);
    return number;
  };
  Rules rules;
  const std::uint64_t collectives = next();
  EXPECT_EQ(collectives, 3U);
  for (std::uint64_t c = 0; c < collectives; ++c) {
    auto& of_operation = rules[operation_of(static_cast<int>(next()))];
    EXPECT_EQ(next(), 2U);
    EXPECT_EQ(next(), static_cast<std::uint64_t>(n));
    const std::uint64_t count = next();
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t size = next();
      of_operation.push_back({size, static_cast<int>(next())});
      EXPECT_EQ(next(), 0U) << "fanout";
      EXPECT_EQ(next(), 0U) << "segment";
    }
    for (const int expected : {n + 1, 1, 0, 0, 0, 0}) {
      EXPECT_EQ(next(), static_cast<std::uint64_t>(expected));
    }
  }
  std::string rest;
  EXPECT_FALSE(in >> rest) << rest;
  return rules;
}

/// The last rule that begins at or below a size.
inline int algorithm_at(const std::vector<Rule>& rules, std::uint64_t size) {
  int algorithm = -1;
  for (const Rule& rule : rules) {
    if (rule.size <= size) algorithm = rule.algorithm;
  }
  return algorithm;
}

inline Algorithm flat_algorithm(Operation operation) {
  return operation == Operation::bcast ? Algorithm::at_once : Algorithm::flat;
}

inline double time_of(const Model& model, Operation operation, int root, std::uint64_t size,
                      Algorithm algorithm) {
  return predict_time(model, {.model = "lmo",
                              .operation = operation,
                              .from = root,
                              .size = Bytes{size},
                              .algorithm = algorithm == Algorithm::flat ? flat_algorithm(operation)
                                                                        : algorithm})
      .value;
}

inline int factor(Operation operation) { return operation == Operation::bcast ? 1 : ranks; }

}  // namespace commgauge::collective_rules
