#include "commgauge/simulate/machine/pair_table.hpp"

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "commgauge/base/index.hpp"
#include "machine/bytes.hpp"

namespace commgauge::simulate {

namespace {

/// Keeps equal costs once.
class DistinctCosts {
 public:
  explicit DistinctCosts(KeptCosts& kept) : kept_{kept} {}

  std::uint32_t operator()(PairCosts costs) {
    writer_.clear();
    writer_(costs);
    const std::size_t hash = std::hash<std::string>{}(writer_.bytes());
    const auto [first, last] = places_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      if (kept_[known->second] == costs) return known->second;
    }
    const auto place = static_cast<std::uint32_t>(kept_.size());
    kept_.add(std::move(costs));
    places_.emplace(hash, place);
    return place;
  }

 private:
  KeptCosts& kept_;
  std::unordered_multimap<std::size_t, std::uint32_t> places_;
  Writer writer_;
};

/// Which costs every pair of ranks has.
struct Places {
  int ranks;
  std::vector<std::uint32_t> of_pairs;
  [[nodiscard]] std::uint32_t operator()(int i, int j) const {
    return of_pairs[at(i) * at(ranks) + at(j)];
  }
  /// Whether the two could change places. An equivalence: such exchanges make up all orders.
  [[nodiscard]] bool are_alike(int a, int b) const {
    if ((*this)(a, b) != (*this)(b, a)) return false;
    for (int other = 0; other < ranks; ++other) {
      if (other == a || other == b) continue;
      if ((*this)(a, other) != (*this)(b, other) || (*this)(other, a) != (*this)(other, b)) {
        return false;
      }
    }
    return true;
  }
};

/// One rank of a kind, and one of another group.
struct Examples {
  int first{-1};
  int elsewhere{-1};
};

}  // namespace

const PairCosts PairTable::nothing;

PairTable::PairTable(int ranks, const CostsOfPairs& costs) {
  Places places{ranks, std::vector<std::uint32_t>(at(ranks) * at(ranks))};
  DistinctCosts keep(costs_);
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) {
      if (i != j) places.of_pairs[at(i) * at(ranks) + at(j)] = keep(costs(i, j));
    }
  }
  std::vector<Examples> examples;
  for (int rank = 0; rank < ranks; ++rank) {
    std::size_t kind = 0;
    while (kind < examples.size() && !places.are_alike(examples[kind].first, rank)) ++kind;
    if (kind == examples.size()) {
      examples.push_back({rank, -1});
    } else if (examples[kind].elsewhere < 0) {
      examples[kind].elsewhere = rank;
    }
    ranks_.push_back({static_cast<std::int32_t>(kind), rank});
  }
  kinds_ = examples.size();
  across_.resize(kinds_ * kinds_);
  for (std::size_t a = 0; a < kinds_; ++a) {
    for (std::size_t b = 0; b < kinds_; ++b) {
      const int to = a == b ? examples[b].elsewhere : examples[b].first;
      if (to >= 0) across_[a * kinds_ + b] = places(examples[a].first, to);
    }
  }
}

PairTable::PairTable(std::vector<Rank> ranks, int kinds, const CostsOfPairs& within,
                     const CostsOfPairs& across)
    : kinds_{at(kinds)}, ranks_{std::move(ranks)} {
  DistinctCosts keep(costs_);
  for (int a = 0; a < kinds; ++a) {
    for (int b = 0; b < kinds; ++b) {
      within_.push_back(keep(within(a, b)));
      across_.push_back(keep(across(a, b)));
    }
  }
}

void PairTable::rearrange(const std::vector<int>& places) {
  std::vector<Rank> rearranged;
  for (const int place : places) rearranged.push_back(ranks_[at(place)]);
  ranks_ = std::move(rearranged);
}

void PairTable::change(const std::function<void(PairCosts&)>& change) {
  for (PairCosts& costs : costs_.all()) change(costs);
}

void PairTable::change_of(const std::function<bool(int from, int to)>& is_meant,
                          const std::function<void(PairCosts&)>& change) {
  std::set<std::uint32_t> places;
  for (const Alike& alike : all_alike()) {
    if (is_meant(alike.from, alike.to)) places.insert(place_of(alike.from, alike.to));
  }
  std::vector<PairCosts>& costs = costs_.all();
  for (const std::uint32_t place : places) change(costs[place]);
}

std::vector<PairTable::Alike> PairTable::all_alike() const {
  std::vector<Examples> examples(kinds_);
  std::vector<std::int64_t> of_kind(kinds_);
  std::unordered_map<std::int32_t, std::vector<int>> groups;
  for (int rank = 0; rank < size(); ++rank) {
    const auto& [kind, group] = ranks_[at(rank)];
    ++of_kind[at(kind)];
    groups[group].push_back(rank);
    Examples& known = examples[at(kind)];
    if (known.first < 0) {
      known.first = rank;
    } else if (known.elsewhere < 0 && ranks_[at(known.first)].group != group) {
      known.elsewhere = rank;
    }
  }
  std::vector<Alike> within(kinds_ * kinds_);
  for (const auto& [group, members] : groups) {
    for (const int from : members) {
      for (const int to : members) {
        if (from == to) continue;
        Alike& pairs = within[at(ranks_[at(from)].kind) * kinds_ + at(ranks_[at(to)].kind)];
        pairs = {from, to, pairs.count + 1};
      }
    }
  }
  std::vector<Alike> all;
  for (std::size_t a = 0; a < kinds_; ++a) {
    for (std::size_t b = 0; b < kinds_; ++b) {
      const std::int64_t inside = within[a * kinds_ + b].count;
      const std::int64_t count = of_kind[a] * (of_kind[b] - (a == b ? 1 : 0)) - inside;
      if (inside > 0) all.push_back(within[a * kinds_ + b]);
      if (count <= 0) continue;
      const auto group = [&](int rank) { return ranks_[at(rank)].group; };
      int from = examples[a].first;
      int to = examples[b].first;
      if (group(from) == group(to)) {
        (examples[b].elsewhere >= 0 ? to : from) =
            examples[b].elsewhere >= 0 ? examples[b].elsewhere : examples[a].elsewhere;
      }
      all.push_back({from, to, count});
    }
  }
  return all;
}

}  // namespace commgauge::simulate
