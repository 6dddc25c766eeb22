#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/model/scaled.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::replay {

/// What time passes for.
enum class CostKind : std::uint8_t {
  computing,  ///< with what others take of the processor meanwhile
  sleeping,
  overheads,
  latency,
  bytes,
  gaps,
  asking,  ///< a rank that asks again and again finds things out later
  other    ///< of messages: others have a processor, or it isn't known what its costs consist of
};
inline constexpr std::size_t cost_kind_count = 8;
using CostsByKind = std::array<double, cost_kind_count>;  ///< [s], by CostKind
[[nodiscard]] std::string to_text(CostKind kind);

/// Divides delays into costs. Those of messages are the derivatives of the delay by the factors of
/// scaled(): costs of a critical path are the derivatives of the run's time by them, at 1.
class CostDivision {
 public:
  /// @param machine_with  the machine, but for factors by which its costs are multiplied. Empty:
  /// all
  ///   costs of messages are `other`.
  using MachineWith = std::function<simulate::Machine(const Factors&)>;
  /// Both have to outlive this. @throws what machine_with throws
  CostDivision(const simulate::Causes& causes, const simulate::Machine& machine,
               const MachineWith& machine_with);

  /// Their sum is the delay. O(1)
  [[nodiscard]] CostsByKind of(const simulate::Cause& cause) const;

 private:
  const simulate::Causes& causes_;
  const simulate::Machine& machine_;
  std::vector<simulate::Machine> slower_;  ///< by kind, from overheads to gaps
};

/// What causes delay on another machine than theirs: messages cost what they do there, computing
/// takes longer in proportion to the time ratios. Which message comes first stays as it was.
/// @param own    the machine of the causes. All three must outlive what is returned.
/// @param other  has its ranks
[[nodiscard]] LongestPaths::Delay delays_on(const simulate::Causes& causes,
                                            const simulate::Machine& own,
                                            const simulate::Machine& other);

}  // namespace commgauge::replay
