#include <algorithm>

#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

/// What goes out in buffer 0, what comes in in buffer 1; the rank's own is copied.
void prepare_rows(Draft& d) {
  Collective in = d.what;
  if (!in.counts_in.empty()) in.counts = in.counts_in;
  const Row out_row(d.what);
  const Row in_row(in);
  d.made.gives = out_row.all(d.buffer(out_row.total()));
  d.made.gets = in_row.all(d.buffer(in_row.total()));
  const auto own = static_cast<std::size_t>(d.rank);
  d.copy(d.made.gives[own], d.made.gets[own]);
}

const Block& out(const Draft& d, int rank) { return d.made.gives[static_cast<std::size_t>(rank)]; }
const Block& in(const Draft& d, int rank) { return d.made.gets[static_cast<std::size_t>(rank)]; }

void exchange(Draft& d, int to, int from) { d.exchange(to, out(d, to), from, in(d, from)); }

/// Messages with the ranks at a distance of [first, last), receives first.
void add_batch(Draft& d, int first, int last) {
  const bool leaves_out_empty = d.what.operation == Operation::alltoallv;
  d.next_round();
  for (int distance = first; distance < last; ++distance) {
    const int from = d.after(distance);
    if (leaves_out_empty && in(d, from).count == 0) continue;
    d.add(Step::Kind::receive, from, in(d, from));
  }
  for (int distance = first; distance < last; ++distance) {
    const int to = d.before(distance);
    if (leaves_out_empty && out(d, to).count == 0) continue;
    d.add(Step::Kind::send, to, out(d, to));
  }
}

}  // namespace

void alltoall_flat(Draft& d) {
  prepare_rows(d);
  add_batch(d, 1, d.ranks());
}

/// MPICH's, which starts messages with 32 ranks at a time; one of them is this rank itself, whose
/// message never leaves it.
void alltoall_scattered(Draft& d) {
  constexpr int at_once = 32;
  prepare_rows(d);
  for (int first = 0; first < d.ranks(); first += at_once) {
    add_batch(d, std::max(first, 1), std::min(first + at_once, d.ranks()));
  }
}

void alltoall_pairwise(Draft& d) {
  if (!is_power_of_two(d.ranks())) return alltoall_shift(d);
  d.made.is_in_turn = true;
  prepare_rows(d);
  for (int step = 1; step < d.ranks(); ++step) exchange(d, d.rank ^ step, d.rank ^ step);
}

void alltoall_shift(Draft& d) {
  d.made.is_in_turn = true;
  prepare_rows(d);
  for (int step = 1; step < d.ranks(); ++step) exchange(d, d.after(step), d.before(step));
}

void alltoall_in_order(Draft& d) {
  d.made.is_in_turn = true;
  prepare_rows(d);
  for (int peer = 0; peer < d.ranks(); ++peer) {
    if (peer != d.rank) exchange(d, peer, peer);
  }
}

/// Block i is for the rank at distance i at first, and from that one in the end; all whose i has a
/// certain bit travel together.
void alltoall_bruck(Draft& d) {
  const Row row(d.what);
  const std::uint64_t size = d.what.counts.front();
  const int blocks = d.buffer(row.total());
  const int sent = d.buffer(row.total());
  const int received = d.buffer(row.total());
  for (int rank = 0; rank < d.ranks(); ++rank) {
    d.made.gives.push_back(row.block((rank - d.rank + d.ranks()) % d.ranks(), blocks));
    d.made.gets.push_back(row.block((d.rank - rank + d.ranks()) % d.ranks(), blocks));
  }
  for (int distance = 1; distance < d.ranks(); distance *= 2) {
    std::vector<int> travel;
    for (int i = 0; i < d.ranks(); ++i) {
      if ((i & distance) != 0) travel.push_back(i);
    }
    const int many = static_cast<int>(travel.size());
    for (int k = 0; k < many; ++k) {
      d.copy(row.block(travel[static_cast<std::size_t>(k)], blocks), row.block(k, sent));
    }
    const std::uint64_t together = static_cast<std::uint64_t>(many) * size;
    d.exchange(d.after(distance), {sent, 0, together}, d.before(distance), {received, 0, together});
    for (int k = 0; k < many; ++k) {
      d.copy(row.block(k, received), row.block(travel[static_cast<std::size_t>(k)], blocks));
    }
  }
}

}  // namespace commgauge::schedule
