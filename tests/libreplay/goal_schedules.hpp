#pragma once

#include <map>
#include <string>

#include "commgauge/trace/goal/goal.hpp"

/// Schedules for tests and benchmarks of GOAL.
namespace commgauge::goals {

/// In round k rank r sends to r + 2^k and receives from r - 2^k; a receive is there from the start.
[[nodiscard]] trace::Goal dissemination(std::uint32_t ranks, std::uint64_t bytes);
/// From rank 0 to all.
[[nodiscard]] trace::Goal binomial_tree(std::uint32_t ranks, std::uint64_t bytes);
/// A token goes round, and each rank computes before it passes it on.
[[nodiscard]] trace::Goal ring(std::uint32_t ranks, std::uint32_t rounds, std::uint64_t bytes);
/// Everything is started at once.
[[nodiscard]] trace::Goal linear_all_to_all(std::uint32_t ranks, std::uint64_t bytes);
/// Each rank exchanges with both neighbours while it computes on another processor, then waits.
[[nodiscard]] trace::Goal overlap(std::uint32_t ranks, std::uint32_t rounds, std::uint64_t bytes);
/// Rank 0 receives from whoever comes first, and answers at last.
[[nodiscard]] trace::Goal any_source(std::uint32_t ranks, std::uint64_t bytes);
/// Random messages, computing and dependencies, which may be in a deadlock. The same for the same
/// seed.
[[nodiscard]] trace::Goal random_goal(std::uint32_t seed);

/// Those of data/goal, by their files' names without the end.
[[nodiscard]] std::map<std::string, trace::Goal> stored_schedules();

}  // namespace commgauge::goals
