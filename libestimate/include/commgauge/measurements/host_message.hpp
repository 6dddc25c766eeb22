#pragma once

namespace commgauge {

/// A message between hosts, which count from 0.
struct HostMessage {
  int from{};
  int to{};
  friend bool operator==(const HostMessage&, const HostMessage&) = default;
};

}  // namespace commgauge
