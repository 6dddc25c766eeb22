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
  [[nodiscard]] bool has(const void* place) const { return has(parts_, place); }
  /// Whether an OpenMP library with the interface for tools is there, which says itself who waits
  /// for whom. The threads that it starts are the program's.
  [[nodiscard]] bool is_of_openmp(const void* place) const { return has(openmp_, place); }

 private:
  using Parts = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;  ///< from, to
  [[nodiscard]] static bool has(const Parts& parts, const void* place);

  Parts parts_;
  Parts openmp_;
};

}  // namespace commgauge::preload
