#pragma once

#include <vector>

#include "commgauge/model/model.hpp"

namespace commgauge {

/// The model with one value for each class of pairs, and one for each kind of ranks: the mean of
/// those that are known, in every replicate as well. Intervals are of these means, by the rule of
/// the fits; numbers of the whole machine stay. Where more pairs of a class are only bounded than
/// are known, the class is bounded, by the mean. A class of which no pair was measured has NaN: in
/// the LogP family it costs the mean of those that were. What is the same in both directions of
/// every pair is so in both of every class.
/// @param dense  every pair has its own values
/// @throws InputError  the classes are of another number of ranks.
[[nodiscard]] Model pooled(Model dense, const MachineClasses& of_its_ranks);

/// The same parameters for other ranks of the same kinds, on other hosts. Checks and roots name the
/// ranks that measured them: others.sample, if that says of each of the model's ranks which of the
/// others it is, else the first of that kind.
/// @param places  of the others, which all launches get
/// @throws InputError  the model has no classes; as many kinds, or places, aren't there.
[[nodiscard]] Model laid_out(const Model& classed, MachineClasses others,
                             std::vector<RankPlace> places);

}  // namespace commgauge
