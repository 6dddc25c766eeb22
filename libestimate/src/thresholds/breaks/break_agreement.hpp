#pragma once

#include <span>
#include <string>

#include "thresholds/observations.hpp"

namespace commgauge {

/// How many of the passes that can tell show a break.
struct BreakAgreement {
  long show{};   ///< with a shift of the same sign as all together
  long asked{};  ///< that saw both sides well enough
  bool agrees{true};
};

/// Whether the passes of a sweep agree on the break between two neighbouring segments. All passes
/// together say by how much two lines differ from one, size by size; each pass then says how much
/// of that it has, beside a line of its own: what a machine that changes its speed between two
/// passes makes of sizes that were not measured in both is no break. They agree if so many show so
/// much of it as chance, which takes either sign alike, rarely does: Wilcoxon's signed-rank test,
/// by which no single pass outvotes the others. Of several launches most have to agree.
///
/// Passes that are not known, or fewer than five that can tell, contradict nothing.
///
/// @param left, right  segments of `observations`
/// @param launch_ends  the passes after the last of each launch, ascending; none: one launch
[[nodiscard]] BreakAgreement agreement_on_break(const Sweep& sweep,
                                                const Observations& observations,
                                                const Segment& left, const Segment& right,
                                                std::span<const int> launch_ends);

/// Where it is, and how many passes show it.
[[nodiscard]] std::string text_of(const DisputedBreak& disputed);

}  // namespace commgauge
