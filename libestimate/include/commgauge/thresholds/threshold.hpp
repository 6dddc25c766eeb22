#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge {

/// A message size beyond which the machine behaves differently, or nothing and the reason.
struct Threshold {
  std::optional<Bytes> size;  ///< the largest size measured that behaves as below
  std::optional<Bytes> low;   ///< still below it, and
  std::optional<Bytes> high;  ///< already beyond it, with the asked confidence
  std::string reason;         ///< why there is no value, or no interval; else empty
};

/// The sweep off which thresholds were read.
struct SweepSource {
  std::string algorithm;      ///< flat | library
  std::string timing;         ///< global | root | longest; empty where nothing says so
  std::optional<int> root;    ///< nothing for a CSV
  std::vector<int> launches;  ///< whose repetitions were joined; none for a CSV
};

/// Where a machine changes its behaviour.
struct MachineThresholds {
  double confidence{0.95};
  Threshold eager_limit;    ///< of point-to-point messages; a probe is exact to the byte
  Threshold scatter_break;  ///< S: where scatter's time jumps or steepens most
  Threshold gather_m1;      ///< up to here gather is regular
  Threshold gather_m2;      ///< the last size that escalates: above it gather is regular again
  std::optional<SweepSource> scatter_sweep;  ///< that gave the scatter break, or its reason
  std::optional<SweepSource> gather_sweep;   ///< that gave M1 and M2, or their reasons
};

/// What a flat gather costs per byte beyond what the point-to-point parameters explain [s/byte]
/// (Lastovetsky, Rychkov, O'Flynn 2008). A NaN value has its reason.
struct Kappa {
  Estimate value;
  std::string reason;
};
struct Kappas {
  int root{};
  Kappa kappa1;  ///< up to M1, or in the gather's first segment where nothing escalates
  Kappa kappa2;  ///< above M2
};

}  // namespace commgauge
