#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/pair_classes.hpp"
#include "commgauge/base/statistics.hpp"

namespace commgauge {

/// Hosts whose times differ by less than this part of them are of one kind; how they differ is
/// their spread (RankKind). With noise, more: see find_classes().
inline constexpr double alike_within = 0.1;

/// Ranks that are alike: those of hosts of one kind, or those of one socket of them.
struct RankKind {
  std::string name;  ///< of the first host that is of it, and what of it
  int hosts{};       ///< that are of it
  /// How hosts of the kind differ: standard deviation of what a message between them and others
  /// takes, relative to the kind's mean; NaN: one host, or not measured.
  double spread_fixed{};
  double spread_per_byte{};
};

/// A host, or what lies between two, that isn't like its kind.
struct Deviation {
  enum class Where { within_host, host, between_hosts };
  Where where{};
  std::vector<std::string> hosts;  ///< one, or two
  /// Times of its messages / those of its kind: of empty ones, and of what each byte adds.
  Estimate fixed;
  Estimate per_byte;

  /// "host n17 sends and receives at half the rate of its kind"
  [[nodiscard]] std::string sentence() const;
};

/// MachineClasses::found of a model in which no ranks are alike.
inline constexpr const char* found_each_rank = "each rank";

/// Which ranks and pairs of a machine are alike, and which aren't like their kind.
struct MachineClasses {
  std::shared_ptr<const PairClasses> pairs;  ///< never null
  std::vector<RankKind> kinds;               ///< by PairClasses::Rank::kind
  std::vector<Deviation> deviations;
  std::vector<int> sample;  ///< ranks that were measured for the models; empty: all
  /// How: "placement and measurements", "a file", "placement"; found_each_rank
  std::string found;

  /// Of PairClasses::class_of: "within a host of kind n1", "between hosts, kind n1 to kind n7".
  [[nodiscard]] std::string name_of_class(int of_pairs) const;
  /// Whether they only say which ranks are at the place of which: each pair has its own values.
  [[nodiscard]] bool each_rank_its_own() const { return found == found_each_rank; }
};

}  // namespace commgauge
