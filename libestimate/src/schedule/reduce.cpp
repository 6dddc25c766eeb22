#include "schedule/draft.hpp"
#include "schedule/halving.hpp"

namespace commgauge::schedule {

namespace {

std::uint64_t prepare_reduce(Draft& d) {
  const std::uint64_t count = d.what.counts.front();
  const Block whole{d.buffer(count), 0, count};
  d.buffer(count);
  d.made.gives.push_back(whole);
  if (d.rank == d.what.root) d.made.gets.push_back(whole);
  return count;
}

}  // namespace

/// The last rank's data first, then each before it, so that the order is that of ranks.
void add_flat_reduce(Draft& d, std::uint64_t count, int root) {
  const Block sum{0, 0, count};
  if (d.rank != root) return d.send(root, sum);
  const Block own{d.buffer(count), 0, count};
  const Block part{1, 0, count};
  d.copy(sum, own);
  for (int peer = d.ranks() - 1; peer >= 0; --peer) {
    const bool is_first = peer == d.ranks() - 1;
    if (peer != root) d.receive(peer, is_first ? sum : part);
    if (!is_first) d.reduce(peer == root ? own : part, sum);
  }
}

void add_binomial_reduce(Draft& d, std::uint64_t count, int root) {
  const int top = d.what.is_commutative ? root : 0;
  const int own = d.from(top);
  const Block sum{0, 0, count};
  const Block part{1, 0, count};
  for (int mask = 1; mask < d.ranks(); mask *= 2) {
    if ((own & mask) != 0) {
      d.send(d.at(top, own - mask), sum);
      break;
    }
    if (own + mask >= d.ranks()) continue;
    d.receive(d.at(top, own + mask), part);
    d.combine(part, sum, false);
  }
  if (top == root) return;
  if (d.rank == top) d.send(root, sum);
  if (d.rank == root) d.receive(top, sum);
}

void reduce_flat(Draft& d) { add_flat_reduce(d, prepare_reduce(d), d.what.root); }

void reduce_binomial(Draft& d) { add_binomial_reduce(d, prepare_reduce(d), d.what.root); }

/// Rabenseifner. Where the root is a rank that takes no part, it gets the first part and stands in
/// for that part's rank.
void reduce_scatter_then_gather(Draft& d) {
  const std::uint64_t count = prepare_reduce(d);
  const int root = d.what.root;
  Halving halving(d, count, Halving::Folds::to_even);
  halving.fold();
  halving.scatter();
  const bool root_stands_in = halving.is_folded(root);
  int own = halving.own();
  if (root_stands_in && d.rank == root) {
    d.receive(0, halving.parts(0, 1));
    own = 0;
  } else if (root_stands_in && own == 0) {
    d.send(root, halving.parts(0, 1));
    own = -1;
  }
  if (own < 0) return;
  const int top = root_stands_in ? 0 : halving.position(root);
  int first = halving.reversed(own);  // of the parts that are here
  int length = 1;
  for (int mask = halving.power() / 2; mask > 0; mask /= 2) {
    const int other = own ^ mask;
    const int peer = root_stands_in && other == 0 ? root : halving.rank_at(other);
    const int others = first ^ length;
    if (((other ^ top) & -mask) == 0) return d.send(peer, halving.parts(first, length));
    d.receive(peer, halving.parts(others, length));
    first &= ~length;
    length *= 2;
  }
}

}  // namespace commgauge::schedule
