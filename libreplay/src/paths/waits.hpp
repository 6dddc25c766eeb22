#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/simulate/world/causes.hpp"

namespace commgauge::replay {

/// Whether it is nothing but waiting: without it the rank goes on with what it does itself.
[[nodiscard]] inline bool is_wait(const simulate::Cause& cause) {
  using enum simulate::Why;
  // Of a core of its own the thread has none meanwhile.
  const bool is_for_thread = cause.why == thread && cause.delay == 0;
  return cause.why == waiting || cause.why == waiting_to_send || cause.why == meeting ||
         is_for_thread;
}

/// Whether the run is shorter then, by more than rounding.
[[nodiscard]] inline bool helps(double then, double time) { return then < time * (1 - 1e-12); }

/// The message that is waited for, by whoever waits. @pre is_wait(wait)
[[nodiscard]] std::uint32_t message_of(const simulate::Causes& causes, const simulate::Cause& wait);

/// Calls each(moment, cause, which of the moment's causes) for all that are waits.
template <class Each>
void for_each_wait(const simulate::Causes& causes, const Each& each) {
  for (simulate::Moment to = 1; to < causes.size(); ++to) {
    const auto all = causes.of(to);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_wait(all[i])) each(to, all[i], i);
    }
  }
}

/// What a rank waits for: a message, maybe more than once, as by a probe and by a receive, or a
/// test and another; it is there without any of these waits. Or a meeting, or another thread.
struct Awaited {
  int rank{};
  std::uint32_t message{simulate::no_message};
  simulate::Moment met{};  ///< where there is no message: when the wait ends
  auto operator<=>(const Awaited&) const = default;
  [[nodiscard]] bool has_message() const { return message != simulate::no_message; }
};

/// @pre is_wait(wait)
[[nodiscard]] Awaited awaited(const simulate::Causes& causes, simulate::Moment to,
                              const simulate::Cause& wait);

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
  double asleep{};  ///< of that, while the partner slept; wait_of() doesn't tell it [s]
};

/// @pre is_wait(step.cause)
[[nodiscard]] Wait wait_of(const simulate::Causes& causes, const LongestPaths::Step& step);

/// When ranks sleep.
class Sleeps {
 public:
  explicit Sleeps(const simulate::Causes& causes);
  /// How long the rank sleeps between two times, of all of its threads together [s].
  [[nodiscard]] double between(int rank, double from, double to) const;

 private:
  struct Stretch {
    double from{};
    double to{};
  };
  std::vector<std::vector<Stretch>> ranks_;  ///< in the order of their ends
};

using IsGone = std::function<bool(simulate::Moment to, const simulate::Cause& wait)>;
/// The delays without those of the waits for which `is_gone` holds.
[[nodiscard]] LongestPaths::Delay without(IsGone is_gone);
/// Others without those of all waits.
[[nodiscard]] LongestPaths::Delay without_waits(LongestPaths::Delay delay);
/// Likewise without some of what is waited for. Both must outlive what is returned.
[[nodiscard]] LongestPaths::Delay without(const simulate::Causes& causes,
                                          const std::set<Awaited>& gone);
/// The run's time then [s]. One walk.
[[nodiscard]] double time_without(const LongestPaths& paths, const IsGone& is_gone);

}  // namespace commgauge::replay
