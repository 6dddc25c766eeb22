#include <algorithm>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// Of all ranks at the root, one after the other; elsewhere the rank's own.
Block prepare_gather(Draft& d) {
  const bool is_root = d.rank == d.what.root;
  Block own{0, 0, d.what.count(d.rank)};
  if (is_root) {
    const Row row(d.what);
    own = row.block(d.rank);
    d.made.gets = row.all();
    d.buffer(row.total());
  } else {
    d.buffer(own.count);
  }
  d.made.gives.push_back(own);
  return own;
}

}  // namespace

void gather_flat(Draft& d) {
  const Block own = prepare_gather(d);
  if (d.rank != d.what.root) return d.send(d.what.root, own);
  for (const int peer : d.peers(d.rank))
    d.receive(peer, d.made.gets[static_cast<std::size_t>(peer)]);
}

void gather_at_once(Draft& d) {
  const Block own = prepare_gather(d);
  d.next_round();
  if (d.rank != d.what.root) {
    if (own.count > 0) d.add(Step::Kind::send, d.what.root, own);
    return;
  }
  for (const int peer : d.peers(d.rank)) {
    const Block& block = d.made.gets[static_cast<std::size_t>(peer)];
    if (block.count > 0) d.add(Step::Kind::receive, peer, block);
  }
}

/// A rank has the blocks of its subtree, in the order of ranks from the root.
void gather_binomial(Draft& d) {
  const int root = d.what.root;
  const int own = d.from(root);
  const std::uint64_t size = d.what.counts.front();
  const int most = own == 0 ? d.ranks() : own & -own;
  const int ranks = std::min(most, d.ranks() - own);
  const auto blocks = [&](int first, int count) {
    return Block{0, static_cast<std::uint64_t>(first - own) * size,
                 static_cast<std::uint64_t>(count) * size};
  };
  d.buffer(static_cast<std::uint64_t>(ranks) * size);
  d.made.gives.push_back(blocks(own, 1));
  for (int step = 1; step < ranks; step *= 2) {
    const int child = own + step;
    d.receive(d.at(root, child), blocks(child, std::min(step, d.ranks() - child)));
  }
  if (own != 0) return d.send(d.at(root, own - most), blocks(own, ranks));
  for (int rank = 0; rank < d.ranks(); ++rank) {
    d.made.gets.push_back(blocks((rank - root + d.ranks()) % d.ranks(), 1));
  }
}

}  // namespace commgauge::schedule
