#pragma once

namespace commgauge::bench {

/// Of the messages on a campaign's communicator.
enum Tag : int {
  data_tag = 1,
  control_tag,
  clock_tag,
  probe_tag,
  verdict_tag,
  ready_tag,
  nothing_tag
};

}  // namespace commgauge::bench
