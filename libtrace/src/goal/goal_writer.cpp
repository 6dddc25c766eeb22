#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "commgauge/trace/goal/goal.hpp"

namespace commgauge::trace {
namespace {

using Kind = GoalOperation::Kind;

void append(std::string& text, std::string_view word, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto last = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text += word;
  text.append(digits.data(), last);
}

void append_or_any(std::string& text, std::string_view word, std::uint32_t number) {
  if (number != goal_any) return append(text, word, number);
  text += word;
  text += "-1";
}

void append(std::string& text, const GoalOperation& operation, std::uint32_t index) {
  append(text, "l", index + 1);
  if (operation.kind == Kind::compute) {
    append(text, ": calc ", operation.size);
    if (operation.cpu > 0) append(text, " cpu ", operation.cpu);
    text += '\n';
    return;
  }
  const bool is_send = operation.kind == Kind::send;
  append(text, is_send ? ": send " : ": recv ", operation.size);
  append_or_any(text, is_send ? "b to " : "b from ", operation.peer);
  append_or_any(text, " tag ", operation.tag);
  if (operation.cpu > 0 || operation.nic > 0) {
    append(text, " cpu ", operation.cpu);
    append(text, " nic ", operation.nic);
  }
  text += '\n';
}

void append(std::string& text, const GoalDependency& dependency) {
  const bool is_end = dependency.kind == GoalDependency::Kind::requires_end;
  append(text, "l", dependency.operation + 1);
  append(text, is_end ? " requires l" : " irequires l", dependency.on + 1);
  text += '\n';
}

/// Each dependency stands as early as its operations and the list's order allow.
void append(std::string& text, const GoalRank& rank) {
  std::uint32_t next = 0;
  const auto append_up_to = [&](std::size_t end) {
    for (; next < end; ++next) append(text, rank.operations[next], next);
  };
  for (const GoalDependency& dependency : rank.dependencies) {
    append_up_to(std::size_t{std::max(dependency.operation, dependency.on)} + 1);
    append(text, dependency);
  }
  append_up_to(rank.operations.size());
}

}  // namespace

std::string to_text(const Goal& goal) {
  std::string text;
  append(text, "num_ranks ", goal.ranks.size());
  text += '\n';
  for (std::size_t rank = 0; rank < goal.ranks.size(); ++rank) {
    append(text, "\nrank ", rank);
    text += " {\n";
    append(text, goal.ranks[rank]);
    text += "}\n";
  }
  return text;
}

}  // namespace commgauge::trace
