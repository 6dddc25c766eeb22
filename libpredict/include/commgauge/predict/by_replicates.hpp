#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/predict/query.hpp"

/// Intervals of what is computed of a model's parameters in any way, by the rules of predict():
/// each replicate says a number of its own, so correlations between parameters count, and the
/// model's misfit is joined. Numbers that are said by the same replicates are pairs: what moves
/// both alike doesn't widen the interval of their difference or ratio.
namespace commgauge {

/// A number, in this order: by the central parameters; with a parameter that is only bounded as if
/// it were nothing, where there is such; by each replicate, of fits that don't vary together one
/// after the other; where every message takes so much longer as the model's misfit says, if that
/// was asked for and isn't nothing. NaN: it can't be told by that one.
using ByReplicates = std::vector<double>;

/// Computes numbers together.
/// @param numbers  of a model that is `model` but for the central parameters of `name`; always as
///                 many
/// @param slower  them where every message takes so much longer than with `model`, as 1.02: what is
///                no message isn't widened by the misfit. Empty: all of it is messages.
/// @return by number. @throws InputError  no such model in the file; what `numbers` throws.
[[nodiscard]] std::vector<ByReplicates> by_replicates(
    const Model& model, const std::string& name,
    const std::function<std::vector<double>(const Model&)>& numbers,
    const std::function<std::vector<double>(double)>& slower = {});

/// With its central parameters alone: who predicts with it is quick, and tells no intervals.
[[nodiscard]] Model without_replicates(Model model);

/// How many calls that takes, of `slower` too where it is given: the length of each list.
[[nodiscard]] std::size_t calls_by_replicates(const Model& model, const std::string& name,
                                              bool has_slower = false);

/// A time with its interval. `extrapolated` and `on_machine` are left false.
/// @pre by_replicates() of the same model
[[nodiscard]] Prediction time_by_replicates(const Model& model, const std::string& name,
                                            const ByReplicates& times);
/// What the replicates of the model's own parameters say, without the misfit. Those of others, as
/// of links, are among them where they vary together; else they stay as they are. @pre likewise
[[nodiscard]] ReplicateTimes replicate_times_of(const Model& model, const std::string& name,
                                                const ByReplicates& times);
/// One time less another, which may be below zero. @pre likewise, with `slower` or without
[[nodiscard]] Prediction difference_by_replicates(const Model& model, const std::string& name,
                                                  const ByReplicates& times,
                                                  const ByReplicates& less);
/// One time over another. The misfit may be to either side.
[[nodiscard]] Prediction ratio_by_replicates(const Model& model, const std::string& name,
                                             const ByReplicates& times, const ByReplicates& over);

}  // namespace commgauge
