#pragma once

#include <cstdint>
#include <vector>

#include "goal/goal_graph.hpp"

namespace commgauge::replay::detail {

/// Of one rank: messages that no receive has taken, receives that have no message, by sender and
/// tag. A hash table, in which a place is empty as soon as its queue is.
class WaitingTable {
 public:
  struct Key {
    std::uint32_t sender{};
    std::uint32_t tag{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// Operations of one kind, first come first served. Empty: no_index.
  struct Queue {
    Key key;
    Index head{no_index};
    Index tail{no_index};
  };

  WaitingTable() : places_(8) {}
  /// The key's place, or where it would be.
  [[nodiscard]] std::size_t find(const Key& key) const;
  [[nodiscard]] Index head(std::size_t place) const { return places_[place].head; }
  Index take(std::size_t place, std::vector<Node>& nodes);
  void append(std::size_t place, const Key& key, Index operation, std::vector<Node>& nodes);
  [[nodiscard]] const std::vector<Queue>& places() const { return places_; }

 private:
  [[nodiscard]] std::size_t home(const Key& key) const;
  [[nodiscard]] std::size_t after(std::size_t place) const {
    return (place + 1) & (places_.size() - 1);
  }
  void erase(std::size_t place);
  void grow();

  std::vector<Queue> places_;  ///< a power of two, at most three quarters of them used
  std::size_t used_{};
};

/// Which receive takes which message: the first that fits in the order of posting, or of arrival,
/// as in LogGOPSim.
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
  using Key = WaitingTable::Key;

  [[nodiscard]] bool waits(Index i, trace::GoalOperation::Kind kind) const {
    return i != no_index && graph_.nodes[i].operation.kind == kind;
  }
  [[nodiscard]] Index take_receive(const Node& send);
  [[nodiscard]] Index take_message(const Node& receive);
  [[nodiscard]] bool fits(const Node& receive, const Node& send) const;

  Graph& graph_;
  std::vector<WaitingTable> tables_;  ///< of each rank
  // Only where a receive may take messages of several:
  std::vector<std::vector<Index>> arrived_;  ///< of each rank, in their order
  std::vector<std::uint32_t> order_;         ///< of receives, that of posting
  std::uint32_t posted_{};
};

}  // namespace commgauge::replay::detail
