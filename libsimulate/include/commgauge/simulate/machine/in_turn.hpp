#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/schedule/schedule.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

/// A collective operation in which ranks exchange, one step after the other. On the virtual machine
/// they stay in step, which is the least time; where packets of several messages share a link they
/// are desynchronised, and their data are longer under way (docs/decisions/0029).
struct InTurn {
  schedule::Operation operation{};
  int hosts{};    ///< of its ranks
  bool is_row{};  ///< with another rank in each step: Schedule::is_in_turn
};

/// Nothing: the schedule isn't such a one, or nothing comes of it: on one host, and on a topology,
/// where who serves what is stated, not modelled.
/// @param ranks  of the job, those that take part
[[nodiscard]] std::optional<InTurn> in_turn(const Machine& machine, schedule::Operation operation,
                                            const schedule::Schedule& schedule,
                                            std::span<const int> ranks);
/// Whether the round that begins with that step is such an exchange: it has one message each way,
/// or all of the schedule is in turn.
[[nodiscard]] bool is_in_turn(const schedule::Schedule& schedule, std::size_t first);

/// So many times as long data are under way at most, as packets are simulated and as was measured
/// (docs/accuracy.md).
[[nodiscard]] double most_times_as_long(const InTurn& what, bool is_rendezvous);

/// So many times as long as alone a message may take among those of other pairs: Machine::at_once,
/// where there can be two pairs.
[[nodiscard]] double at_once(const Machine& machine);
/// The machine for what two ranks do while the others are silent: no pair takes longer for another.
[[nodiscard]] Machine of_one_pair(Machine machine);

/// Of one message [s]: from when both sides had come to it until it was there, or how long sending
/// it takes.
struct Transit {
  double since{};
  double until{};
  double at_once{1};  ///< of its machine
  /// Of a collective operation's between hosts: what it is, and what an empty message takes.
  std::optional<InTurn> in_turn{};
  bool is_rendezvous{};
  double empty{};
};

/// Of one rank: how long messages are under way to it on the virtual machine [s], and what comes to
/// that where they share links.
struct TakenInTurn {
  /// By operation: data from other hosts that are exchanged in turn, beyond empty messages.
  std::array<double, schedule::operation_count> taken{};
  double at_once{};      ///< of any message, where pairs take longer at once; what overlaps: once
  double most_longer{};  ///< what comes to these at most
  double behind{};       ///< the most of any chain of messages that has come here
  double from{};         ///< the last stretch of `at_once`
  double until{};

  void add(const Transit& transit);
  /// Somebody who is as far behind is waited for.
  void follow(double other);
  /// Of a further thread of the rank.
  TakenInTurn& operator+=(const TakenInTurn& other);

 private:
  double add_at_once(const Transit& transit);
};

/// What a program may take where messages share links.
struct Desynchronisation {
  Seconds least;                                ///< in step, each message as if alone
  Seconds most;                                 ///< as far as is known
  double share{};                               ///< of exchanged data's transits in `least`
  std::vector<schedule::Operation> operations;  ///< that exchange, most time first
  double at_once{};  ///< of all messages' transits in `least`, if that counts
  [[nodiscard]] double longer() const { return most.value - least.value; }  ///< [s]
};
/// Nothing: it isn't so much longer that it matters, less than 2 %.
/// @param time   of the program
/// @param ranks  the one that has most of it counts
[[nodiscard]] std::optional<Desynchronisation> desynchronisation(
    Seconds time, std::span<const TakenInTurn> ranks);
/// For everybody who tells the time to say. Its kind is "out_of_step".
[[nodiscard]] Diagnostic diagnostic_of(const Desynchronisation& found);

}  // namespace commgauge::simulate
