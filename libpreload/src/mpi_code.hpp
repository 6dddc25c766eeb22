#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace commgauge::preload {

/// Where the code of the MPI library is, and of what it is made of; and of the recorder. Their
/// locks aren't the program's.
class MpiCode {
 public:
  /// Nothing, before find().
  MpiCode() = default;
  void find();
  [[nodiscard]] bool has(const void* place) const;

 private:
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> parts_;  ///< from, to
};

}  // namespace commgauge::preload
