#pragma once

#include <string>

namespace commgauge::simulate {

struct Machine;

/// How many seconds each rank's processor needs for what takes one where it was measured: sets the
/// machine's time ratios, and what makes them doubtful.
///
/// @param said  a number, for all ranks; or a file: what to_json(SpeedRatio) made, for all ranks;
///              or CSV with a line for each rank, `rank,time_ratio`, or `rank,time_ratio,low,high`.
///              Where no interval is said its ends are the ratio itself.
/// @throws InputError  no number above zero, and no such file; line, or place, and reason
void set_time_ratios(Machine& machine, const std::string& said);

}  // namespace commgauge::simulate
