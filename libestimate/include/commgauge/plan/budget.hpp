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

/// A pass for the time that there is.
struct PassPlan {
  std::vector<Round> rounds;
  bool is_thin{};                     ///< fewest_blocks of each experiment have to do
  std::vector<std::string> left_out;  ///< models that are asked for, but not measured
};

/// All that is asked for, if a pass of it takes no longer than there is time: with few_blocks of
/// each experiment, or with fewest_blocks. Else as many of the models as it holds, those first for
/// which least has to be measured beside the others; one in any case.
/// @param left  time; infinity: as much as it takes
[[nodiscard]] PassPlan plan_in_time(int n, const Pilot& pilot, const CampaignSizes& sizes,
                                    const CampaignOptions& options, Seconds left, bool serial);

}  // namespace commgauge
