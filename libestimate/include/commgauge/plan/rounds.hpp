#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "commgauge/measurements/experiment.hpp"

namespace commgauge {

using Pair = std::array<int, 2>;
using Triple = std::array<int, 3>;

/// All n(n−1)/2 pairs in rounds of disjoint pairs (circle method): n−1 rounds, n if n is odd.
[[nodiscard]] std::vector<std::vector<Pair>> pair_rounds(int n);

/// All n(n−1)(n−2)/6 triples in rounds of at most ⌊n/3⌋ disjoint triples, in as few rounds as that
/// allows (Baranyai's theorem). Takes 0.1 s at n = 40, 2 s at n = 64.
[[nodiscard]] std::vector<std::vector<Triple>> triple_rounds(int n);

/// A sparse design: `r` rounds of ⌊n/3⌋ disjoint triples; over the rounds every rank is in at
/// least r triples (further rounds take in those left over). As few rounds, and as few triples, as
/// that allows; no pair of ranks twice as far as a search can avoid it: there are none from about
/// n = 3r on, and must be some below n = 2r + 1. Deterministic in `seed`, on every platform.
/// @throws InputError  n < 3 or r < 1.
[[nodiscard]] std::vector<std::vector<Triple>> sparse_triple_rounds(int n, int r,
                                                                    std::uint64_t seed);

/// Who comes after rank 0 in the rings of all ranks that are measured: rank 1, and, if there is
/// one, the rank next to half of them away: most ranks' next is on another host then. @pre n ≥ 3
[[nodiscard]] std::vector<int> ring_steps(int n);

/// Experiments of the same few ranks, done one after the other by them alone.
struct Group {
  std::vector<int> ranks;  ///< sorted
  std::vector<Experiment> experiments;
};

/// Groups that share no rank, done at the same time.
using Round = std::vector<Group>;

/// One group a round: nothing runs at the same time as anything else.
[[nodiscard]] std::vector<Round> serialised(const std::vector<Round>& rounds);

/// Fewest rounds in which `rounds` could have been done: every round holds disjoint groups only.
[[nodiscard]] long lower_bound_rounds(const std::vector<Round>& rounds, int n);

}  // namespace commgauge
