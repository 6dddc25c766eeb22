#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "commgauge/plan/campaign_plan.hpp"
#include "commgauge/plan/rounds.hpp"

/// What a time budget holds.
namespace commgauge {

/// How an experiment is repeated: blocks of at least so long; few of them where one repetition
/// takes longer than that; what was repeated first counts, too, where it takes still longer.
inline constexpr Seconds block_target{100e-6};
inline constexpr Seconds long_repetition{2e-3};
inline constexpr Seconds dear_repetition{20e-3};
inline constexpr int few_blocks = 3;
/// As few as have an interval.
inline constexpr int fewest_blocks = 2;

/// What one repetition takes, by round trips of its pairs, one message after the other [s].
[[nodiscard]] Seconds repetition_time(const Experiment& experiment, const Pilot& pilot,
                                      const CampaignSizes& sizes);

/// What a pass takes with so many blocks of each experiment.
/// @param serial  one group after the other; else all of a round at once
[[nodiscard]] Seconds pass_time(std::span<const Round> rounds, const Pilot& pilot,
                                const CampaignSizes& sizes, int blocks, bool serial);

/// A pass for the time that there is, in parts: one after the other they have all experiments.
struct PassPlan {
  struct Part {
    std::string model;  ///< that has all it needs when this is done; empty: none by itself
    std::vector<Round> rounds;
  };
  std::vector<Part> parts;
  /// The first pass may not end: it has fewest_blocks of each experiment, and its parts in order.
  bool is_thin{};
};

/// One part, if a pass of it with few_blocks of each experiment takes no longer than there is time.
/// Else a part for each model, those first for which least has to be measured beside what comes
/// before; among them one of the checks, which no model needs.
/// @param left  time; infinity: as much as it takes
[[nodiscard]] PassPlan plan_in_time(int n, const Pilot& pilot, const CampaignSizes& sizes,
                                    const CampaignOptions& options, Seconds left, bool serial);

}  // namespace commgauge
