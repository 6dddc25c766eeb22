#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// Events of all kinds with all that they can say; messages need not meet.
/// @param most_threads  of a rank; where there are several, one ends what another has started
[[nodiscard]] Trace random_trace(std::uint32_t seed, int events_of_a_rank = 60,
                                 int most_threads = 1);

/// Line by line what the trace says, but what fields of no meaning hold.
[[nodiscard]] std::vector<std::string> lines_of(const Trace& trace);

/// The first line that differs, of both; empty: none does.
[[nodiscard]] std::string difference(const Trace& a, const Trace& b);

/// A directory of its own, which is gone in the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace commgauge::trace
