#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Counts what was repaired or assumed, by sentence.
class Remarks {
 public:
  void add(const std::string& text, std::uint64_t count = 1) {
    const auto found = std::ranges::find(all_, text, &Remark::text);
    if (found == all_.end()) {
      all_.push_back({text, count});
    } else {
      found->count += count;
    }
  }
  /// A trace's own one of that sentence gives way.
  void append_to(std::vector<Remark>& remarks) const {
    for (const auto& one : all_) {
      std::erase_if(remarks, [&](const auto& other) { return other.text == one.text; });
      remarks.push_back(one);
    }
  }

 private:
  std::vector<Remark> all_;
};

}  // namespace commgauge::trace
