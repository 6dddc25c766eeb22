#pragma once

#include <cstdint>
#include <span>

#include "commgauge/trace/events/trace.hpp"

namespace commgauge::trace {

/// A request that a Wait, Poll or Flush found over. Of a receive, what it got: `any` where
/// that isn't known, as of a cancelled one.
struct Over {
  std::uint32_t request{};
  Found found{};
};

/// Events of a rank's thread, written as they happen. Memory is bounded: full buffers go to the
/// disk.
///
/// Times are those of the events; they must not decrease from one Enter, Leave, RegionBegin or
/// RegionEnd to the next. An event of another kind that says an earlier time (0, say) gets that of
/// the event before.
///
/// One thread at a time calls it, or anything else of its Writer.
///
/// write() throws WriteError once, when the disk is full or the file can't be written to; from then
/// on this rank writes nothing, and Writer::close() says so to all. What is wrong with an event (a
/// peer that isn't in its communicator, a request that isn't there) is an InputError, and the event
/// is left out.
class RankWriter {
 public:
  virtual ~RankWriter() = default;

  /// Any but Wait, Poll, Flush and Collective. A receive with `no_request` is written when it is
  /// over, with what it found; one with a request when it is started: what it finds, the wait says.
  virtual void write(const Event& event) = 0;
  /// A Wait, Poll or Flush; its `list` and `count` aren't looked at.
  virtual void write(const Event& event, std::span<const Over> over) = 0;
  /// A Collective; its `operation` isn't looked at.
  virtual void write(const Event& event, const Collective& collective) = 0;

  /// What is known of the rank at the end; else one thread, and complete. Its first thread says it.
  virtual void set_threads(int threads) = 0;
  virtual void set_complete(bool is_complete) = 0;
};

}  // namespace commgauge::trace
