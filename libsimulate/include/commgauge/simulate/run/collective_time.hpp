#pragma once

#include <optional>

#include "commgauge/schedule/schedule.hpp"
#include "commgauge/simulate/machine/in_turn.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

/// A collective, and how it is carried out.
struct ScheduledCollective {
  schedule::Collective what;
  schedule::Algorithm algorithm{schedule::Algorithm::flat};
};

/// How long a collective operation of all of the machine's ranks takes when all begin together: of
/// a gather, gatherv or reduce until its root goes on, of others until the last rank does. What
/// ranks do by themselves takes no time.
/// @pre is_possible(); as many ranks as the machine has
[[nodiscard]] Seconds time_of(const Machine& machine, const schedule::Collective& what,
                              schedule::Algorithm algorithm);

/// Whether it takes longer where its ranks are desynchronised.
/// @pre time_of()'s
[[nodiscard]] std::optional<Desynchronisation> desynchronisation(const Machine& machine,
                                                                 const ScheduledCollective& one);

}  // namespace commgauge::simulate
