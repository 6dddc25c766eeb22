#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/parameters/fabric.hpp"

namespace commgauge {

/// A host that is, or is like, one of those that were measured.
struct HostLike {
  std::string name;
  std::string like;  ///< the measured one's name
  int copy{};        ///< how many that are like it come before
};

/// The fabric of other hosts. Those of one copy are in groups as the measured ones are; links carry
/// what the measured ones do, the one backbone among them. Groups of no hosts go, and groups of
/// all: nothing passes their uplinks. Nothing: no link is left that limits anything.
/// @param count  of all hosts, those among them that nobody knows a group of
[[nodiscard]] std::optional<Fabric> fabric_of_hosts(const Fabric& measured,
                                                    const std::vector<HostLike>& hosts, int count);

/// What is assumed of a larger machine's.
[[nodiscard]] Diagnostic larger_fabric(const Fabric& measured, const Fabric& larger);

}  // namespace commgauge
