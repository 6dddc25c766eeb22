#include <algorithm>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// All data in buffer 0, at the root first and then everywhere.
Block prepare_bcast(Draft& d) {
  const std::uint64_t count = d.what.counts.front();
  const Block whole{d.buffer(count), 0, count};
  (d.rank == d.what.root ? d.made.gives : d.made.gets).push_back(whole);
  return whole;
}

/// What a broadcast cuts into a part for each rank, rounded up: the last ones may be shorter, or
/// empty. EqualParts count from the root.
struct EqualParts {
  std::uint64_t total;
  std::uint64_t part;
  explicit EqualParts(const Draft& d)
      : total{d.what.counts.front()},
        part{(total + static_cast<std::uint64_t>(d.ranks()) - 1) /
             static_cast<std::uint64_t>(d.ranks())} {}
  [[nodiscard]] Block parts(int first, int count) const {
    const std::uint64_t start = std::min(total, static_cast<std::uint64_t>(first) * part);
    const std::uint64_t end = std::min(total, static_cast<std::uint64_t>(first + count) * part);
    return {0, start, end - start};
  }
};

/// Along a binomial tree; nobody sends a rank nothing.
void add_scatter(Draft& d, const EqualParts& parts) {
  const int root = d.what.root;
  const int own = d.from(root);
  int step = own == 0 ? ceil_power(d.ranks()) : own & -own;
  if (own != 0) {
    const Block block = parts.parts(own, step);
    if (block.count > 0) d.receive(d.at(root, own - step), block);
  }
  for (step /= 2; step > 0; step /= 2) {
    if (own + step >= d.ranks()) continue;
    const Block block = parts.parts(own + step, step);
    if (block.count > 0) d.send(d.at(root, own + step), block);
  }
}

}  // namespace

void add_flat_bcast(Draft& d, const Block& whole, int root) {
  if (d.rank != root) return d.receive(root, whole);
  for (const int peer : d.peers(root)) d.send(peer, whole);
}

void add_binomial_bcast(Draft& d, const Block& whole, int root) {
  const int own = d.from(root);
  int step = own == 0 ? ceil_power(d.ranks()) : own & -own;
  if (own != 0) d.receive(d.at(root, own - step), whole);
  for (step /= 2; step > 0; step /= 2) {
    if (own + step < d.ranks()) d.send(d.at(root, own + step), whole);
  }
}

void bcast_flat(Draft& d) { add_flat_bcast(d, prepare_bcast(d), d.what.root); }

void bcast_at_once(Draft& d) {
  const Block whole = prepare_bcast(d);
  if (d.rank != d.what.root) return d.receive(d.what.root, whole);
  d.next_round();
  for (const int peer : d.peers(d.rank)) d.add(Step::Kind::send, peer, whole);
}

void bcast_binomial(Draft& d) { add_binomial_bcast(d, prepare_bcast(d), d.what.root); }

void bcast_scatter_recursive_doubling(Draft& d) {
  prepare_bcast(d);
  const EqualParts parts(d);
  add_scatter(d, parts);
  const int own = d.from(d.what.root);
  for (int mask = 1; mask < d.ranks(); mask *= 2) {
    const int other = own ^ mask;
    const int peer = d.at(d.what.root, other);
    d.exchange(peer, parts.parts(own & -mask, mask), peer, parts.parts(other & -mask, mask));
  }
}

void bcast_scatter_ring(Draft& d) {
  prepare_bcast(d);
  const EqualParts parts(d);
  add_scatter(d, parts);
  const int own = d.from(d.what.root);
  for (int step = 0; step < d.ranks() - 1; ++step) {
    const int out = (own - step + d.ranks()) % d.ranks();
    const int in = (own - step - 1 + d.ranks()) % d.ranks();
    d.exchange(d.after(1), parts.parts(out, 1), d.before(1), parts.parts(in, 1));
  }
}

}  // namespace commgauge::schedule
