#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

/// GOAL, the text that LogGOPSim simulates: what each rank sends, receives and computes, and which
/// of it waits for what (Hoefler, Siebert, Lumsdaine 2009: Group Operation Assembly Language).
namespace commgauge::trace {

/// As peer or tag of a receive: any (written -1).
inline constexpr std::uint32_t goal_any = std::numeric_limits<std::uint32_t>::max();

struct GoalOperation {
  enum class Kind : std::uint8_t { send, receive, compute };
  Kind kind{};
  std::uint8_t cpu{};
  std::uint8_t nic{};
  std::uint32_t peer{};
  std::uint32_t tag{};
  std::uint64_t size{};  ///< [byte]; of computing: [ns]
  friend bool operator==(const GoalOperation&, const GoalOperation&) = default;
};

/// One operation of a rank begins after another of the same rank.
struct GoalDependency {
  enum class Kind : std::uint8_t {
    requires_end,    ///< it has ended: `requires`
    requires_start,  ///< it has started: `irequires`
  };
  std::uint32_t operation{};
  std::uint32_t on{};
  Kind kind{};
  friend bool operator==(const GoalDependency&, const GoalDependency&) = default;
};

/// The order of both lists counts: what could begin at the same moment begins in that order.
struct GoalRank {
  std::vector<GoalOperation> operations;
  std::vector<GoalDependency> dependencies;
  friend bool operator==(const GoalRank&, const GoalRank&) = default;
};

struct Goal {
  std::vector<GoalRank> ranks;
  [[nodiscard]] std::size_t operations() const;
  friend bool operator==(const Goal&, const Goal&) = default;
};

/// @param name  of the text, for errors.
/// @throws InputError  what is wrong, with the line: words, numbers that are too large, peers that
///                     aren't there, labels that aren't there or twice, ranks that lack.
[[nodiscard]] Goal goal_from(const std::string& text, const std::string& name = "GOAL");
[[nodiscard]] Goal read_goal(const std::filesystem::path& file);

/// The same text for the same Goal; reading it gives the same Goal.
/// @pre each dependency's operations are there.
[[nodiscard]] std::string to_text(const Goal& goal);

}  // namespace commgauge::trace
