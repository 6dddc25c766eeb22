#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commgauge/plan/rounds.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

[[nodiscard]] bool takes_part(const Group& group, int rank);

/// The ranks of one experiment.
[[nodiscard]] Group group_of(const Experiment& experiment);
/// Two ranks, in any order, and experiments between them.
[[nodiscard]] Group group_of(const Pair& pair, std::vector<Experiment> experiments);

/// Into the order of a pass, which is drawn from that of the pass before; of the first, from the
/// plan's. What is measured first, on pages that are new to the machine, takes longer.
/// @param is_thin  as of a PassPlan: the first pass has the plan's order
void put_in_order_of_pass(std::vector<Round>& rounds, std::uint64_t seed, int pass,
                          bool is_thin = false);

[[nodiscard]] long count_experiments(const std::vector<Round>& rounds);

/// What this rank's widest experiment has under way as its root [bytes].
[[nodiscard]] std::size_t bytes_at_once(const std::vector<Round>& rounds, int rank);

/// Those of rank 0, on every rank. Collective.
/// @throws InputError  on every rank: too many for one message.
[[nodiscard]] std::vector<Round> share_rounds(const Communicator& comm,
                                              const std::vector<Round>& rounds);

}  // namespace commgauge::bench
