#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/plan/logp_plan.hpp"
#include "commgauge/plan/rounds.hpp"

namespace commgauge {

/// Sizes that scatter and gather advise against.
struct SizeAdvice {
  std::optional<Bytes> scatter_break{};   ///< beyond it a root serves its peers in another way
  std::optional<Bytes> escalate_above{};  ///< repetitions of larger sizes escalate, but
  std::optional<Bytes> regular_from{};    ///< from here on they don't
};

/// The message sizes of a campaign.
struct CampaignSizes {
  std::vector<Bytes> sweep;      ///< of the round trips, ascending
  Bytes one_to_two;              ///< M of LOM's and LMO's experiments, at most the eager limit
  std::vector<Bytes> bulk;       ///< of the bottleneck's experiments: large, all in one regime
  std::vector<Bytes> checks;     ///< between the others, held out of the fits
  std::vector<Bytes> at_once{};  ///< of messages that meet: the sweep's largest of each protocol
};

/// Sizes of round trips where none are given: steps of four from 16 KiB to `largest`, and three up
/// to the eager limit.
[[nodiscard]] std::vector<Bytes> default_sweep(std::optional<Bytes> eager_limit,
                                               Bytes largest = {1 << 20});

/// Fills in what is left open: the default sweep, M the largest eager size of it up to 64 KiB and
/// to the scatter break, bulk the upper end of the sweep.
/// @param sweep  given sizes, or empty. @param one_to_two  given M, or nothing.
/// @param advice  M stays below the scatter break, bulk where nothing escalates. Breaks below 1 KiB
///                are passed over: so few bytes tell nothing of the time per byte.
/// @throws InputError  fewer than two sizes, a size of 0 among them, M above the eager limit.
[[nodiscard]] CampaignSizes choose_sizes(std::optional<Bytes> eager_limit, std::vector<Bytes> sweep,
                                         std::optional<Bytes> one_to_two,
                                         const SizeAdvice& advice = {});

/// Round trips of all ordered pairs from a short pilot, used to arrange experiments, never to fit:
/// what is chosen by them stays independent of what is fitted.
struct Pilot {
  Matrix empty;   ///< (0, 0) [s]
  Matrix medium;  ///< (M, 0) [s]
  Matrix bulk;    ///< (largest bulk size, 0) [s]
};

/// Which experiments a campaign makes.
struct CampaignOptions {
  std::vector<std::string> models;  ///< empty: hockney, lom, lmo, bottleneck
  bool sparse{};                    ///< one-to-twos: a few triplets a rank instead of all
  int triplets{4};                  ///< of the sparse design
  bool checks{true};
  std::uint64_t seed{1};
  LogPPlan logp{};                   ///< where one of the models takes it
  std::vector<Pair> logp_pairs{};    ///< i < j
  std::vector<Bytes> curve{};        ///< round trips of all pairs that tell how times bend
  std::vector<std::string> hosts{};  ///< of each rank; empty: nothing is known of them
  std::vector<int> cores{};          ///< of each rank's host; empty: one for each rank
  bool memory{true};                 ///< pairs at once within hosts
  bool cores_are_shared{};           ///< all ranks at once would measure who gets a core
};

/// One pass of a campaign over `n` ranks, as rounds of disjoint groups.
///
/// Pairs: every ordered pair, empty and at every size. Triples: one-to-twos of every member, the
/// slower peer served last. Fans: concurrent one-to-k and k-to-one of every rank with its k
/// fastest peers, the slowest of them first, k = 2 … 4. Checks: flat scatter and gather from up
/// to four roots, exchanges of up to 32 pairs, rings of all ranks. Hosts: see
/// host_link_experiments() and memory_experiments(). Overheads and floods of the chosen pairs, with
/// the round trips that they take. n = 2 has pairs only. O(n²) groups of pairs, O(n³) or O(n·r) of
/// triples, O(n) fans.
[[nodiscard]] std::vector<Round> plan_campaign(int n, const Pilot& pilot,
                                               const CampaignSizes& sizes,
                                               const CampaignOptions& options);

}  // namespace commgauge
