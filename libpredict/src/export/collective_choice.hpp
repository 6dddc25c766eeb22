#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/predict/predict.hpp"
#include "commgauge/schedule/decision_tree.hpp"

namespace commgauge {

/// Blocks of these sizes, both ends among them.
struct SizeRange {
  Bytes first;
  Bytes last;
  /// Nothing: there is no rule, because the library's own choice is neither of the two.
  std::optional<Algorithm> algorithm;
  std::string own{};  ///< without a rule: what the library takes, as it calls that
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// One algorithm for all roots.
struct CollectiveChoice {
  Operation operation{};
  std::vector<SizeRange> ranges;  ///< ascending, without gaps
  /// Largest relative excess of the chosen algorithm's time over the faster one's, over roots (of
  /// many a sample), 16 sizes in an octave, and both sides of wherever the times jump or the
  /// algorithm changes.
  double worst_excess{};
  /// Where faster_algorithm() of some root (of many a sample) is another one or not certain: from a
  /// size to a size, of powers of two and the ends of the ranges.
  std::vector<std::pair<Bytes, Bytes>> uncertain;
  bool sees_shared_links{};  ///< the times are of a machine that has the file's
};

/// What an MPI library's flat algorithms are: Algorithm::flat, or at_once.
struct FlatAlgorithms {
  Algorithm scatter{Algorithm::flat};
  Algorithm gather{Algorithm::flat};
  Algorithm bcast{Algorithm::flat};
};

/// An MPI library that rules are for.
struct RuledLibrary {
  std::string name;  ///< as it calls itself
  FlatAlgorithms flat;
  std::vector<std::string> compared;  ///< what it calls the two algorithms, where it takes them
  /// What it takes for such a call without rules, by size.
  std::function<std::vector<schedule::OwnChoice>(const Model&, const schedule::Collective&)> own;
};

/// For scatter, gather and broadcast, in this order, at each size that the model was fitted for,
/// exact to the byte: where the library itself takes one of the two algorithms, the one with the
/// smaller mean over the roots of the predicted time. Two changes closer than 4 % of the size to
/// each other may be missed, away from the eager limit. An algorithm stays where the other takes
/// the same time; at the first size it is the flat one.
///
/// @throws InputError  fewer than 4 ranks, a pair that was not measured, a predicted time that is
///                     not positive, no size with a total within INT_MAX.
/// @pre model.has(name)
/// O(n·min(n, 32)·log(last size)) times the number of replicates, n the number of ranks.
[[nodiscard]] std::vector<CollectiveChoice> choose_collectives(const Model& model,
                                                               const std::string& name,
                                                               const RuledLibrary& library);

/// What no rule file can hold.
[[nodiscard]] std::vector<std::string> losses_of(const Model& model,
                                                 const std::vector<CollectiveChoice>& choices,
                                                 const RuledLibrary& library);
[[nodiscard]] double worst_excess(const std::vector<CollectiveChoice>& choices);

/// By which a rule's size is counted: the sum over all ranks of scatter's and gather's blocks, the
/// message of a broadcast.
[[nodiscard]] std::uint64_t size_factor(const Model& model, Operation operation);

[[nodiscard]] bool has_flat(const CollectiveChoice& choice);
[[nodiscard]] bool has_rules(const CollectiveChoice& choice);

}  // namespace commgauge
