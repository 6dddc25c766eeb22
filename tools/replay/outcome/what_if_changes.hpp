#pragma once

#include <string>
#include <vector>

#include "commgauge/replay/prediction/what_if.hpp"
#include "replay/outcome/replay_options.hpp"

namespace commgauge::tools {

/// A run that is otherwise: what the options of `replay run` say, and what the library changes.
struct ChangedRun {
  ReplayOptions options;
  replay::Change change;
};

/// Texts such as `latency=0.5`, `computing:0,3=2`, `eager-limit=64KiB`, `collectives=bcast=ring`,
/// `placement=1,0`, `hosts=8x4`, all at once.
/// @throws InputError  an unknown word, with those that are known; a value that isn't one; the same
///                     twice
[[nodiscard]] ChangedRun changed_run(const ReplayOptions& options,
                                     const std::vector<std::string>& texts);

/// `latency=0.25..16`
struct Range {
  replay::Quantity quantity{};
  double first{};
  double last{};
};
/// @throws InputError  as changed_run()
[[nodiscard]] Range parse_range(const std::string& text);

}  // namespace commgauge::tools
