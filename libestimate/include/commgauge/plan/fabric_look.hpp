#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/plan/fabric_search.hpp"

namespace commgauge {

/// A search, and where its rounds are.
struct FabricSearched {
  FoundFabric fabric;
  int first_round{};  ///< of all rounds of the look
};

/// What was seen of the links that hosts share, by two searches; if they saw different links, by
/// the two of three that differ least.
struct FabricLook {
  /// What a byte takes where two hosts exchange messages, and nobody else sends [s/byte].
  Matrix exchanged;
  std::array<FabricSearched, 2> searches;
  std::optional<FoundFabric> differing;  ///< of three searches what the other one saw
  /// The first search's matchings at the end: where they are, and what each of their pairs takes by
  /// itself, one way [s/byte].
  int first_matching{};
  std::vector<std::vector<SecondsPerByte>> alone;
  int rounds{};
};

/// Times exchanges of two hosts by themselves, then searches twice, once more if the searches saw
/// different links, then times the pairs of the first kept search's matchings by themselves.
///
/// Hosts send while they receive in nearly all rounds of a search. So what counts as unhindered is
/// an exchange: hosts that do one of both faster are not taken for a shared link.
/// Of more than `all_pairs_up_to` hosts each exchanges with a few others. What two of them take is
/// what the slower one takes, if that is so.
/// @return nothing: it is not so, and hosts' own times can't be told from those of links
/// @pre hosts >= 4
/// @throws InputError  as find_fabric()
/// @note Deterministic in `seed` and what `measure` returns.
[[nodiscard]] std::optional<FabricLook> look_for_fabric(int hosts, const MeasureAtOnce& measure,
                                                        std::uint64_t seed);

inline constexpr int all_pairs_up_to = 64;  ///< hosts

/// About how many rounds a look at a fabric without shared links takes, and one with some.
[[nodiscard]] int guess_rounds(int hosts);

}  // namespace commgauge
