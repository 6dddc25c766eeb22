#pragma once

#include <string>
#include <vector>

#include "commgauge/predict.hpp"

namespace commgauge {

/// Blocks of these sizes, both ends among them.
struct SizeRange {
  Bytes first;
  Bytes last;
  Algorithm algorithm{};
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// One algorithm for all roots.
struct CollectiveChoice {
  Operation operation{};
  std::vector<SizeRange> ranges;  ///< ascending, without gaps
  /// Largest relative excess of the chosen algorithm's time over the faster one's, over roots (of
  /// many a sample), range ends and powers of two.
  double worst_excess{};
};

/// How an MPI library's flat algorithms send messages above the eager limit.
struct FlatServices {
  Service scatter{};
  Service gather{};
  Service bcast{};
};

/// For scatter, gather and broadcast, in this order: the algorithm with the smaller mean over the
/// roots of the predicted time, at each size that the model was fitted for, exact to the byte. Two
/// changes closer than 4 % of the size to each other may be missed, away from the eager limit. An
/// algorithm stays where the other takes the same time; at the first size it is the flat one.
///
/// @throws InputError  fewer than 4 ranks, a pair that was not measured, a predicted time that is
///                     not positive, no size with a total within INT_MAX.
/// @pre model.has(name)
/// O(n·min(n, 32)·log(last size)), n the number of ranks.
[[nodiscard]] std::vector<CollectiveChoice> choose_collectives(const Model& model,
                                                               const std::string& name,
                                                               const FlatServices& services);

/// What no rule file can hold, and the largest excess.
/// @param library  whose file it is
[[nodiscard]] std::vector<std::string> losses_of(const Model& model,
                                                 const std::vector<CollectiveChoice>& choices,
                                                 const std::string& library);
[[nodiscard]] double worst_excess(const std::vector<CollectiveChoice>& choices);

/// By which a rule's size is counted: the sum over all ranks of scatter's and gather's blocks, the
/// message of a broadcast.
[[nodiscard]] std::uint64_t size_factor(const Model& model, Operation operation);

[[nodiscard]] bool has_flat(const CollectiveChoice& choice);

}  // namespace commgauge
