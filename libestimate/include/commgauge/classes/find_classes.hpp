#pragma once

#include <vector>

#include "commgauge/measurements/survey.hpp"
#include "commgauge/model/machine_classes.hpp"

namespace commgauge {

/// Which ranks and pairs are alike, by placement and by the survey's times.
///
/// Two hosts are of one kind where their round trips with the same third hosts (the median of
/// these) and inside themselves differ by less than `alike_within` and four times the survey's
/// noise: hosts behind different switches, to which others are near or far, are of different kinds,
/// too. Up to eight hosts all ways to put them into kinds are tried, and that is taken which leaves
/// the fewest hosts and links to be accused. A host that is alone of its kind, or one of few (a
/// sixteenth at most), deviates; so does a link between two hosts that takes longer or less than
/// those of its class. On hosts where some ranks are nearer to the first than others (sockets) they
/// are of two kinds. The hosts of deviating links have kinds of their own, so that the pair has its
/// own class. Kinds that a file says stay as they are.
///
/// O(H²·K) for H hosts of K kinds; O(H³) at worst.
///
/// @throws InputError  a trip names no rank; a pair of hosts has none.
[[nodiscard]] MachineClasses find_classes(const Survey& survey);

/// Ranks to be measured in place of all, ascending, rank 0 among them: of each kind a few hosts,
/// spread over it, of a host two ranks of each of its kinds (of a single host four). All ranks
/// where that would be more than half of them.
[[nodiscard]] std::vector<int> choose_sample(const Survey& survey, const MachineClasses& classes);

/// What the pairs of each class take in the survey, relative to those of them whose hosts are in
/// the sample: empty messages, and what each byte adds. 1 where the survey can't tell.
struct ClassFactors {
  std::vector<double> fixed;     ///< by class (PairClasses)
  std::vector<double> per_byte;  ///< by class
};
[[nodiscard]] ClassFactors class_factors(const Survey& survey, const MachineClasses& classes);

}  // namespace commgauge
