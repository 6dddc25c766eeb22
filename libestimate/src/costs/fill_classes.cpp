#include "costs/fill_classes.hpp"

#include <cmath>
#include <type_traits>

#include "commgauge/base/index.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/model_list.hpp"
#include "model/arrays.hpp"

namespace commgauge {

namespace {

bool has_pairs(const std::vector<std::int64_t>& counts, int of_pairs) {
  return counts[at(of_pairs)] > 0;
}

/// The classes whose mean stands for one that has no pair. Nothing: there is none.
std::vector<std::vector<int>> stand_ins(const PairClasses& classes,
                                        const std::vector<std::int64_t>& counts, int from, int to,
                                        bool is_within) {
  std::vector<int> sending;
  std::vector<int> receiving;
  std::vector<int> any;
  for (int a = 0; a < classes.kinds(); ++a) {
    for (int b = 0; b < classes.kinds(); ++b) {
      const int of_pairs = classes.class_of_kinds(a, b, is_within);
      if (!has_pairs(counts, of_pairs)) continue;
      if (a == from) sending.push_back(of_pairs);
      if (b == to) receiving.push_back(of_pairs);
      any.push_back(of_pairs);
    }
  }
  if (sending.empty() && receiving.empty()) return {any};
  if (sending.empty()) return {receiving};
  if (receiving.empty()) return {sending};
  return {sending, receiving};
}

double mean_of_classes(const std::vector<double>& values, const std::vector<std::int64_t>& counts,
                       const std::vector<int>& classes) {
  double sum = 0;
  double count = 0;
  for (const int one : classes) {
    if (std::isnan(values[at(one)])) continue;
    sum += static_cast<double>(counts[at(one)]) * values[at(one)];
    count += static_cast<double>(counts[at(one)]);
  }
  return count > 0 ? sum / count : unknown_value;
}

double mean_of_known(const std::vector<double>& values) {
  double sum = 0;
  long count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : unknown_value;
}

template <class Use>
void for_each_matrix(Model& model, Use&& use) {
  const auto look_at = [&](auto& parameters) {
    for_each_array(parameters, [&](const FieldFacts&, auto& array) {
      if constexpr (std::is_same_v<decltype(array), Matrix&>) use(array);
    });
  };
  for_each_fit(
      [&](const FitFacts&, auto& fitted) {
        if (!fitted) return;
        for (auto* const one : {&fitted->value, &fitted->low, &fitted->high}) look_at(*one);
        for (auto& replicate : fitted->replicates) look_at(replicate);
      },
      model);
}

}  // namespace

PairsThere pairs_there(const PairClasses& classes) {
  const std::vector<std::int64_t> counts = classes.pair_counts();
  PairsThere there;
  for (std::size_t of_pairs = 0; of_pairs < counts.size(); ++of_pairs) {
    const bool is_within = of_pairs >= counts.size() / 2;
    if (counts[of_pairs] > 0) (is_within ? there.within_hosts : there.between_hosts) = true;
  }
  return there;
}

void fill_classes(Model& model, const std::vector<std::int64_t>& wanted) {
  const PairClasses& classes = *model.classes->pairs;
  const std::vector<std::int64_t> counts = classes.pair_counts();
  for (const bool is_within : {false, true}) {
    for (int from = 0; from < classes.kinds(); ++from) {
      for (int to = 0; to < classes.kinds(); ++to) {
        const int of_pairs = classes.class_of_kinds(from, to, is_within);
        if (has_pairs(counts, of_pairs) || !has_pairs(wanted, of_pairs)) continue;
        const auto by = stand_ins(classes, counts, from, to, is_within);
        for_each_matrix(model, [&](Matrix& matrix) {
          std::vector<double> means;
          for (const auto& like : by)
            means.push_back(mean_of_classes(matrix.values(), counts, like));
          matrix.values()[at(of_pairs)] = mean_of_known(means);
        });
      }
    }
  }
}

}  // namespace commgauge
