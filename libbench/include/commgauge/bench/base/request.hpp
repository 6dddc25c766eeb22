#pragma once

#include <map>
#include <string>

#include "commgauge/bench/base/options.hpp"

namespace commgauge::bench {

/// What options say about what is measured and how, by the names of estimate-model's command line:
/// LaunchPlan::request. Time budget, callbacks, result and the sweeps' own options are left out.
[[nodiscard]] std::map<std::string, std::string> request_of(const Options& options);

/// The reverse, for what comes after planning: eager limit, schedule, design, pairs, checks and
/// sweeps are as they are by default.
/// @throws InputError  something is missing, or no such value.
[[nodiscard]] Options options_of(const std::map<std::string, std::string>& request);

}  // namespace commgauge::bench
