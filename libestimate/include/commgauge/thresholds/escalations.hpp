#pragma once

#include <cstddef>
#include <string>

#include "commgauge/measurements/sweep.hpp"

namespace commgauge {

/// Where a sweep's repetitions scatter as they do nowhere else: sizes at which some take longer by
/// more than the noise of the quiet sizes explains, by 1 ms, and at least twice as long. A rate of
/// escalation inside, another one outside; the range by maximum likelihood, its ends with profile
/// intervals (Hansen 2000), its existence by BIC: among all repetitions, and again among excesses
/// that count at all sizes alike, absolute and relative, for a rare spike at all sizes is none. And
/// sizes that escalate lie together, more than by chance (permutation test): passing disturbances
/// hit any size.
struct Escalations {
  bool found{};
  std::size_t first{};  ///< point: the first size with escalations, or suspected of them
  std::size_t last{};   ///< the last one
  bool ends{};          ///< some size above `last` could have shown them
  std::size_t first_low{}, first_high{};  ///< interval of `first`
  std::size_t last_low{}, last_high{};    ///< interval of `last`
  double rate_inside{};                   ///< share of the repetitions
  double rate_outside{};
  double limit_s{};      ///< a repetition this much above the undisturbed time is one, and
  double limit_ratio{};  ///< this much in proportion to it
  std::string reason;    ///< why there are none, or empty
};

/// @throws InputError  a sweep without points.
[[nodiscard]] Escalations find_escalations(const Sweep& sweep, double confidence);

/// Whether escalations are suspected without being certain: more repetitions of all sizes tell.
/// @throws InputError  a sweep without points.
[[nodiscard]] bool suspects_escalations(const Sweep& sweep, double confidence);

}  // namespace commgauge
