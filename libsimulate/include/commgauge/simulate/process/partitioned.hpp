#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "commgauge/simulate/process/collective.hpp"
#include "commgauge/simulate/world/partition_contexts.hpp"

/// Partitioned communication (MPI_Psend_init): each of the sender's partitions is a message of its
/// own, which leaves when it is ready; the receiver puts them together into its own partitions,
/// which may be others.
namespace commgauge::simulate {

/// Of a sender's data.
struct Division {
  int partitions{};
  int context{};          ///< of their messages, whose tags are the partitions' numbers
  std::uint64_t bytes{};  ///< of each
};

/// Starts one of these messages, or the receive of one. What isn't a partition's is sent in
/// `Mode::buffered`: nobody asks whether it is over.
using StartPartition = std::function<std::unique_ptr<Request>(Request::Kind, int partition)>;

/// The sender's side.
class PartitionedSend {
 public:
  /// @param start  of its messages and of the receive of that to itself
  PartitionedSend(int partitions, StartPartition start);
  /// Tells the receiver how the data are divided.
  void prepare();
  /// From its start until all partitions are ready and sent. One at a time.
  [[nodiscard]] Task send();
  /// Whether it is one, and isn't ready. @pre send() has been started
  [[nodiscard]] bool lacks(int partition) const;
  /// @pre lacks(partition)
  void ready(int partition);

 private:
  int partitions_;
  StartPartition start_;
  int ready_{};
  Requests messages_;  ///< by partition; nullptr: not ready
};

/// The receiver's side.
class PartitionedReceive {
 public:
  /// @param start  of receives
  /// @param told  () → what the message about the division says, once that is there
  /// @param bytes  of each of its own partitions
  PartitionedReceive(StartPartition start, std::function<Division()> told, std::uint64_t bytes);
  /// Asks for the division.
  void prepare();
  /// From its start until all has come. One at a time.
  [[nodiscard]] Task receive();
  /// Whether all bytes of a partition of its own are known to have come. Where nothing is sent, no
  /// partition is: then it is over at once. @pre partition ≥ 0
  [[nodiscard]] bool has(int partition) const;

 private:
  StartPartition start_;
  std::function<Division()> told_;
  std::uint64_t bytes_;
  Requests division_;  ///< the one, which comes once
  Division sent_;
  Requests messages_;  ///< by the sender's partition
};

}  // namespace commgauge::simulate
