#pragma once

#include <bit>
#include <vector>

#include "commgauge/schedule/collective.hpp"

namespace commgauge::schedule {

/// A rank's schedule while it is made.
struct Draft {
  const Collective& what;
  int rank;
  Schedule made;
  int round{-1};

  [[nodiscard]] int ranks() const { return what.ranks; }
  /// Steps from the root upwards, and back to a rank.
  [[nodiscard]] int from(int root) const { return (rank - root + ranks()) % ranks(); }
  [[nodiscard]] int at(int root, int distance) const { return (root + distance) % ranks(); }
  [[nodiscard]] int after(int distance) const { return (rank + distance) % ranks(); }
  [[nodiscard]] int before(int distance) const { return (rank - distance + ranks()) % ranks(); }

  /// All ranks but a root, as it deals with them.
  [[nodiscard]] std::vector<int> peers(int root) const {
    if (root == what.root && !what.order.empty()) return what.order;
    std::vector<int> all;
    for (int peer = 0; peer < ranks(); ++peer) {
      if (peer != root) all.push_back(peer);
    }
    return all;
  }

  /// Another buffer. @return its number
  int buffer(std::uint64_t units) {
    made.buffers.push_back(units);
    return static_cast<int>(made.buffers.size()) - 1;
  }
  void add(Step::Kind kind, int peer, const Block& here, const Block& there = {}) {
    made.steps.push_back({kind, round, peer, here, there});
  }
  /// Messages that follow are started together.
  void next_round() { ++round; }
  void send(int to, const Block& block) {
    next_round();
    add(Step::Kind::send, to, block);
  }
  void receive(int from, const Block& block) {
    next_round();
    add(Step::Kind::receive, from, block);
  }
  void exchange(int to, const Block& out, int from, const Block& in) {
    next_round();
    add(Step::Kind::receive, from, in);
    add(Step::Kind::send, to, out);
  }
  void reduce(const Block& left, const Block& right) {
    if (left.count == 0) return;
    next_round();
    add(Step::Kind::reduce, -1, left, right);
  }
  void copy(const Block& from, const Block& to) {
    if (from.count == 0) return;
    next_round();
    add(Step::Kind::copy, -1, from, to);
  }
  /// right = left (op) own where the left comes first; else right = own (op) left, by way of left.
  void combine(const Block& got, const Block& own, bool got_is_left) {
    if (got_is_left || what.is_commutative) return reduce(got, own);
    reduce(own, got);
    copy(got, own);
  }
};

[[nodiscard]] inline bool is_power_of_two(int n) {
  return std::has_single_bit(static_cast<unsigned>(n));
}
/// The largest power of two up to n. @pre n > 0
[[nodiscard]] inline int floor_power(int n) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
}
/// The smallest power of two from n on.
[[nodiscard]] inline int ceil_power(int n) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
}

/// Blocks of all ranks one after the other in memory.
class Row {
 public:
  explicit Row(const Collective& what) : what_{what} {
    if (what.counts.size() == 1) return;
    offsets_.push_back(0);
    for (const std::uint64_t count : what.counts) offsets_.push_back(offsets_.back() + count);
  }
  /// Where block i starts; i up to the number of ranks.
  [[nodiscard]] std::uint64_t offset(int i) const {
    return offsets_.empty() ? static_cast<std::uint64_t>(i) * what_.counts.front()
                            : offsets_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::uint64_t total() const { return offset(what_.ranks); }
  /// Blocks [first, last), in a buffer.
  [[nodiscard]] Block blocks(int first, int last, int buffer = 0) const {
    return {buffer, offset(first), offset(last) - offset(first)};
  }
  [[nodiscard]] Block block(int i, int buffer = 0) const { return blocks(i, i + 1, buffer); }
  [[nodiscard]] std::vector<Block> all(int buffer = 0) const {
    std::vector<Block> result;
    for (int i = 0; i < what_.ranks; ++i) result.push_back(block(i, buffer));
    return result;
  }

 private:
  const Collective& what_;
  std::vector<std::uint64_t> offsets_;
};

// One function makes one algorithm's schedule. Each stands in the file of its operation.

void barrier_dissemination(Draft& d);
void barrier_flat(Draft& d);

/// Root and `order` are a ring. Who isn't in it does nothing.
void ring_round(Draft& d);

void bcast_flat(Draft& d);
void bcast_at_once(Draft& d);
void bcast_binomial(Draft& d);
void bcast_scatter_recursive_doubling(Draft& d);
void bcast_scatter_ring(Draft& d);

void reduce_flat(Draft& d);
void reduce_binomial(Draft& d);
void reduce_scatter_then_gather(Draft& d);

void allreduce_flat(Draft& d);
void allreduce_reduce_bcast(Draft& d);
void allreduce_recursive_doubling(Draft& d);
void allreduce_reduce_scatter_allgather(Draft& d);

void gather_flat(Draft& d);
void gather_at_once(Draft& d);
void gather_binomial(Draft& d);

void scatter_flat(Draft& d);
void scatter_at_once(Draft& d);
void scatter_binomial(Draft& d);

void allgather_flat(Draft& d);
void allgather_ring(Draft& d);
void allgather_ring_in_chunks(Draft& d);
void allgather_recursive_doubling(Draft& d);
void allgather_bruck(Draft& d);

void alltoall_flat(Draft& d);
void alltoall_scattered(Draft& d);
void alltoall_pairwise(Draft& d);
void alltoall_shift(Draft& d);
void alltoall_in_order(Draft& d);
void alltoall_bruck(Draft& d);

void scan_linear(Draft& d);
void scan_recursive_doubling(Draft& d);
void exscan_linear(Draft& d);
void exscan_recursive_doubling(Draft& d);

void reduce_scatter_reduce_scatterv(Draft& d);
void reduce_scatter_flat(Draft& d);
void reduce_scatter_recursive_halving(Draft& d);
void reduce_scatter_pairwise(Draft& d);
void reduce_scatter_recursive_doubling(Draft& d);
void reduce_scatter_butterfly(Draft& d);

// Parts of others: steps without gives and gets, of a whole in buffer 0.

/// From the root; received in the order of the tree.
void add_flat_bcast(Draft& d, const Block& whole, int root);
void add_binomial_bcast(Draft& d, const Block& whole, int root);
/// To the root, whose result is in buffer 0. Uses buffer 1.
void add_flat_reduce(Draft& d, std::uint64_t count, int root);
void add_binomial_reduce(Draft& d, std::uint64_t count, int root);

}  // namespace commgauge::schedule
