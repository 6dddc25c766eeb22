#include "estimate-model/text/processors_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/predict/predict.hpp"
#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

constexpr double notable_difference = 0.05;
constexpr std::size_t most_ranks_named = 8;
constexpr Bytes small{1};

/// Of the fixed computation on each rank, median over the launches [s]; NaN: not measured.
std::vector<double> kernel_times(const Model& model) {
  std::vector<double> medians(static_cast<std::size_t>(model.ranks), std::nan(""));
  for (std::size_t rank = 0; rank < medians.size(); ++rank) {
    std::vector<double> times;
    for (const Launch& launch : model.launches) {
      if (rank >= launch.ranks.size()) continue;
      const double kernel = launch.ranks[rank].kernel_s;
      if (!std::isnan(kernel)) times.push_back(kernel);
    }
    if (!times.empty()) medians[rank] = median(times);
  }
  return medians;
}

std::optional<double> error_for_messages(const Model& model, const std::string& name) {
  for (const Ranking& place : model.ranking) {
    if (place.model != name) continue;
    for (const auto& [operation, error] : place.operations) {
      if (operation == Operation::p2p) return error;
    }
  }
  return std::nullopt;
}

/// Small messages by one model: the median over each rank's pairs, and over all [s].
struct SmallMessages {
  std::string model;
  std::vector<double> of_ranks;
  double of_all{};
};

/// Nothing where a pair was not measured.
std::optional<SmallMessages> small_messages(const Model& model, const std::string& name) {
  std::vector<double> all;
  std::vector<std::vector<double>> of_ranks(static_cast<std::size_t>(model.ranks));
  for (int i = 0; i < model.ranks; ++i) {
    for (int j = 0; j < model.ranks; ++j) {
      if (i == j) continue;
      const auto time = predict_time_if_measured(model, {name, Operation::p2p, i, j, small});
      if (!time) return std::nullopt;
      all.push_back(time->value);
      of_ranks[static_cast<std::size_t>(i)].push_back(time->value);
      of_ranks[static_cast<std::size_t>(j)].push_back(time->value);
    }
  }
  SmallMessages result{name, {}, median(all)};
  for (const auto& of_rank : of_ranks) result.of_ranks.push_back(median(of_rank));
  return result;
}

/// By the best ranked model that can say so of all pairs; nothing where there are no others to
/// compare a rank with.
std::optional<SmallMessages> small_messages(const Model& model) {
  if (model.ranks < 3) return std::nullopt;
  for (const std::string& name : model.names()) {
    auto found = small_messages(model, name);
    if (found && found->of_all > 0) return found;
  }
  return std::nullopt;
}

std::string consequence_text(const Model& model, const SmallMessages& messages, std::size_t rank) {
  const double ratio = messages.of_ranks[rank] / messages.of_all;
  const std::string text = "    its messages of " + to_text(small) + " take " + number(ratio) +
                           " times the median pair's by " + messages.model + ", ";
  const auto error = error_for_messages(model, messages.model);
  if (!error) return text + "and how far off that model is was not judged\n";
  const bool matters = std::abs(ratio - 1) > *error;
  return text + (matters ? "more" : "no more") + " than that model's error for messages, " +
         percent(*error) + "\n";
}

}  // namespace

std::string processors_text(const Model& model) {
  const std::vector<double> times = kernel_times(model);
  double fastest = std::nan("");
  for (const double time : times) fastest = std::fmin(fastest, time);
  std::vector<std::size_t> slower;
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    if (fastest / times[rank] < 1 - notable_difference) slower.push_back(rank);
  }
  if (slower.empty()) return "";
  const auto messages = small_messages(model);
  std::ranges::stable_sort(slower, std::greater{}, [&](std::size_t rank) { return times[rank]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(slower.size(), most_ranks_named); ++k) {
    const std::size_t rank = slower[k];
    text += "  rank " + std::to_string(rank) + " computes slower: a fixed computation takes " +
            to_text(Seconds{times[rank]}) + ", " + number(times[rank] / fastest) +
            " times the fastest rank's " + to_text(Seconds{fastest}) + "\n";
    if (messages) text += consequence_text(model, *messages, rank);
  }
  if (slower.size() > most_ranks_named) {
    text += "  " + counted(std::ssize(slower), "rank") + " in all compute slower by more than " +
            percent(notable_difference) + ", these the most\n";
  }
  return text;
}

}  // namespace commgauge::tools
