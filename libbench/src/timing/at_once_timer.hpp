#pragma once

#include <optional>
#include <vector>

#include "commgauge/bench/clock/clock.hpp"
#include "messages/buffers.hpp"
#include "messages/transport.hpp"

namespace commgauge::bench {

/// What a rank does in a round of messages at once: it sends to one rank, receives from one, both
/// or nothing.
struct RoleAtOnce {
  std::optional<int> from;  ///< whom it receives from
  std::optional<int> to;    ///< whom it sends to
};

/// Times messages that all start at once, each at its receiver.
class AtOnceTimer {
 public:
  AtOnceTimer(const Transport& transport, MessageBuffers& buffers, const Clock& clock)
      : transport_{transport}, buffers_{buffers}, clock_{clock} {}

  /// One repetition: a barrier, then each receiver tells its sender that its clock runs.
  /// Collective.
  /// @return from the barrier until the message to this rank is there, the clock's cost subtracted
  ///         [s]; NaN where it receives none.
  [[nodiscard]] double time(const RoleAtOnce& role, Bytes size);

 private:
  enum Place : std::size_t { data_in, ready_in, data_out, ready_out };

  [[nodiscard]] bool is_done(Place place) const { return requests_[place] == MPI_REQUEST_NULL; }
  [[nodiscard]] bool are_all_done() const;

  Transport transport_;
  MessageBuffers& buffers_;
  const Clock& clock_;
  std::vector<MPI_Request> requests_;
};

}  // namespace commgauge::bench
