#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "commgauge/replay/run/result.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// A call of MPI, or a region of the program, as the replay has it. Times are virtual [s].
struct Span {
  std::uint32_t name{};  ///< of Trace::names
  std::uint32_t site{};  ///< of Trace::sites; a region has none
  bool is_region{};
  int thread{};  ///< of its rank, from 0: as trace::events_of() has them
  int depth{};   ///< how many others of its thread are around it
  double from{};
  double to{};
};

/// By rank, thread by thread, in the order of their beginnings, one around another first. What is
/// left open ends with its thread; an end without a beginning is left out.
///
/// @pre the result is of that trace, with its timeline.
[[nodiscard]] std::vector<std::vector<Span>> spans_of(const trace::Trace& trace,
                                                      const Result& result);

/// @param spans  of a rank
[[nodiscard]] inline std::span<const Span> of_thread(std::span<const Span> spans, int thread) {
  const auto first = std::ranges::lower_bound(spans, thread, {}, &Span::thread);
  const auto last = std::ranges::upper_bound(spans, thread, {}, &Span::thread);
  return {first, last};
}

}  // namespace commgauge::replay
