#pragma once

#include <string>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/measurements/experiment.hpp"

namespace commgauge::bench {

/// @throws InputError  with that message, unless the condition holds.
void require(bool condition, const std::string& message);

/// @throws InputError  what is wrong with an option, and what to do.
void validate(const Options& options);

/// Whether scatter and gather are swept before a calibration.
[[nodiscard]] bool wants_sweeps(const Options& options, int ranks);

/// @throws InputError  too few ranks to communicate; a sweep's root that is none of them.
/// @throws FitError    a model that takes more ranks.
void require_ranks(const Options& options, int ranks);

/// @throws InputError  what keeps an experiment given from outside from being carried out.
void require_sound(const Experiment& experiment, int ranks);

/// Largest message of a measurement with these options, sweeps apart.
[[nodiscard]] Bytes largest_size(const Options& options);

}  // namespace commgauge::bench
