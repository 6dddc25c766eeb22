#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "commgauge/simulate/process/partitioned.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// How messages in partitions are divided by their senders: a recorded receive doesn't say it.
/// Which send is a receive's, MPI says by the order in which they are prepared.
class Divisions {
 public:
  explicit Divisions(const trace::Trace& trace);
  /// @param event  of the rank: a PrepareSend or PrepareReceive
  /// @return nullptr: the sender never prepared it
  [[nodiscard]] const simulate::Division* find(int rank, std::size_t event) const;

 private:
  std::map<std::pair<int, std::size_t>, simulate::Division> all_;
};

}  // namespace commgauge::replay
