#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commgauge/costs/pair_costs.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// Of an ordered pair of ranks.
using CostsOfPairs = std::function<PairCosts(int from, int to)>;

/// The costs of a model's pairs, which predictions are made of as well (docs/models.md). Pairs of
/// the LogP family that were not measured cost the mean of those that were, and are `assumed`.
/// @param model  has to live as long as what is returned.
/// @throws InputError  unknown model, or not in the file.
[[nodiscard]] CostsOfPairs costs_of_pairs(const Model& model, const std::string& name);

/// o'(P) = o'_a + o'_b·P takes the place of every overhead of an empty message.
void grow(PairCosts& costs, const OverheadGrowth& growth, int processes);

/// All of them take so much longer.
void scale(PairCosts& costs, double factor);

/// How far on a way: 0 is its beginning, 1 its end.
struct Shares {
  double fixed{};     ///< of what an empty message takes
  double per_byte{};  ///< of what each byte takes, and each further block
};
/// On the way from one pair's costs to another's; marked as `from` is.
/// @pre both of one model; both shares are the same where lines change with the size
[[nodiscard]] PairCosts between(const PairCosts& from, const PairCosts& to, const Shares& shares);

/// Costs every curve of which is, at every size, the mean of theirs. Marked as assumed.
/// @pre at least one; all of one model, in blocks of one size.
[[nodiscard]] PairCosts mean_of(const std::vector<const PairCosts*>& costs);

}  // namespace commgauge
