#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commgauge/replay/longest_paths.hpp"
#include "commgauge/simulate/causes.hpp"

namespace commgauge::replay {

/// Whether it is nothing but waiting: without it the rank goes on with what it does itself.
[[nodiscard]] inline bool is_wait(const simulate::Cause& cause) {
  using enum simulate::Why;
  return cause.why == waiting || cause.why == waiting_to_send || cause.why == meeting;
}

/// Whether the run is shorter then, by more than rounding.
[[nodiscard]] inline bool helps(double then, double time) { return then < time * (1 - 1e-12); }

/// The message that is waited for, by whoever waits. @pre is_wait(wait)
[[nodiscard]] std::uint32_t message_of(const simulate::Causes& causes, const simulate::Cause& wait);

/// Who waits for whom. Places are those of Causes.
struct Wait {
  simulate::Moment to{};  ///< when it ends
  simulate::Why why{};    ///< waiting_to_send, too, where it asks whether its message has gone
  int rank{};
  std::uint32_t place{};
  int partner{};
  std::uint32_t partner_place{};  ///< where it was when it sent the message, or came
  std::uint32_t message{simulate::no_message};
  double waited{};  ///< [s]
  double late{};    ///< of that, until the partner had sent it, or came [s]
};

/// @pre is_wait(step.cause)
[[nodiscard]] Wait wait_of(const simulate::Causes& causes, const LongestPaths::Step& step);

/// The run's time without those of the waits for which `is_gone` holds [s]. One walk.
using IsGone = std::function<bool(simulate::Moment to, const simulate::Cause& wait)>;
[[nodiscard]] double time_without(const LongestPaths& paths, const IsGone& is_gone);

}  // namespace commgauge::replay
