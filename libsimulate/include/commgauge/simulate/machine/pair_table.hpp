#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/simulate/machine/kept_costs.hpp"

namespace commgauge::simulate {

/// The costs of all ordered pairs of ranks. Equal costs are kept once, and ranks that cost the same
/// are of one kind: what a pair costs follows from the kinds of its ranks, and from whether they
/// are of one group, as the ranks of a host may be. A machine whose pairs all differ takes 4 bytes
/// a pair beside the costs themselves; one of equal hosts takes 8 bytes a rank.
class PairTable {
 public:
  struct Rank {
    std::int32_t kind{};
    std::int32_t group{};
    friend bool operator==(const Rank&, const Rank&) = default;
  };
  /// Pairs of ranks that cost the same for one reason.
  struct Alike {
    int from{};  ///< one of them
    int to{};
    std::int64_t count{};  ///< ordered pairs
  };

  PairTable() = default;
  /// Finds out which ranks are of one kind: those that could change places without changing a cost.
  /// O(n²) calls of `costs`.
  PairTable(int ranks, const CostsOfPairs& costs);
  /// @param within, across  costs of two ranks of these kinds, in one group and in two; called for
  ///                        each two kinds below `kinds`
  PairTable(std::vector<Rank> ranks, int kinds, const CostsOfPairs& within,
            const CostsOfPairs& across);

  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
  /// Different costs that are kept.
  [[nodiscard]] std::size_t distinct() const { return costs_.size(); }
  /// O(1). A rank's messages to itself cost nothing.
  [[nodiscard]] const PairCosts& operator()(int from, int to) const {
    return from == to ? nothing : costs_[place_of(from, to)];
  }

  /// The first ranks only. @pre not more than there are
  void keep_first(int ranks) { ranks_.resize(static_cast<std::size_t>(ranks)); }
  /// Rank r of the new table is rank places[r] of the old one. @pre there are these, none twice
  void rearrange(const std::vector<int>& places);
  /// Each of the distinct costs once.
  void change(const std::function<void(PairCosts&)>& change);
  /// Only costs of which some pair `is_meant`. O(all_alike())
  void change_of(const std::function<bool(int from, int to)>& is_meant,
                 const std::function<void(PairCosts&)>& change);
  /// All pairs of ranks, by their kinds. O(kinds² + ranks · ranks of a group)
  [[nodiscard]] std::vector<Alike> all_alike() const;

  /// Calls visit(part) for each of its data. `Table` may be const.
  template <class Table, class Visit>
  static void visit_parts(Table& table, Visit&& visit) {
    visit(table.kinds_);
    visit(table.ranks_);
    visit(table.within_);
    visit(table.across_);
    visit(table.costs_);
  }

 private:
  static const PairCosts nothing;

  /// Of two different ranks: which of the costs.
  [[nodiscard]] std::uint32_t place_of(int from, int to) const {
    const Rank& sender = ranks_[static_cast<std::size_t>(from)];
    const Rank& receiver = ranks_[static_cast<std::size_t>(to)];
    const auto& table = sender.group == receiver.group ? within_ : across_;
    return table[static_cast<std::size_t>(sender.kind) * kinds_ +
                 static_cast<std::size_t>(receiver.kind)];
  }

  std::size_t kinds_{};
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> within_;  ///< kinds × kinds, row by row: which of the costs
  std::vector<std::uint32_t> across_;
  KeptCosts costs_;
};

}  // namespace commgauge::simulate
