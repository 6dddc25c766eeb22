#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/statistics.hpp"

namespace commgauge {

/// Hosts behind one uplink.
struct HostGroup {
  std::vector<std::string> hosts;  ///< as Model::hosts() names them
  std::optional<int> parent;       ///< the group that holds all of these hosts and more; none: top
};

/// What messages that pass a link between hosts take of it: k messages of M bytes that are under
/// way together take at least k·M·λ. NaN: it limited nothing that was seen.
struct FabricLinks {
  std::vector<double> out;  ///< by group: messages to hosts outside of it [s/byte]
  std::vector<double> in;   ///< likewise from them [s/byte]
  double backbone{};        ///< of all messages between its sides, both ways together [s/byte]
};

/// What is between the hosts: groups that share uplinks, nested or disjoint, and what these carry.
struct Fabric {
  std::vector<HostGroup> groups;
  /// Hosts between which messages pass the backbone; those of one side don't. Empty: it has none.
  std::vector<std::vector<std::string>> backbone_sides;
  FabricLinks value;
  FabricLinks low;                      ///< NaN where `value` is only bounded
  FabricLinks high;                     ///< the bound where `value` is NaN
  std::vector<FabricLinks> replicates;  ///< each from one repetition of all rounds
  /// All pairs of random matchings at once, each one way: the sum of their rates, in the mean
  /// (effective bisection bandwidth) [bytes/s].
  Estimate full_load;
  double alone{};  ///< the sum of the same pairs' rates, each measured alone [bytes/s]
  /// Of the rounds at full load nine in ten pairs differ by less from what the links foretell.
  double misfit{};
  int rounds{};                    ///< that were measured
  double message_bytes{};          ///< size of each message
  std::vector<std::string> notes;  ///< what could not be seen, and up to which load
};

}  // namespace commgauge
