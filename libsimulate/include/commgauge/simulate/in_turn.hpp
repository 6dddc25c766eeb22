#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/schedule/schedule.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::simulate {

/// A collective operation in which ranks exchange with one after the other. On the virtual machine
/// they stay in step, which is the least time; where packets of several messages share a link they
/// fall out of step, and their data are longer under way (docs/decisions/0029).
struct InTurn {
  schedule::Operation operation{};
  int hosts{};  ///< of its ranks
};

/// Nothing: the schedule isn't such a one, or nothing comes of it. That needs three hosts; and on a
/// topology who serves what is stated, not modelled.
/// @param ranks  of the job, those that take part
[[nodiscard]] std::optional<InTurn> in_turn(const Machine& machine, schedule::Operation operation,
                                            const schedule::Schedule& schedule,
                                            std::span<const int> ranks);

/// So many times as long data are under way at most, as packets are simulated (docs/accuracy.md).
[[nodiscard]] double most_times_as_long(int hosts, bool is_rendezvous);

/// Of one rank: how long data of such operations are under way to it from other hosts, in step,
/// beyond what an empty message takes [s].
struct TakenInTurn {
  std::array<double, schedule::operation_count> taken{};  ///< by operation
  double most_longer{};  ///< what comes to that at most out of step

  void add(const InTurn& what, bool is_rendezvous, double taken);
  TakenInTurn& operator+=(const TakenInTurn& other);
};

/// What a program may take out of step.
struct OutOfStep {
  Seconds least;                                ///< in step
  Seconds most;                                 ///< as far as is known
  double share{};                               ///< of the data's ways in `least`
  std::vector<schedule::Operation> operations;  ///< most time first
  [[nodiscard]] double longer() const { return most.value - least.value; }  ///< [s]
};
/// Nothing: it isn't so much longer that it matters, less than 2 %.
/// @param time   of the program
/// @param ranks  the one that has most of it counts
[[nodiscard]] std::optional<OutOfStep> out_of_step(Seconds time,
                                                   std::span<const TakenInTurn> ranks);
/// For everybody who tells the time to say. Its kind is "out_of_step".
[[nodiscard]] Diagnostic diagnostic_of(const OutOfStep& found);

}  // namespace commgauge::simulate
