#pragma once

#include <functional>
#include <string>
#include <vector>

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

/// Times that are computed of a model's parameters together, and differences of such times, which
/// may be below zero.
template <class Value>
struct TimesAndDifferences {
  std::vector<Value> times;
  std::vector<Value> differences;
};

/// The same of several of them. An interval of a difference is that of the differences which the
/// replicates say, so what their two times have in common doesn't widen it.
/// @param values, slower  as above; always as many. NaN leaves a replicate out.
/// @throws, and as many calls, as above
[[nodiscard]] TimesAndDifferences<Prediction> predict_all_by_replicates(
    const Model& model, const std::string& name,
    const std::function<TimesAndDifferences<double>(const Model&)>& values,
    const std::function<TimesAndDifferences<double>(double)>& slower = {});

}  // namespace commgauge
