#pragma once

#include <string>
#include <vector>

#include "commgauge/judge/compare.hpp"
#include "commgauge/model/model.hpp"
#include "estimate-model/text/extent.hpp"

namespace commgauge::tools {

/// What is said of a model before all else: a busy machine, pairs that take longer at once.
[[nodiscard]] std::vector<std::string> first_lines(const Model& model);

/// A model for people: machine, ranking, ranks, links, what stands out, warnings.
[[nodiscard]] std::string describe(const Model& model, const std::vector<Outlier>& outliers,
                                   Extent extent);

}  // namespace commgauge::tools
