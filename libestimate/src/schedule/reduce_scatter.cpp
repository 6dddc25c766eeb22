#include <algorithm>
#include <bit>

#include "schedule/draft.hpp"
#include "schedule/halving.hpp"

namespace commgauge::schedule {

namespace {

/// The whole vector in buffer 0; buffer 1 is as large.
Row prepare_reduce_scatter(Draft& d) {
  Row row(d.what);
  d.made.gives.push_back({d.buffer(row.total()), 0, row.total()});
  d.buffer(row.total());
  d.made.gets.push_back(row.block(d.rank));
  return row;
}

void add_scatterv(Draft& d, const Row& row) {
  if (d.rank != 0) return d.receive(0, row.block(d.rank));
  for (int peer = 1; peer < d.ranks(); ++peer) d.send(peer, row.block(peer));
}

/// A row without blocks [first, last), in two parts.
struct Without {
  Block before;
  Block after;
  Without(const Row& row, int first, int last, int ranks)
      : before{row.blocks(0, first)}, after{row.blocks(std::min(last, ranks), ranks)} {}
  [[nodiscard]] std::uint64_t count() const { return before.count + after.count; }
  /// The same two, one after the other, in another buffer.
  [[nodiscard]] std::vector<Block> packed(int buffer) const {
    return {{buffer, 0, before.count}, {buffer, before.count, after.count}};
  }
  [[nodiscard]] std::vector<Block> parts() const { return {before, after}; }
};

/// In a step of recursive doubling where some ranks have no partner: those of this rank's half that
/// have one tell the others, by halves, what they got. @return whether this rank has it
bool add_forwarding(Draft& d, int mask, const Block& got, bool has_got) {
  const int end = (d.rank & -mask) + mask;  // of this rank's half
  const int complete = d.ranks() - end;     // of its ranks have a partner
  for (int step = mask / 2; step > 0; step /= 2) {
    const int peer = d.rank ^ step;
    const int limit = (d.rank & -(2 * step)) + complete;
    if (peer > d.rank && d.rank < limit && peer >= limit) d.send(peer, got);
    if (peer < d.rank && peer < limit && d.rank >= limit) {
      d.receive(peer, got);
      has_got = true;
    }
  }
  return has_got;
}

}  // namespace

void reduce_scatter_reduce_scatterv(Draft& d) {
  const Row row = prepare_reduce_scatter(d);
  add_binomial_reduce(d, row.total(), 0);
  add_scatterv(d, row);
}

void reduce_scatter_flat(Draft& d) {
  const Row row = prepare_reduce_scatter(d);
  add_flat_reduce(d, row.total(), 0);
  add_scatterv(d, row);
}

/// The farthest first; a rank that goes on for another has its part of the result, too.
void reduce_scatter_recursive_halving(Draft& d) {
  const Row row = prepare_reduce_scatter(d);
  Halving halving(d, row.total(), Halving::Folds::to_odd);
  halving.fold();
  const auto parts = [&](int first, int count, int buffer) {
    const auto start = [&](int position) { return std::min(position, halving.rest()) + position; };
    return row.blocks(start(first), start(first + count), buffer);
  };
  int first = 0;
  for (int mask = halving.power() / 2; halving.own() >= 0 && mask > 0; mask /= 2) {
    const bool is_upper = (halving.own() & mask) != 0;
    const int keeps = first + (is_upper ? mask : 0);
    const Block sent = parts(first + (is_upper ? 0 : mask), mask, 0);
    const Block received = parts(keeps, mask, 1);
    const int peer = halving.rank_at(halving.own() ^ mask);
    d.next_round();
    if (received.count > 0) d.add(Step::Kind::receive, peer, received);
    if (sent.count > 0) d.add(Step::Kind::send, peer, sent);
    d.reduce(received, parts(keeps, mask, 0));
    first = keeps;
  }
  if (d.rank >= 2 * halving.rest()) return;
  const Block last = row.block(d.rank & ~1);
  if (last.count == 0) return;
  if (halving.own() < 0) {
    d.receive(d.rank + 1, last);
  } else {
    d.send(d.rank - 1, last);
  }
}

void reduce_scatter_pairwise(Draft& d) {
  d.made.is_in_turn = true;
  const Row row = prepare_reduce_scatter(d);
  const Block own = row.block(d.rank);
  for (int step = 1; step < d.ranks(); ++step) {
    const int to = d.after(step);
    d.exchange(to, row.block(to), d.before(step), {1, 0, own.count});
    d.reduce({1, 0, own.count}, own);
  }
}

/// Ranks exchange all that is not of the blocks of their own halves.
void reduce_scatter_recursive_doubling(Draft& d) {
  const Row row = prepare_reduce_scatter(d);
  const int sent = d.buffer(row.total());
  for (int mask = 1; mask < d.ranks(); mask *= 2) {
    const int peer = d.rank ^ mask;
    const int mine = d.rank & -mask;
    const int theirs = peer & -mask;
    const Without out(row, mine, mine + mask, d.ranks());
    const Without in(row, std::min(theirs, d.ranks()), theirs + mask, d.ranks());
    const Block got{1, 0, in.count()};
    bool has_got = peer < d.ranks();
    if (has_got) {
      for (int k : {0, 1}) {
        const auto i = static_cast<std::size_t>(k);
        d.copy(out.parts()[i], out.packed(sent)[i]);
      }
      d.exchange(peer, {sent, 0, out.count()}, peer, got);
    }
    if (theirs + mask > d.ranks()) has_got = add_forwarding(d, mask, got, has_got);
    for (std::size_t i = 0; has_got && i < 2; ++i) {
      d.combine(in.packed(1)[i], in.parts()[i], theirs < mine);
    }
  }
}

/// Traff 2005. Blocks stand in the order of their numbers' bits in reverse.
void reduce_scatter_butterfly(Draft& d) {
  const Row row(d.what);
  const Halving halving(d, row.total(), Halving::Folds::to_odd);
  int mine = d.buffer(row.total());
  int theirs = d.buffer(row.total());
  for (int i = 0; i < d.ranks(); ++i) d.made.gives.push_back(row.block(halving.reversed(i), mine));
  std::uint64_t first = 0;
  std::uint64_t size = row.total();
  for (int mask = 1; mask < d.ranks(); mask *= 2) {
    size /= 2;
    const int peer = d.rank ^ mask;
    const bool is_upper = d.rank > peer;
    const std::uint64_t keeps = first + (is_upper ? size : 0);
    const std::uint64_t gives = first + (is_upper ? 0 : size);
    d.exchange(peer, {mine, gives, size}, peer, {theirs, keeps, size});
    if (is_upper) {
      d.reduce({theirs, keeps, size}, {mine, keeps, size});
    } else {
      d.reduce({mine, keeps, size}, {theirs, keeps, size});
      std::swap(mine, theirs);
    }
    first = keeps;
  }
  d.made.gets.push_back({mine, first, size});
}

}  // namespace commgauge::schedule
