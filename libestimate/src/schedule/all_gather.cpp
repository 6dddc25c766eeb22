#include <algorithm>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// All blocks in a row, of which this rank has its own.
Row prepare_all_gather(Draft& d) {
  Row row(d.what);
  d.buffer(row.total());
  d.made.gives.push_back(row.block(d.rank));
  d.made.gets = row.all();
  return row;
}

/// What is still to pass in one direction of a ring, in chunks.
struct Stream {
  int block;               ///< whose is next
  std::uint64_t passed{};  ///< of it
  std::uint64_t left;      ///< in all
  /// The next chunk, or nothing.
  [[nodiscard]] Block next(const Row& row, std::uint64_t chunk) const {
    const Block whole = row.block(block);
    const std::uint64_t rest = std::min(whole.count - passed, left);
    return {0, whole.offset + passed, std::min(chunk, rest)};
  }
  void pass(const Row& row, std::uint64_t count, int ranks) {
    left -= count;
    passed += count;
    if (passed < row.block(block).count) return;
    passed = 0;
    block = (block + ranks - 1) % ranks;
  }
};

}  // namespace

/// To the first rank, and all of it from there.
void allgather_flat(Draft& d) {
  const Row row = prepare_all_gather(d);
  const bool is_root = d.rank == 0;
  if (!is_root) d.send(0, row.block(d.rank));
  for (int peer = 1; is_root && peer < d.ranks(); ++peer) d.receive(peer, row.block(peer));
  add_flat_bcast(d, row.blocks(0, d.ranks()), 0);
}

void allgather_ring(Draft& d) {
  const Row row = prepare_all_gather(d);
  for (int step = 0; step < d.ranks() - 1; ++step) {
    d.exchange(d.after(1), row.block(d.before(step)), d.before(1), row.block(d.before(step + 1)));
  }
}

/// MPICH's, of blocks of any size: at most 32 KiB at a time, and nothing that is empty.
void allgather_ring_in_chunks(Draft& d) {
  constexpr std::uint64_t most = 32768;  // [bytes in memory]
  const Row row = prepare_all_gather(d);
  std::uint64_t longest = 0;
  for (int i = 0; i < d.ranks(); ++i) longest = std::max(longest, row.block(i).count);
  const std::uint64_t extent = std::max<std::uint64_t>(d.what.extent.value, 1);
  const std::uint64_t element = std::max<std::uint64_t>(d.what.element.value, 1);
  const bool is_long = longest / element * extent > most;
  const std::uint64_t chunk =
      is_long ? std::max<std::uint64_t>(most / extent, 1) * element : longest;
  Stream out{d.rank, 0, row.total() - row.block(d.after(1)).count};
  Stream in{d.before(1), 0, row.total() - row.block(d.rank).count};
  while (out.left > 0 || in.left > 0) {
    const Block sent = out.next(row, chunk);
    const Block received = in.next(row, chunk);
    d.next_round();
    if (received.count > 0) d.add(Step::Kind::receive, d.before(1), received);
    if (sent.count > 0) d.add(Step::Kind::send, d.after(1), sent);
    out.pass(row, sent.count, d.ranks());
    in.pass(row, received.count, d.ranks());
  }
}

void allgather_recursive_doubling(Draft& d) {
  const Row row = prepare_all_gather(d);
  for (int mask = 1; mask < d.ranks(); mask *= 2) {
    const int peer = d.rank ^ mask;
    const int mine = d.rank & -mask;
    const int theirs = peer & -mask;
    d.exchange(peer, row.blocks(mine, mine + mask), peer, row.blocks(theirs, theirs + mask));
  }
}

/// Blocks stand in the order of ranks from this one on.
void allgather_bruck(Draft& d) {
  Collective rotated = d.what;
  if (rotated.counts.size() > 1) {
    std::ranges::rotate(rotated.counts, rotated.counts.begin() + d.rank);
  }
  const Row row(rotated);
  d.buffer(row.total());
  d.made.gives.push_back(row.block(0));
  for (int rank = 0; rank < d.ranks(); ++rank) {
    d.made.gets.push_back(row.block((rank - d.rank + d.ranks()) % d.ranks()));
  }
  for (int distance = 1; distance < d.ranks(); distance *= 2) {
    const int count = std::min(distance, d.ranks() - distance);
    d.exchange(d.before(distance), row.blocks(0, count), d.after(distance),
               row.blocks(distance, distance + count));
  }
}

}  // namespace commgauge::schedule
