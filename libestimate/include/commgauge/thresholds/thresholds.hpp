#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/measurements/sweep.hpp"
#include "commgauge/segmentation/segmentation.hpp"
#include "commgauge/thresholds/threshold.hpp"

namespace commgauge {

/// How the points of a sweep are weighed.
enum class Weights {
  automatic,  ///< relative where the longest time is more than ten times the shortest
  relative,   ///< 1 / time²
  none
};

struct ThresholdOptions {
  SegmentationOptions segmentation;
  Weights weights{Weights::automatic};
};

/// Where a sweep's repetitions scatter as they do nowhere else: sizes at which some take longer by
/// more than the noise of the quiet sizes explains, by 1 ms, and at least twice as long. A rate of
/// escalation inside, another one outside; the range by maximum likelihood, its ends with profile
/// intervals (Hansen 2000), its existence by BIC: among all repetitions, and again among excesses
/// that count at all sizes alike, absolute and relative, for a rare spike at all sizes is none. And
/// sizes that escalate lie together, more than by chance (permutation test): passing disturbances
/// hit any size.
struct Escalations {
  bool found{};
  std::size_t first{};  ///< point: the first size with escalations, or suspected of them
  std::size_t last{};   ///< the last one
  bool ends{};          ///< some size above `last` could have shown them
  std::size_t first_low{}, first_high{};  ///< interval of `first`
  std::size_t last_low{}, last_high{};    ///< interval of `last`
  double rate_inside{};                   ///< share of the repetitions
  double rate_outside{};
  double limit_s{};      ///< a repetition this much above the undisturbed time is one, and
  double limit_ratio{};  ///< this much in proportion to it
  std::string reason;    ///< why there are none, or empty
};

/// @throws InputError  a sweep without points.
[[nodiscard]] Escalations find_escalations(const Sweep& sweep, double confidence);

/// Whether escalations are suspected without being certain: more repetitions of all sizes tell.
/// @throws InputError  a sweep without points.
[[nodiscard]] bool suspects_escalations(const Sweep& sweep, double confidence);

/// A break that the passes of a sweep don't agree on: one line does in most of them.
struct DisputedBreak {
  Bytes after;   ///< the last size below it
  long show{};   ///< passes that have a shift of its sign
  long asked{};  ///< of those that can tell
};

/// What was made of one sweep. Observations of the segmentation are its points' medians, without
/// escalated repetitions; a point where all are escalated is left out. Indices are of
/// `sweep.points` nevertheless.
struct SweepAnalysis {
  Sweep sweep;
  std::vector<int> launches;  ///< whose repetitions it has; none for a CSV
  Segmentation segmentation;  ///< without segments where there is a reason
  /// Left out of the segmentation, but for breaks whose number was given.
  std::vector<DisputedBreak> disputed;
  std::vector<double> fitted_s;  ///< observations, by point; NaN where all repetitions escalated
  Weights weights{};             ///< relative or none: what was used
  Escalations escalations;
  std::string reason;  ///< why there are no lines, or empty
  std::vector<Diagnostic> warnings;

  /// How many sizes a segment's line was fitted to.
  [[nodiscard]] std::size_t sizes_in(const Segment& segment) const;
};

/// A break's size with its interval in bytes; an end that is open has the reason.
/// @pre `found` is one of the sweep's
[[nodiscard]] Threshold threshold_of(const Break& found, const Sweep& sweep);

/// @throws FitError  fewer sizes than one segment needs, or than the asked breaks need.
/// @throws InputError  options out of range, times beyond what can be computed with.
[[nodiscard]] SweepAnalysis analyse(const Sweep& sweep, const ThresholdOptions& options);

/// Where a machine changes its behaviour, and what is odd about that or the data.
struct ThresholdFindings : MachineThresholds {
  std::vector<Diagnostic> warnings;  ///< those of the sweeps, too
};

/// What was learnt from a machine's sweeps.
struct Thresholds : ThresholdFindings {
  std::vector<SweepAnalysis> sweeps;
  std::vector<Launch> launches;  ///< where it was measured; none for a CSV
};

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

/// Sizes at which flat scatter or gather escalates, their intervals included: above `above`, below
/// `regular_from` if there is such a size.
struct EscalatingSizes {
  Bytes above;
  std::optional<Bytes> regular_from;
};
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
