#pragma once

#include "commgauge/model/model.hpp"

namespace commgauge {

/// By what each part of messages' times is multiplied; docs/models.md has which parameter is which.
struct Factors {
  double latency{1};
  double per_byte{1};  ///< of 1/bandwidth
  double overheads{1};
  double gaps{1};
  double uplinks{1};  ///< of what a byte takes of links between hosts, beside per_byte
  friend bool operator==(const Factors&, const Factors&) = default;
};

/// The machine with other parameters: those of all models, and how overheads grow, the ends of
/// their intervals and every replicate are multiplied alike. The eager limit, LogGPS's s,
/// thresholds, and what was measured and judged stay as they are.
///
/// Of PLogP's gaps, which hold all that a message takes, o_r(k) is overhead as far as it is known,
/// what g(0) is beyond o_r(0) the gap, and the rest what bytes add.
///
/// Of curves T(0) is the latency, and the rest of T(k) what bytes add.
///
/// @throws InputError  a factor is below zero, or not finite.
[[nodiscard]] Model scaled(Model model, const Factors& factors);

}  // namespace commgauge
