#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge::simulate {

/// The flaw of a pair that the model has no parameters for.
inline constexpr const char* tells_no_time = "it doesn't tell the time of a message";

/// What keeps a pair's messages from being a machine's; empty: nothing.
/// @param least  an empty message has to take longer than that [s]
[[nodiscard]] std::string flaw_of(const PairCosts& costs, double least = 0);

/// The costs of a model's pairs. Where those of its central parameters can't be a machine's, the
/// nearest that can on the way to those of its parameters' upper ends, if there are some: costs
/// that are within what the intervals of all pairs leave open together.
class MonotoneProjection {
 public:
  /// @param growth  costs in jobs of 2 and of all ranks have to be possible, too; null: there is
  /// none
  /// @param model  must outlive it, as `growth`
  MonotoneProjection(const Model& model, std::string kind, const OverheadGrowth* growth);

  /// With their flaw where there is nothing else.
  [[nodiscard]] PairCosts operator()(int from, int to);
  /// How many pairs' costs were moved, and how far; nothing: none.
  [[nodiscard]] std::optional<Diagnostic> moved() const;

 private:
  [[nodiscard]] std::string flaw(const PairCosts& costs, double least) const;
  [[nodiscard]] PairCosts nearest(const PairCosts& costs, int from, int to);
  [[nodiscard]] std::optional<PairCosts> nearest(const PairCosts& costs, const PairCosts& end,
                                                 const Shares& way) const;
  [[nodiscard]] const CostsOfPairs& utmost();
  void note(const PairCosts& before, const PairCosts& after, int from, int to);
  /// That cost the same for being of one class.
  [[nodiscard]] std::int64_t pairs_like(int from, int to) const;

  const Model& model_;
  std::string kind_;
  const OverheadGrowth* growth_;
  CostsOfPairs central_;
  std::optional<Model> at_upper_ends_;
  CostsOfPairs utmost_;
  std::set<std::pair<int, int>> moved_;
  std::int64_t moved_pairs_{};
  std::string first_flaw_;
  double empty_longer_{};    ///< a moved pair's empty message, at most [s]
  double largest_longer_{};  ///< one of the largest size of the fit, at most [s]
};

}  // namespace commgauge::simulate
