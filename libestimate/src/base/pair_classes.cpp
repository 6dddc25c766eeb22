#include "commgauge/base/pair_classes.hpp"

#include <map>

namespace commgauge {

std::vector<std::int64_t> PairClasses::pair_counts() const {
  std::vector<std::int64_t> of_kind(static_cast<std::size_t>(kinds_));
  std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> of_groups;
  for (const Rank& rank : ranks_) {
    ++of_kind[static_cast<std::size_t>(rank.kind)];
    ++of_groups[rank.group][rank.kind];
  }
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes()));
  const auto of_class = [&](int from, int to, bool is_within) -> std::int64_t& {
    return counts[static_cast<std::size_t>(class_of_kinds(from, to, is_within))];
  };
  for (int from = 0; from < kinds_; ++from) {
    for (int to = 0; to < kinds_; ++to) {
      of_class(from, to, false) =
          of_kind[static_cast<std::size_t>(from)] * of_kind[static_cast<std::size_t>(to)];
    }
  }
  for (const auto& [group, kinds] : of_groups) {
    for (const auto& [from, senders] : kinds) {
      for (const auto& [to, receivers] : kinds) {
        of_class(from, to, false) -= senders * receivers;
        of_class(from, to, true) += senders * (receivers - (from == to ? 1 : 0));
      }
    }
  }
  return counts;
}

namespace {

/// Of a kind: a rank, and one that isn't of its group.
struct Known {
  int first{-1};
  int elsewhere{-1};
};

}  // namespace

std::vector<PairClasses::Pair> PairClasses::examples() const {
  std::vector<Known> of_kind(static_cast<std::size_t>(kinds_));
  std::map<std::int32_t, std::map<std::int32_t, std::vector<int>>> of_groups;
  for (int rank = 0; rank < ranks(); ++rank) {
    Known& known = of_kind[static_cast<std::size_t>(of(rank).kind)];
    if (known.first < 0) known.first = rank;
    if (known.elsewhere < 0 && of(known.first).group != of(rank).group) known.elsewhere = rank;
    std::vector<int>& members = of_groups[of(rank).group][of(rank).kind];
    if (members.size() < 2) members.push_back(rank);
  }
  std::vector<Pair> pairs(static_cast<std::size_t>(classes()));
  const auto offer = [&](int from, int to) {
    if (from < 0 || to < 0 || from == to) return;
    Pair& pair = pairs[static_cast<std::size_t>(class_of(from, to))];
    if (pair.from < 0) pair = {from, to};
  };
  for (const Known& a : of_kind) {
    for (const Known& b : of_kind) {
      offer(a.first, b.first);
      offer(a.first, b.elsewhere);
      offer(a.elsewhere, b.first);
    }
  }
  for (const auto& [group, kinds] : of_groups) {
    for (const auto& [from, senders] : kinds) {
      for (const auto& [to, receivers] : kinds) offer(senders.front(), receivers.back());
    }
  }
  return pairs;
}

}  // namespace commgauge
