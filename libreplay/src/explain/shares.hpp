#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "commgauge/simulate/world/causes.hpp"
#include "explain/places.hpp"

namespace commgauge::replay {

/// Whether it is what the program itself computes between its calls, or sleeps.
[[nodiscard]] bool is_own_computing(const simulate::Causes& causes, const Places& places,
                                    simulate::Moment to, const simulate::Cause& cause);

/// An event before which the program itself may have computed something.
struct EndOfComputing {
  std::uint32_t event{};
  bool has_moment{};    ///< even where nothing is computed
  bool communicates{};  ///< the event is the beginning of a call that does, or of a thread
};
/// By rank, in their order.
using EndsOfComputing = std::vector<std::vector<EndOfComputing>>;
[[nodiscard]] EndsOfComputing ends_of_computing(const Places& places);

/// What each rank would compute, and where, if the computing of instances of regions were divided
/// evenly among the ranks that enter them.
///
/// What a rank computes in an instance is cut into stretches by its calls in which it communicates.
/// Stretches of several ranks are alike if they lie in the k-th instance that each of them enters,
/// and before its same call there (of the same name and site, as often called before), or before
/// its end. A rank with more than the mean of its instance has less to do where it computes more
/// than others do in stretches that are alike, one with less has more to do where it computes less;
/// no more than it takes. What is left, as nothing may be alike, makes all of its stretches longer
/// or shorter in the same ratio. So what was even stays so.
class Shares {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// @param divided_in  by instance: the instance around it, or itself, that its computing belongs
  ///   to; none: its computing stays as it is
  Shares(const simulate::Causes& causes, const Places& places, const EndsOfComputing& ends,
         const std::vector<std::uint32_t>& divided_in);

  /// Of the cause, then [s].
  [[nodiscard]] double delay(const simulate::Causes& causes, simulate::Moment to,
                             const simulate::Cause& cause) const;

 private:
  struct Stretch {
    std::uint32_t instance{};
    std::uint32_t alike{};  ///< number of those that are
    std::uint32_t calls{};  ///< that its rank had made before it
    std::uint32_t end{};    ///< the event before which it is computed
    double computing{};     ///< [s]
    double then{};          ///< what it would be [s]
  };
  class Finder;
  [[nodiscard]] std::uint32_t at(const simulate::Causes& causes, simulate::Moment to) const;
  void divide(const Places& places);

  std::vector<std::vector<std::uint32_t>> at_;  ///< by rank and event: which stretch, or none
  std::vector<Stretch> stretches_;
  std::size_t kinds_{};  ///< of stretches that are alike
};

}  // namespace commgauge::replay
