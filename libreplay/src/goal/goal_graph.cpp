#include "goal/goal_graph.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "commgauge/base/error.hpp"

namespace commgauge::replay::detail {
namespace {

using trace::GoalDependency;
using trace::GoalOperation;

/// Twice as many fit into an Index: operations and messages.
constexpr std::size_t most_nodes = no_index / 2;
/// cpus times nics
constexpr std::size_t most_places = 65536;

template <typename Size>
std::size_t sum_over(const trace::Goal& goal, Size size) {
  return std::accumulate(goal.ranks.begin(), goal.ranks.end(), std::size_t{0},
                         [&](std::size_t sum, const auto& rank) { return sum + size(rank); });
}

void check_size(std::size_t count, const char* what) {
  if (count > most_nodes)
    throw InputError("the GOAL schedule is too large (" + std::to_string(count) + " " + what +
                     ", at most " + std::to_string(most_nodes) + "): give a part of it");
}

std::size_t list_of(const GoalDependency& dependency, Index first) {
  const bool is_end = dependency.kind == GoalDependency::Kind::requires_end;
  return 2 * std::size_t{first + dependency.on} + (is_end ? 1 : 0);
}

}  // namespace

Graph::Graph(const trace::Goal& goal) : place_numbers_(most_places) {
  const std::size_t count = sum_over(goal, [](const auto& rank) { return rank.operations.size(); });
  check_size(count, "operations");
  nodes.reserve(count);
  first.reserve(goal.ranks.size() + 1);
  for (std::uint32_t rank = 0; rank < goal.ranks.size(); ++rank) add(goal.ranks[rank], rank);
  first.push_back(static_cast<Index>(nodes.size()));
  add_dependents(goal);
}

void Graph::add(const trace::GoalRank& rank, std::uint32_t number) {
  first.push_back(static_cast<Index>(nodes.size()));
  for (const GoalOperation& operation : rank.operations) {
    nodes.push_back({operation, number});
    nodes.back().place = place_of(operation);
    cpus = std::max(cpus, operation.cpu + 1U);
    nics = std::max(nics, operation.nic + 1U);
    has_wildcards =
        has_wildcards || (operation.kind == GoalOperation::Kind::receive &&
                          (operation.peer == trace::goal_any || operation.tag == trace::goal_any));
  }
}

std::uint16_t Graph::place_of(const GoalOperation& operation) {
  std::uint32_t& number = place_numbers_[operation.cpu * 256U + operation.nic];
  if (number == 0) number = ++places;
  return static_cast<std::uint16_t>(number - 1);
}

/// Counts, then places: a list's order is that of the file.
void Graph::add_dependents(const trace::Goal& goal) {
  const std::size_t count =
      sum_over(goal, [](const auto& rank) { return rank.dependencies.size(); });
  check_size(count, "dependencies");
  begins_.assign(2 * nodes.size() + 2, 0);
  dependents_.resize(count);
  for (std::size_t rank = 0; rank < goal.ranks.size(); ++rank)
    for (const GoalDependency& dependency : goal.ranks[rank].dependencies)
      ++begins_[list_of(dependency, first[rank]) + 2];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  for (std::size_t rank = 0; rank < goal.ranks.size(); ++rank)
    for (const GoalDependency& dependency : goal.ranks[rank].dependencies) {
      const Index operation = first[rank] + dependency.operation;
      dependents_[begins_[list_of(dependency, first[rank]) + 1]++] = operation;
      ++nodes[operation].awaits;
    }
}

}  // namespace commgauge::replay::detail
