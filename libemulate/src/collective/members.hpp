#pragma once

#include <vector>

#include "rank/communicator.hpp"

namespace commgauge::emulate {

/// Ranks of a job that do something together: who, which of them this one is, and what tells their
/// messages from others.
struct Members {
  CommunicatorPtr comm;
  std::vector<int> ranks;  ///< of the job; of an intercommunicator its own group's come first
  int own{};               ///< this one's place among them
  int context{};
  int tag{};  ///< this and the following 1 023

  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
};

/// Collective operations' tags are below this in size.
inline constexpr int tags_of_collectives = 1 << 30;

/// Of the next collective operation of a communicator.
[[nodiscard]] Members members_of(const CommunicatorPtr& comm);
/// Of the next persistent one, whenever it is started.
[[nodiscard]] Members persistent_members_of(const CommunicatorPtr& comm);

}  // namespace commgauge::emulate
