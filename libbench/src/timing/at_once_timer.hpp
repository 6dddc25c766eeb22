#pragma once

#include <cstddef>
#include <cstdint>
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
  /// @param piece  of the message that is sent by itself; not 0 unless the size is
  /// @return from the barrier until the message to this rank is there, the clock's cost subtracted
  ///         [s]; NaN where it receives none.
  [[nodiscard]] double time(const RoleAtOnce& role, Bytes size, Bytes piece);

 private:
  /// A message in pieces, some of which are under way.
  struct Stream {
    std::byte* next{};
    std::uint64_t left{};   ///< bytes of pieces that were not begun
    std::uint64_t piece{};  ///< bytes
    bool has_begun_all{true};

    [[nodiscard]] Bytes take();
  };
  [[nodiscard]] bool are_done(std::size_t first, std::size_t count) const;
  /// Begins as many pieces as there are places.
  template <class Begin>
  void go_on(Stream& stream, std::size_t first, Begin&& begin);

  Transport transport_;
  MessageBuffers& buffers_;
  const Clock& clock_;
  std::vector<MPI_Request> requests_;
};

}  // namespace commgauge::bench
