#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commgauge/tasks/master_worker.hpp"

namespace commgauge::tasks {

/// A master, its workers, and the tasks that it hands out.
struct Team {
  int first_rank{};  ///< the master; its workers follow
  int end_rank{};
  std::uint64_t first_task{};
  std::uint64_t end_task{};
};

/// Master m of n has the m-th part of the ranks and of the tasks.
/// @throws InputError  fewer ranks than two for each; no tasks; a chunk of none
[[nodiscard]] std::vector<Team> teams_of(int ranks, const Work& work, const Protocol& protocol);

/// No more than there are.
[[nodiscard]] inline std::uint64_t chunk_of(const Work& work, const Protocol& protocol) {
  return std::min<std::uint64_t>(protocol.chunk, work.times_s.size());
}

/// What the worker of some tasks that follow one another in order takes for them, and sends back.
class Chunk {
 public:
  Chunk(const Work& work, const Protocol& protocol) : work_{work}, protocol_{protocol} {}

  /// Of tasks [first, end) [s] where they were measured.
  [[nodiscard]] double time(std::uint64_t first, std::uint64_t end) const {
    double sum = 0;
    for (std::uint64_t i = first; i < end; ++i) sum += work_.times_s[i];
    return sum;
  }
  /// Of the request that brings their results [bytes].
  [[nodiscard]] std::uint64_t request(std::uint64_t first, std::uint64_t end) const {
    std::uint64_t sum = protocol_.request.value;
    if (work_.result_bytes.empty()) return sum + (end - first) * protocol_.result.value;
    for (std::uint64_t i = first; i < end; ++i) sum += work_.result_bytes[i];
    return sum;
  }

 private:
  const Work& work_;
  const Protocol& protocol_;
};

}  // namespace commgauge::tasks
