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

}  // namespace commgauge
