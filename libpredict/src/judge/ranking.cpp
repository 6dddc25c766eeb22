#include "commgauge/judge/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "commgauge/base/statistics.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {

namespace {

/// That are asked for together: few enough that their replicates take little memory.
constexpr std::size_t most_together = 4096;

/// What each model of the file says of some times.
using Answers = std::vector<std::pair<std::string, std::vector<std::optional<Prediction>>>>;

Answers answers_for(const Model& model, std::span<const OneWayTime> measured) {
  Answers answers;
  for (const std::string& name : model_names()) {
    if (!model.has(name)) continue;
    std::vector<Query> queries;
    for (const OneWayTime& one : measured) queries.push_back(query_of(one, name));
    answers.emplace_back(name, predict_if_measured(model, queries));
  }
  return answers;
}

}  // namespace

Query query_of(const OneWayTime& time, const std::string& model) {
  return {model, time.operation, time.from, time.to, time.size, Side::receiver, time.algorithm};
}

Comparisons against_predictions(const Model& model, const std::vector<OneWayTime>& measured) {
  Comparisons comparisons;
  const std::span all{measured};
  for (std::size_t first = 0; first < all.size(); first += most_together) {
    const auto part = all.subspan(first, std::min(most_together, all.size() - first));
    const Answers answers = answers_for(model, part);
    for (std::size_t k = 0; k < part.size(); ++k) {
      for (const auto& [name, predictions] : answers) {
        if (predictions[k]) {
          comparisons.all.push_back({name, part[k], *predictions[k]});
        } else if (!is_meeting(part[k].operation) || facts_of(name).is_machine()) {
          ++comparisons.skipped;
        }
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
