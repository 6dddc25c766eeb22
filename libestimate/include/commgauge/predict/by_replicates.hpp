#pragma once

#include <functional>
#include <string>

#include "commgauge/predict/predict.hpp"

namespace commgauge {

/// A time that is computed of a model's parameters in any way, with the interval that predict()
/// gives an operation's: each replicate says a time of its own, so correlations between parameters
/// count; the model's misfit is joined. `extrapolated` is left false.
///
/// @param time  [s] of a model that is `model` but for the central parameters of `name`; NaN where
///              it has none, which leaves a replicate out
/// @param slower  the time [s] where every message takes so much longer than with `model`, as 1.02:
///                what is no message isn't widened by the misfit. Empty: all of it is messages.
/// @throws InputError  no such model in the file; what `time` throws.
/// As many calls of `time` as there are replicates, and one; two where a parameter is only bounded;
/// and one of `slower`.
[[nodiscard]] Prediction predict_by_replicates(const Model& model, const std::string& name,
                                               const std::function<double(const Model&)>& time,
                                               const std::function<double(double)>& slower = {});

/// How many calls that takes, of `slower` too where it is given.
[[nodiscard]] std::size_t calls_by_replicates(const Model& model, const std::string& name,
                                              bool has_slower = false);

}  // namespace commgauge
