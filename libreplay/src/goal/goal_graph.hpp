#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "commgauge/trace/goal/goal.hpp"

/// The operations of all ranks with their dependencies, as a replay walks over them.
namespace commgauge::replay::detail {

/// An operation of the graph: its place in Graph::nodes. A message is named by its send.
using Index = std::uint32_t;
inline constexpr Index no_index = std::numeric_limits<Index>::max();

struct Node {
  trace::GoalOperation operation;
  std::uint32_t rank{};
  std::uint32_t awaits{};  ///< dependencies that aren't fulfilled yet
  /// Not to begin before; of a message that has come: when its receiver has it.
  std::uint64_t time{};
  Index next{no_index};   ///< in a queue of GoalMatching
  std::uint16_t place{};  ///< which pair of a cpu and a nic, of Graph::places
  bool has_ended{};
};

struct Graph {
  explicit Graph(const trace::Goal& goal);

  /// What begins after this has started, and after it has ended; in the file's order.
  [[nodiscard]] std::span<const Index> after_start(Index i) const {
    return dependents(std::size_t{2} * i);
  }
  [[nodiscard]] std::span<const Index> after_end(Index i) const {
    return dependents(std::size_t{2} * i + 1);
  }

  std::vector<Node> nodes;
  std::vector<Index> first;  ///< of each rank; the last one is the end
  std::uint32_t cpus{1};
  std::uint32_t nics{1};
  std::uint32_t places{};  ///< pairs of a cpu and a nic that an operation names
  bool has_wildcards{};

 private:
  void add(const trace::GoalRank& rank, std::uint32_t number);
  [[nodiscard]] std::uint16_t place_of(const trace::GoalOperation& operation);
  void add_dependents(const trace::Goal& goal);
  [[nodiscard]] std::span<const Index> dependents(std::size_t list) const {
    return {dependents_.data() + begins_[list], dependents_.data() + begins_[list + 1]};
  }

  std::vector<std::uint32_t> place_numbers_;  ///< from 1 on; 0: no operation has named it
  std::vector<Index> begins_;
  std::vector<Index> dependents_;
};

}  // namespace commgauge::replay::detail
