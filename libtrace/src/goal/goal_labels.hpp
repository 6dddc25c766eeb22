#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace commgauge::trace::detail {

/// Labels of a rank's operations. Those like l17, which are nearly all, need no hashing.
class GoalLabels {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::uint32_t find(std::string_view label) const {
    if (const std::uint32_t number = number_of(label); number < numbered_.size())
      if (numbered_[number] != none) return numbered_[number];
    if (others_.empty()) return none;
    const auto found = others_.find(label);
    return found == others_.end() ? none : found->second;
  }

  /// Whether it wasn't there.
  [[nodiscard]] bool add(std::string_view label, std::uint32_t operation) {
    if (find(label) != none) return false;
    const std::uint32_t number = number_of(label);
    if (number > 2 * operation + slack) return others_.emplace(label, operation).second;
    if (number >= numbered_.size()) numbered_.resize(number + 1, none);
    numbered_[number] = operation;
    return true;
  }

  void clear() {
    numbered_.clear();
    others_.clear();
  }

 private:
  /// How far numbers may be ahead of operations, for a file's l4000000000 must not take the memory.
  static constexpr std::uint32_t slack = 64;

  /// 17 of l17; `none` of anything else.
  static std::uint32_t number_of(std::string_view label) {
    constexpr std::size_t most_digits = 9;
    if (label.size() < 2 || label.size() > 1 + most_digits || label[0] != 'l') return none;
    if (label[1] == '0' && label.size() > 2) return none;
    std::uint32_t number = 0;
    for (const char c : label.substr(1)) {
      if (c < '0' || c > '9') return none;
      number = 10 * number + static_cast<std::uint32_t>(c - '0');
    }
    return number;
  }

  std::vector<std::uint32_t> numbered_;
  std::unordered_map<std::string_view, std::uint32_t> others_;
};

}  // namespace commgauge::trace::detail
