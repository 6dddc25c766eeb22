#include <algorithm>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// Of all ranks at the root, one after the other; elsewhere the rank's own.
Block prepare_scatter(Draft& d) {
  Block own{0, 0, d.what.count(d.rank)};
  if (d.rank == d.what.root) {
    const Row row(d.what);
    own = row.block(d.rank);
    d.made.gives = row.all();
    d.buffer(row.total());
  } else {
    d.buffer(own.count);
  }
  d.made.gets.push_back(own);
  return own;
}

}  // namespace

void scatter_flat(Draft& d) {
  const Block own = prepare_scatter(d);
  if (d.rank != d.what.root) return d.receive(d.what.root, own);
  for (const int peer : d.peers(d.rank)) d.send(peer, d.made.gives[static_cast<std::size_t>(peer)]);
}

void scatter_at_once(Draft& d) {
  const Block own = prepare_scatter(d);
  d.next_round();
  if (d.rank != d.what.root) {
    if (own.count > 0) d.add(Step::Kind::receive, d.what.root, own);
    return;
  }
  for (const int peer : d.peers(d.rank)) {
    const Block& block = d.made.gives[static_cast<std::size_t>(peer)];
    if (block.count > 0) d.add(Step::Kind::send, peer, block);
  }
}

/// A gather backwards.
void scatter_binomial(Draft& d) {
  const int root = d.what.root;
  const int own = d.from(root);
  const std::uint64_t size = d.what.counts.front();
  const int most = own == 0 ? ceil_power(d.ranks()) : own & -own;
  const int ranks = std::min(most, d.ranks() - own);
  const auto blocks = [&](int first, int count) {
    return Block{0, static_cast<std::uint64_t>(first - own) * size,
                 static_cast<std::uint64_t>(count) * size};
  };
  d.buffer(static_cast<std::uint64_t>(ranks) * size);
  d.made.gets.push_back(blocks(own, 1));
  if (own != 0) d.receive(d.at(root, own - most), blocks(own, ranks));
  for (int step = most / 2; step > 0; step /= 2) {
    const int child = own + step;
    if (child >= d.ranks()) continue;
    d.send(d.at(root, child), blocks(child, std::min(step, d.ranks() - child)));
  }
  for (int rank = 0; own == 0 && rank < d.ranks(); ++rank) {
    d.made.gives.push_back(blocks((rank - root + d.ranks()) % d.ranks(), 1));
  }
}

}  // namespace commgauge::schedule
