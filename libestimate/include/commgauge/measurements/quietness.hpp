#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "commgauge/measurements/disturbance.hpp"

namespace commgauge {

struct Launch;
struct Observation;

/// What one rank had of its core while a block was timed.
struct CoreUse {
  double wall_s{};
  double cpu_s{};           ///< of its thread
  std::uint64_t machine{};  ///< the same number for ranks that share its cores
  int first_core{};         ///< on which the block began and
  int last_core{};          ///< ended
};

/// The share of a block's time for which a core of the ranks that took part ran none of them: the
/// largest over the cores. Ranks that wait by spinning, or by yielding to one another, keep their
/// cores busy; what is missing went to other programs, was stolen by a hypervisor, or the rank was
/// stopped. Ranks that began or ended on one core count together, for they may have run in turn.
///
/// @param uses  one of each rank that took part, all over about the same time.
/// @return 0 to 1; 0 where less is missing than two readings of clocks can tell.
[[nodiscard]] double lost_share(std::span<const CoreUse> uses);

/// Whether a block of which that share was lost counts as one that lost its core.
[[nodiscard]] bool is_lost(double lost_share);

enum class Quietness {
  unknown,  ///< not watched
  quiet,
  busy,     ///< notably, but what was lost was measured again
  too_busy  ///< the times can't be trusted: most blocks were lost, or many rows rest on lost ones
};

[[nodiscard]] Quietness quietness(const Disturbance& disturbance);

/// Sums of a launch's rows. The rest is left as it is.
void count_blocks(std::span<const Observation> rows, Disturbance& disturbance);

/// One line for people, `the machine was busy: 31 % of the timed blocks lost their core`; empty
/// where there is nothing to say. Of several launches the worst.
[[nodiscard]] std::string busy_line(std::span<const Launch> launches);

/// The worst of the launches that say so; unknown where none does.
[[nodiscard]] Quietness quietness(std::span<const Launch> launches);

}  // namespace commgauge
