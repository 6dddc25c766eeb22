#pragma once

#include <cstddef>

#include "commgauge/bench/base/options.hpp"

namespace commgauge::bench {

/// Where messages of a region begin: each on a page of its own.
inline constexpr std::size_t page = 4096;  ///< [bytes]

/// Page-aligned memory for messages, whose pages are there: one region to send from, one to receive
/// into.
///
/// Rotating: every message moves on through regions that are together twice the rank's share of
/// the caches, so that no message finds its bytes warm. Same: every repetition starts at the
/// regions' beginning, and a reply lies where the message did, as NetPIPE has it; otherwise the
/// messages of one repetition never share bytes.
class MessageBuffers {
 public:
  /// @param least  bytes each region holds at least.
  MessageBuffers(Buffers habit, std::size_t least, std::size_t cache_share);
  ~MessageBuffers();
  MessageBuffers(const MessageBuffers&) = delete;
  MessageBuffers& operator=(const MessageBuffers&) = delete;

  [[nodiscard]] std::byte* next_send(std::size_t size) { return next(send_, size); }
  [[nodiscard]] std::byte* next_receive(std::size_t size) { return next(receive_, size); }

  /// For replies that are sent when all messages to the replying rank, and received when all from
  /// the receiving rank, are through.
  [[nodiscard]] std::byte* next_reply_send(std::size_t size) {
    return habit_ == Buffers::same ? next(over_received_, size) : next_send(size);
  }
  [[nodiscard]] std::byte* next_reply_receive(std::size_t size) {
    return habit_ == Buffers::same ? next(over_sent_, size) : next_receive(size);
  }

  void begin_repetition();

  /// Makes room for `bytes` at the same time, in each region.
  /// @throws std::bad_alloc  with the room as it was.
  void reserve(std::size_t bytes);

  /// Goes on with other pages: another sample of the physical layout. Rotating ones begin elsewhere
  /// in their regions, each time where they have been least; the same ones are mapped anew, for
  /// they are small.
  void renew();

 private:
  struct Region {
    std::byte* start{};
    std::size_t offset{};
  };
  [[nodiscard]] std::byte* next(Region& region, std::size_t size) const;
  void resize(std::size_t length);
  void map(Region& region) const;
  void map_all();
  void unmap(Region& region) const noexcept;

  Buffers habit_;
  std::size_t length_;
  long renewals_{};
  Region send_;
  Region receive_;
  Region over_sent_;      ///< send_ once more, for replies
  Region over_received_;  ///< receive_ once more
};

/// This rank's share of the machine's caches [bytes], when `ranks_on_host` share it.
[[nodiscard]] std::size_t cache_share(int ranks_on_host);

}  // namespace commgauge::bench
