#pragma once

#include "base/json_reader.hpp"
#include "commgauge/measurements/survey.hpp"

namespace commgauge::detail {

[[nodiscard]] OrderedJson survey_to_json(const Survey& survey);
/// @param sampled  so many ranks were measured
[[nodiscard]] Survey read_survey(const Reader& json, int sampled);

}  // namespace commgauge::detail
