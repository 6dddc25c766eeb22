#pragma once

#include <string>

namespace commgauge::preload {

/// Which ranks of a job have the library.
struct RollCall {
  std::string problem;     ///< one line; empty: none
  bool is_complete{true};  ///< else ranks are missing: a collective call would wait for ever
};

/// Before the first collective call: whether the library is loaded on all ranks of the job, with
/// the same options. Half of an MPMD command line is easily started without it. Collective over the
/// ranks that have it. Waits for as long as further ranks come, and some seconds more.
/// @param options  of this rank's launcher: "option=value" in lines
/// @return options that differ are a problem at rank 0 alone
[[nodiscard]] RollCall call_roll(const std::string& options);

}  // namespace commgauge::preload
