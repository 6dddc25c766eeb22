#include "commgauge/judge/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

Comparisons against_predictions(const Model& model, const std::vector<OneWayTime>& measured) {
  Comparisons comparisons;
  for (const OneWayTime& one : measured) {
    for (const std::string& name : model_names()) {
      if (!model.has(name)) continue;
      const Query query{name,     one.operation,  one.from,     one.to,
                        one.size, Side::receiver, one.algorithm};
      if (const auto prediction = predict_if_measured(model, query)) {
        comparisons.all.push_back({name, one, *prediction});
      } else {
        ++comparisons.skipped;
      }
    }
  }
  return comparisons;
}

std::vector<Ranking> ranking_of(const std::vector<Comparison>& comparisons) {
  std::map<std::string, std::map<Operation, std::map<Bytes, std::vector<double>>>> errors;
  std::map<std::string, long> unanswered;
  for (const Comparison& one : comparisons) {
    --unanswered[one.model];
    errors[one.model][one.measured.operation][one.measured.size].push_back(
        std::abs(one.relative_error()));
  }
  std::vector<Ranking> places;
  for (const auto& [name, operations] : errors) {
    Ranking ranking{name, 0, {}};
    for (const auto& [operation, sizes] : operations) {
      double error = 0;
      for (const auto& [size, values] : sizes) {
        error += median(values) / static_cast<double>(sizes.size());
      }
      ranking.operations.emplace_back(operation, error);
      ranking.error += error / static_cast<double>(operations.size());
    }
    places.push_back(std::move(ranking));
  }
  std::ranges::stable_sort(places, {}, [&](const Ranking& place) {
    return std::pair(unanswered[place.model], place.error);
  });
  return places;
}

}  // namespace commgauge
