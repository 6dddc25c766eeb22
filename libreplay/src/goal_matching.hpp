#pragma once

#include <cstdint>
#include <vector>

#include "goal_graph.hpp"

namespace commgauge::replay::detail {

/// Messages that no receive has taken, receives that have no message. The first that fits in the
/// order of posting, or of arrival, is taken, as in LogGOPSim, but found by a hash table.
class GoalMatching {
 public:
  explicit GoalMatching(Graph& graph);

  /// The receive that takes the message; no_index: the message waits.
  [[nodiscard]] Index arrive(Index message);
  /// The message that the receive takes; no_index: the receive waits.
  [[nodiscard]] Index post(Index receive);

  /// A message that waits; no_index: none does.
  [[nodiscard]] Index a_waiting_message() const;

 private:
  struct Key {
    std::uint64_t ranks{};  ///< receiver, sender
    std::uint32_t tag{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// Operations that wait, of one kind, first come first served. Empty: no_index.
  struct Queue {
    Key key;
    Index head{no_index};
    Index tail{no_index};
  };
  static Key key_of(std::uint32_t receiver, std::uint32_t sender, std::uint32_t tag) {
    return {std::uint64_t{receiver} << 32U | sender, tag};
  }
  [[nodiscard]] static Key key_of_message(const Node& send) {
    return key_of(send.operation.peer, send.rank, send.operation.tag);
  }

  [[nodiscard]] std::size_t home(const Key& key) const;
  [[nodiscard]] std::size_t find(const Key& key) const;
  Index take(std::size_t place);
  void append(std::size_t place, const Key& key, Index operation);
  void erase(std::size_t place);
  void grow();

  [[nodiscard]] Index take_receive(const Node& send);
  [[nodiscard]] Index take_message(const Node& receive);
  [[nodiscard]] bool fits(const Node& receive, const Node& send) const;

  Graph& graph_;
  std::vector<Queue> table_;  ///< linear probing
  std::size_t used_{};
  /// Only where a receive may take messages of several: of each rank, in the order of arrival.
  std::vector<std::vector<Index>> arrived_;
  std::vector<std::uint32_t> order_;  ///< of receives, that of posting
  std::uint32_t posted_{};
};

}  // namespace commgauge::replay::detail
