#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace commgauge::simulate {

/// What others take from a rank's processor. Times are virtual [s].
struct Disturbance {
  static constexpr int every_rank = -1;

  int rank{every_rank};
  double from{};
  double until{std::numeric_limits<double>::infinity()};
  double speed{};   ///< share of its processor that the rank keeps meanwhile, below 1
  double period{};  ///< 0: all the time; else `length` of every period, from its beginning on
  double length{};

  [[nodiscard]] bool concerns(int r) const { return rank == every_rank || rank == r; }
};

/// Reads `rank=1,from=0.5,until=0.7,speed=0.5`: `rank` (a number or *) is required; durations may
/// have units (`period=100ms,length=10ms`); what is left out is as in Disturbance.
/// @throws InputError  unknown, doubled or missing words, values out of range, a processor that
///                     never comes back.
[[nodiscard]] Disturbance parse_disturbance(std::string_view text);

/// A rank's processor: how much later work ends than it would on a processor of its own. Several
/// disturbances at once multiply.
class Processor {
 public:
  Processor() = default;
  /// @throws InputError  together they leave the rank no processor for ever
  Processor(const std::vector<Disturbance>& disturbances, int rank);

  [[nodiscard]] bool is_disturbed() const { return !disturbances_.empty(); }
  /// Time that is lost to others while work is done that begins at `start` [s]: exactly 0 where
  /// nothing disturbs. Work of 0 s waits for the processor, too.
  [[nodiscard]] double loss(double start, double work) const;
  /// CPU time that a rank gets which wants all of it from `start` to `end` [s].
  [[nodiscard]] double got(double start, double end) const;
  /// How often it loses some of its processor after `start`, up to `end`.
  [[nodiscard]] long losses(double start, double end) const;

 private:
  struct Stretch {
    double speed{1};
    double end{std::numeric_limits<double>::infinity()};
  };
  [[nodiscard]] Stretch stretch(double time) const;

  std::vector<Disturbance> disturbances_;
};

}  // namespace commgauge::simulate
