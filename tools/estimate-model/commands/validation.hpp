#pragma once

#include <string>
#include <vector>

#include "commgauge/judge/judgement.hpp"
#include "commgauge/judge/ranking.hpp"
#include "commgauge/measurements/experiment.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::tools {

enum class Pairs { automatic, all, sample };

/// What is measured afresh. The same on every rank.
struct ValidationPlan {
  int ranks{};
  std::vector<Bytes> sizes;
  std::vector<Operation> operations;
  std::vector<Algorithm> algorithms;  ///< of collectives
  Pairs pairs{};
  std::uint64_t seed{};
};

/// Sizes inside the ranges of the model's fits, away from the sizes of the fits themselves.
[[nodiscard]] std::vector<Bytes> sizes_between(const Model& model);

/// Round trips (M, 0) and (0, 0) for p2p, exchanges, rings, and collectives by each algorithm.
/// Deterministic.
[[nodiscard]] std::vector<Experiment> experiments_of(const ValidationPlan& plan);

/// `operation,model,from,to,size_bytes,measured_s,predicted_s,low_s,high_s,...,disagreement`
[[nodiscard]] std::string to_csv(const std::vector<Comparison>& comparisons,
                                 const std::vector<Disagreement>& disagreements);

/// For people: the median |error| of each model by operation, algorithm and size, with the noise of
/// those times, how far two validations are apart, and whose is the least; then median, 90 % and
/// worst |error|, the median error with its sign, both again, and the share inside the interval, by
/// operation, algorithm and model, and by model. Only sizes inside the models' ranges count.
[[nodiscard]] std::string to_tables(const std::vector<Comparison>& comparisons,
                                    const std::vector<Judgement>& judgements,
                                    const std::vector<Disagreement>& disagreements);

/// What the intervals promise, and what to do where a model of one launch holds fewer times than
/// that: the next launch differs by more.
[[nodiscard]] std::string promise_text(const Model& model,
                                       const std::vector<Comparison>& comparisons);

}  // namespace commgauge::tools
