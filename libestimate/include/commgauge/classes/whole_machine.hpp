#pragma once

#include "commgauge/measurements/survey.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// What was learnt of a sample of ranks, for the whole machine: pooled() by the survey's classes,
/// laid_out() for all ranks. The sample's hosts aren't quite the mean of their kind: parameters are
/// multiplied by what the survey says of all hosts against those of the sample (class_factors()),
/// fixed parts and those for each byte apart.
/// @param sampled  of survey.sample's ranks, each pair with its own values
/// @throws InputError  as find_classes(); the sample is not of the model's ranks.
[[nodiscard]] Model of_whole_machine(Model sampled, const Survey& survey);

}  // namespace commgauge
