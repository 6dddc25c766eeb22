#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/thresholds/findings.hpp"

namespace commgauge {

/// A break's size with its interval in bytes; an end that is open has the reason.
/// @pre `found` is one of the sweep's
[[nodiscard]] Threshold threshold_of(const Break& found, const Sweep& sweep);

/// @throws FitError  fewer sizes than one segment needs, or than the asked breaks need.
/// @throws InputError  options out of range, times beyond what can be computed with.
[[nodiscard]] SweepAnalysis analyse(const Sweep& sweep, const ThresholdOptions& options);

/// From sweeps alone: no eager limit. Sweeps named `scatter` and `gather` give the thresholds,
/// `scatter_library` and `gather_library` where those are missing. What can't be analysed stays
/// with the reason, and so do its thresholds.
/// @throws FitError  no sweep at all.
[[nodiscard]] Thresholds find_thresholds(std::span<const Sweep> sweeps,
                                         const ThresholdOptions& options);
/// From a measurement: with its eager limit and where it was made. Sweeps of one kind, root and
/// timing from several launches are joined, with a warning; launches of fewer ranks are left out.
/// An eager limit alone is enough.
/// @throws FitError  neither sweeps nor an eager limit, nor was it probed.
[[nodiscard]] Thresholds find_thresholds(const Measurements& measurements,
                                         const ThresholdOptions& options);

/// The first of scatter's breaks below `largest` that no noise explains: at `largest` the lines
/// before it and after it differ by more than three times their joint uncertainty. The lower end of
/// its interval, or the break itself where it has none.
[[nodiscard]] std::optional<Bytes> decisive_scatter_break(const Thresholds& thresholds,
                                                          Bytes largest);

/// Nothing where neither does.
[[nodiscard]] std::optional<EscalatingSizes> escalating_sizes(const Thresholds& thresholds);

/// The network evaluator's block size (Demaine 1996): up to it a message travels as one block,
/// beyond it in several, each with a start-up of its own, so the time jumps. The first break of the
/// segmented regression at which the line beyond is higher than the one before by more than their
/// joint uncertainty; nothing and the reason where no time jumps.
///
/// @param sizes  ascending, all distinct. @param times  as many, one-way, positive.
/// @throws InputError  lengths differ, not ascending, a time not positive and finite.
/// @throws FitError    fewer sizes than one segment needs, or than the asked breaks need.
[[nodiscard]] Threshold find_block_size(std::span<const Bytes> sizes,
                                        std::span<const Seconds> times,
                                        const ThresholdOptions& options = {});

/// Schema `commgauge.thresholds/1`, see docs/formats.md.
[[nodiscard]] std::string to_json(const Thresholds& thresholds);
/// What such a file says of the machine, without its sweeps.
/// @throws InputError  one line that names file, place and reason.
[[nodiscard]] ThresholdFindings load_thresholds(const std::filesystem::path& file);

}  // namespace commgauge
