#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/costs/costs_of_pairs.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/disturbance.hpp"
#include "commgauge/simulate/machine/jitter.hpp"
#include "commgauge/simulate/machine/network.hpp"
#include "commgauge/simulate/machine/pair_table.hpp"
#include "commgauge/simulate/machine/shared_host_links.hpp"
#include "commgauge/simulate/machine/sharing.hpp"

namespace commgauge::simulate {

/// A processor as fast as that of which the computing was measured.
inline constexpr Estimate same_speed{1, 1, 1};

/// Everything that the emulation needs to know of a model file or topology. It can be handed to
/// another process as bytes.
struct Machine {
  std::string kind;  ///< which model: one of emulated_models(), or topology_kind
  int ranks{};
  double eager_limit{};  ///< [bytes]; larger messages take the rendezvous protocol
  PairTable pairs;
  Network network;  ///< where messages share links; then `pairs` tells what they cost if alone
  SharedHostLinks host_links;  ///< where ranks of a host share something
  /// So many times as long as alone messages of several pairs may take at once (contention_of());
  /// 1: no longer, or not known.
  double at_once{1};
  /// Whether a rendezvous's request, and the answer to it, wait for the data of rendezvous that are
  /// in their sender's port and on their link. Within a host nothing waits so. On shared links
  /// (`network`) they do anyway.
  bool requests_queue{};
  Sharing sharing{};
  Jitter jitter;
  std::vector<std::string> hosts;
  /// o'(P) = o'_a + o'_b·P replaces the overheads of empty messages, if there is growth.
  bool has_growth{};
  OverheadGrowth growth;
  /// Seconds of computing on the machine for one where it was measured; by rank.
  std::vector<Estimate> time_ratios;
  std::vector<Disturbance> disturbances;
  /// What makes the time ratios doubtful, as they were measured; not in its bytes.
  std::vector<Diagnostic> speed_doubts;
  /// For everybody who predicts by it to say; not in its bytes. Why the best-ranked model isn't
  /// taken ("not_emulated"); how much longer pairs take at once (contention_note()); what of its
  /// central parameters can't be a machine's, and was moved within its interval to the nearest that
  /// can ("moved_costs").
  std::vector<Diagnostic> notes;

  [[nodiscard]] const PairCosts& pair(int from, int to) const { return pairs(from, to); }
};

/// Machine::at_once by the model.
[[nodiscard]] double at_once(const Model& model);

/// In the order of preference where the file has no ranking. Those of one message size are
/// taken only if they are named.
[[nodiscard]] const std::vector<std::string>& emulated_models();

/// @param kind  empty: the best-ranked of emulated_models() that the file has, that tell messages
///              of any size, and that can be emulated.
/// Requests queue on it where messages were seen to scatter and there are several hosts, and
/// messages share what they pass as they were seen to (measured_rules.hpp).
/// Where a pair's time is not above zero by the model's central parameters, or falls with the size,
/// the nearest time is taken that can be, if the parameters' intervals hold one, and noted.
/// @throws InputError  no such model in the file; a pair for which they hold none.
[[nodiscard]] Machine machine_of(const Model& model, const std::string& kind);

/// The machine as a job of `ranks` has it: its first ranks, with the overheads of that number.
/// @throws InputError  it has fewer ranks; an overhead is not above zero; a rank is disturbed that
///                     the job doesn't have.
[[nodiscard]] Machine for_job(const Machine& machine, int ranks);

/// The machine with the overheads of a job of so many processes, where it has_growth.
/// @throws InputError  an overhead is not above zero.
[[nodiscard]] Machine with_processes(Machine machine, int processes);

/// The machine with each rank where the list says: rank r costs and computes what the machine's
/// rank places[r] does. It has as many ranks as there are places. Who is disturbed stays: ranks of
/// the job.
/// @throws InputError  the machine has no such rank; one is there twice.
[[nodiscard]] Machine placed(const Machine& machine, const std::vector<int>& places);

[[nodiscard]] bool has_several_hosts(const Machine& machine);
/// Whether the processors' speeds are known no better than between two ends.
[[nodiscard]] bool speeds_are_uncertain(const Machine& machine);
/// The machine with processors that need as long as one end of their intervals says.
[[nodiscard]] Machine at_speed_end(Machine machine, double Estimate::*end);
/// The machine on which each message, and each answer to a request, is late by chance. Measured
/// times hold the mean of that: it is taken off the costs, so that in the mean a message takes as
/// long as before. A pair's mean lateness is at most three quarters of its empty message's time (if
/// it is_whole, what is more comes on top), and a tenth of what its bytes take. Within a host none
/// is late where there are several hosts.
[[nodiscard]] Machine with_jitter(Machine machine, const Jitter& jitter);
/// The machine on which whatever a message takes takes so many times as long.
[[nodiscard]] Machine with_slower_messages(Machine machine, double factor);

/// Pairs that were not measured, and how far apart those are that were.
struct AssumedPairs {
  std::int64_t count{};  ///< that cost the mean of others
  std::int64_t all{};    ///< of so many ordered pairs of ranks
  double least{};        ///< one-way time of an empty message between measured pairs [s]; NaN: none
  double most{};
  [[nodiscard]] bool any() const { return count > 0; }
};
[[nodiscard]] AssumedPairs assumed_pairs(const Machine& machine);
/// One line: how many, what they cost, what to do. @pre there are some
[[nodiscard]] std::string to_text(const AssumedPairs& pairs);

/// The look-ahead of conservative synchronisation [s]: whatever `from` does has no effect on `to`
/// sooner, be it an eager message, the request or the data of a rendezvous, or the answer to a
/// rendezvous of `to`.
[[nodiscard]] double look_ahead(const Machine& machine, int from, int to);
/// The least of any two ranks; infinite where there is one rank only.
[[nodiscard]] double least_look_ahead(const Machine& machine);
/// How long before it comes to the queue for ports a message may ask for a port or a link, at most
/// [s]: where a model has no handshake data start when they are sent, and are matched when their
/// request is there; a receiver's port may be kept from before they started.
[[nodiscard]] double look_back(const Machine& machine);

[[nodiscard]] std::string to_bytes(const Machine& machine);
/// @pre `bytes` come from to_bytes(), and outlive the machine and its copies: the pairs' costs stay
///      there.
[[nodiscard]] Machine machine_from_bytes(std::string_view bytes);
Machine machine_from_bytes(std::string&& bytes) = delete;

}  // namespace commgauge::simulate
