#pragma once

namespace commgauge::bench {

/// Of the messages on libbench's own communicators.
enum Tag : int {
  data_tag = 1,
  control_tag,
  clock_tag,
  probe_tag,
  verdict_tag,
  ready_tag,
  stop_tag,
  nothing_tag  ///< never sent: probed for, so that MPI makes progress
};

}  // namespace commgauge::bench
