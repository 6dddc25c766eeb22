#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Where ranks of the job stand in a list of them.
class Places {
 public:
  explicit Places(const std::vector<std::int32_t>& ranks);
  /// -1: nowhere
  [[nodiscard]] std::int32_t of(std::int32_t rank) const;

 private:
  std::int32_t in_order_;  ///< so many stand at their own number
  std::vector<std::pair<std::int32_t, std::int32_t>> others_;  ///< rank, place; sorted
};

/// A communicator as its members speak of each other in OTF2: by place in the group, of an
/// intercommunicator in the other one.
class Members {
 public:
  explicit Members(const Communicator& communicator);
  /// -1: none
  [[nodiscard]] std::int32_t own_place(std::int32_t rank) const;
  /// What `rank` calls `peer`; -1: nothing.
  [[nodiscard]] std::int32_t place_of(std::int32_t peer, std::int32_t rank) const;
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_window() const { return is_window_; }

 private:
  Places members_;
  Places others_;
  int size_;
  bool is_inter_;
  bool is_window_;
};

}  // namespace commgauge::trace
