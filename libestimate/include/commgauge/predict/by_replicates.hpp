#pragma once

#include <functional>
#include <string>

#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// A time that is computed of a model's parameters in any way, with the interval that predict()
/// gives an operation's: each replicate says a time of its own, so correlations between parameters
/// count; the model's misfit is joined. `extrapolated` is left false.
///
/// @param time  [s] of a model that is `model` but for the central parameters of `name`
/// @throws InputError  no such model in the file; what `time` throws.
/// As many calls of `time` as there are replicates, and one; two where a parameter is only bounded.
[[nodiscard]] Prediction predict_by_replicates(const Model& model, const std::string& name,
                                               const std::function<double(const Model&)>& time);

/// How many calls of `time` that takes.
[[nodiscard]] std::size_t calls_by_replicates(const Model& model, const std::string& name);

}  // namespace commgauge
