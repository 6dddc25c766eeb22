#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge {

/// How long a fixed computation took, again and again.
struct KernelTimes {
  std::string name;             ///< "integer": what kind of computing it stands for
  std::vector<double> times_s;  ///< CPU time of each run, in the order of time
};

/// How fast a processor is, by computations of several kinds.
struct ProcessorSpeed {
  std::string processor;  ///< its name; may be empty
  double lost_share{};    ///< of the real time, for which the core ran something else
  std::vector<KernelTimes> kernels;
};

/// Seconds of computing on one processor for one on another.
struct SpeedRatio {
  double confidence{};
  std::string processor;  ///< that takes `ratio` times as long
  std::string than;       ///< as this one
  std::string kernel;     ///< whose ratio is taken; empty: any of them may be the program's
  Estimate ratio;
  struct Kernel {
    std::string name;
    Estimate ratio;
  };
  std::vector<Kernel> kernels;
  std::vector<std::string> warnings;  ///< of both measurements: what makes them doubtful
};

/// Fewest runs of a kernel that tell a ratio's interval.
inline constexpr std::size_t least_kernel_runs = 10;

/// A kernel's ratio is that of its median times. Runs that follow each other are alike, so the
/// intervals of the two are order statistics of the medians of ten stretches of runs, each at a
/// level at which both hold together with `confidence`; the ratio's goes from the one's low end
/// over the other's high end to the opposite. How a processor differs from day to day isn't in it.
///
/// What kind of computing a program does isn't known: without `kernel` the ratio is the geometric
/// mean of the kernels', and its interval reaches from the lowest end of theirs to the highest.
///
/// @throws InputError  they haven't the same kernels; there is none of that name.
[[nodiscard]] SpeedRatio speed_ratio(const ProcessorSpeed& of, const ProcessorSpeed& than,
                                     double confidence = 0.95, const std::string& kernel = {});

/// What makes the times doubtful: a core that ran something else, times that vary.
[[nodiscard]] std::vector<Diagnostic> speed_warnings(const ProcessorSpeed& speed);

/// Of the schemas commgauge.speed/1 and commgauge.speed-ratio/1 (docs/formats.md).
[[nodiscard]] std::string to_json(const ProcessorSpeed& speed);
[[nodiscard]] std::string to_json(const SpeedRatio& ratio);

/// @throws InputError  file, place and reason
[[nodiscard]] ProcessorSpeed load_processor_speed(const std::filesystem::path& file);
/// @param name  for messages
[[nodiscard]] SpeedRatio speed_ratio_from_json(const std::string& text, const std::string& name);

}  // namespace commgauge
