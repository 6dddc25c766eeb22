#include "schedule/draft.hpp"
#include "schedule/halving.hpp"

namespace commgauge::schedule {

namespace {

/// Two buffers, of which the first has the rank's own data and then the result.
std::uint64_t prepare_all_reduce(Draft& d) {
  const std::uint64_t count = d.what.counts.front();
  const Block whole{d.buffer(count), 0, count};
  d.buffer(count);
  d.made.gives.push_back(whole);
  d.made.gets.push_back(whole);
  return count;
}

}  // namespace

void allreduce_flat(Draft& d) {
  const std::uint64_t count = prepare_all_reduce(d);
  add_flat_reduce(d, count, 0);
  add_flat_bcast(d, {0, 0, count}, 0);
}

void allreduce_reduce_bcast(Draft& d) {
  const std::uint64_t count = prepare_all_reduce(d);
  add_binomial_reduce(d, count, 0);
  add_binomial_bcast(d, {0, 0, count}, 0);
}

void allreduce_recursive_doubling(Draft& d) {
  const std::uint64_t count = prepare_all_reduce(d);
  Halving halving(d, count, Halving::Folds::to_odd);
  halving.fold();
  for (int mask = 1; halving.own() >= 0 && mask < halving.power(); mask *= 2) {
    const int peer = halving.rank_at(halving.own() ^ mask);
    d.exchange(peer, {0, 0, count}, peer, {1, 0, count});
    d.combine({1, 0, count}, {0, 0, count}, peer < d.rank);
  }
  halving.unfold();
}

void allreduce_reduce_scatter_allgather(Draft& d) {
  Halving halving(d, prepare_all_reduce(d), Halving::Folds::to_odd);
  halving.fold();
  halving.scatter();
  halving.gather();
  halving.unfold();
}

}  // namespace commgauge::schedule
