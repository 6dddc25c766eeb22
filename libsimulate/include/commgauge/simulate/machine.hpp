#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/simulate/disturbance.hpp"

namespace commgauge::simulate {

/// Time of a message against its size.
struct Line {
  double fixed{};     ///< [s]
  double per_byte{};  ///< [s/byte]
  [[nodiscard]] double at(double size) const { return fixed + per_byte * size; }
};

/// Two lines; the second counts from a size on.
struct Curve {
  Line below;
  Line above;
  double from{std::numeric_limits<double>::infinity()};  ///< [bytes]
  [[nodiscard]] double at(double size) const { return (size < from ? below : above).at(size); }
  /// The least time of any size, where neither line falls.
  [[nodiscard]] double least() const;
  /// Adds to both lines.
  void shift(double seconds);
};

/// What the messages of one ordered pair cost [s]. Sender and receiver enter their calls at t_s and
/// t_r.
///   eager       the sender goes on at t_s + send_overhead; the message arrives at t_s + arrival;
///               the receiver goes on at max(t_s + one_way, t_r + receive_overhead)
///   rendezvous  the request and the receiver's reply travel first: the data start at
///               start = max(t_s + request, t_r) + reply; the sender goes on at start +
///               rendezvous_sender, the receiver at start + rendezvous_receiver
/// Messages that are under way together wait for one another: those of a pair for its link, those
/// of a rank for its port.
struct PairCosts {
  Curve send_overhead;     ///< of an eager message
  Curve arrival;           ///< from here on wildcard receives, probes and tests find an eager one
  Curve one_way;           ///< of an eager message, received at once
  Curve receive_overhead;  ///< of an eager message
  /// Least time between the starts of two eager messages of a sender, and between those of two
  /// receive overheads.
  Curve gap;
  /// Least time between the arrivals of two messages of the pair, or the starts of two rendezvous.
  Curve link;
  /// How long an eager message keeps the receiver's port, whatever the receiver does meanwhile.
  Curve port;
  Curve rendezvous_sender;
  Curve rendezvous_receiver;
  /// How long a rendezvous message keeps the sender's port, and the receiver's.
  Curve rendezvous_send_port;
  Curve rendezvous_receive_port;
  bool keeps_receiver{};  ///< a rendezvous's data start when the receiver's port is free, too
  bool ends_together{};   ///< of a rendezvous: what delays the receiver delays the sender
  double request{};       ///< of a rendezvous: from the send to the receiver's knowing of it
  double reply{};         ///< and from the receiver's answer to the start of the data
  bool assumed{};         ///< not measured: costs the mean of those that were
};

/// Everything that the emulation needs to know of a model file. Plain data, so that it can be
/// handed to another process as bytes.
struct Machine {
  std::string kind;  ///< which model: one of emulated_models()
  int ranks{};
  double eager_limit{};          ///< [bytes]; larger messages take the rendezvous protocol
  std::vector<PairCosts> pairs;  ///< ranks × ranks, row by row
  std::vector<std::string> hosts;
  /// o'(P) = o'_a + o'_b·P replaces the overheads of empty messages, if there is growth.
  bool has_growth{};
  OverheadGrowth growth;
  /// Seconds of computing on the machine for one on this processor; by rank.
  std::vector<double> time_ratios;
  std::vector<Disturbance> disturbances;
  std::string passed_over;  ///< why a model that is ranked better isn't taken; not in its bytes

  [[nodiscard]] const PairCosts& pair(int from, int to) const;
  [[nodiscard]] PairCosts& pair(int from, int to);
};

/// In the order of preference where the file has no ranking.
[[nodiscard]] const std::vector<std::string>& emulated_models();

/// @param kind  empty: the best-ranked of emulated_models() that the file has and that can be
///              emulated.
/// @throws InputError  no such model in the file; a time that is not above zero, or that falls with
///                     the size, of a pair of ranks.
[[nodiscard]] Machine machine_of(const Model& model, const std::string& kind);

/// Reads `rank,time_ratio`, a line for each rank. @throws InputError  line and reason
[[nodiscard]] std::vector<double> time_ratios_from_csv(const std::string& text,
                                                       const std::string& name, int ranks);

/// The machine as a job of `ranks` has it: its first ranks, with the overheads of that number.
/// @throws InputError  it has fewer ranks; an overhead is not above zero; a rank is disturbed that
///                     the job doesn't have.
[[nodiscard]] Machine for_job(const Machine& machine, int ranks);

/// Pairs that were not measured, and how far apart those are whose mean they cost.
struct AssumedPairs {
  int count{};
  int all{};       ///< of so many ordered pairs of ranks
  double least{};  ///< one-way time of an empty message between measured pairs [s]; NaN: none
  double most{};
};
[[nodiscard]] AssumedPairs assumed_pairs(const Machine& machine);
/// One line: how many, what they cost, what to do. @pre there are some
[[nodiscard]] std::string to_text(const AssumedPairs& pairs);

/// The look-ahead of conservative synchronisation [s]: whatever `from` does has no effect on `to`
/// sooner, be it an eager message, the data of a rendezvous, or the answer to a rendezvous of `to`.
[[nodiscard]] double look_ahead(const Machine& machine, int from, int to);
/// The least of any two ranks; infinite where there is one rank only.
[[nodiscard]] double least_look_ahead(const Machine& machine);

[[nodiscard]] std::string to_bytes(const Machine& machine);
/// @pre `bytes` come from to_bytes().
[[nodiscard]] Machine machine_from_bytes(std::string_view bytes);

}  // namespace commgauge::simulate
