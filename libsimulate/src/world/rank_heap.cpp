#include "commgauge/simulate/world/rank_heap.hpp"

#include <algorithm>

namespace commgauge::simulate {

namespace {

/// Where the columns begin, behind State [bytes].
constexpr std::size_t values_begin = 64;

std::size_t bytes_for(int ranks) {
  return values_begin + static_cast<std::size_t>(ranks) * (sizeof(double) + 2 * sizeof(int));
}

}  // namespace

void RankHeap::make_empty(const Arena& arena, Offset place, int ranks) {
  *arena.at<State>(place) = {ranks, 0};
  const RankHeap heap(arena, place);
  std::fill_n(heap.place_, ranks, -1);
  std::fill_n(heap.time_, ranks, never);
}

Offset RankHeap::set_up(Arena& arena, int ranks) {
  const Offset place = arena.reserve(bytes_for(ranks));
  make_empty(arena, place, ranks);
  return place;
}

Offset RankHeap::grown(Arena& arena, Offset place, int ranks) {
  const Offset larger = arena.allocate(bytes_for(ranks));
  make_empty(arena, larger, ranks);
  if (place == 0) return larger;
  const RankHeap old(arena, place);
  RankHeap heap(arena, larger);
  for (int r = 0; r < old.state_->ranks; ++r) heap.set(r, old.time_[r]);
  arena.release(place);
  return larger;
}

RankHeap::RankHeap(const Arena& arena, Offset place) : state_{arena.at<State>(place)} {
  const auto n = static_cast<std::size_t>(state_->ranks);
  time_ = arena.at<double>(place + values_begin);
  ranks_ = reinterpret_cast<int*>(time_ + n);
  place_ = ranks_ + n;
}

void RankHeap::put(int place, int rank) {
  ranks_[place] = rank;
  place_[rank] = place;
}

void RankHeap::rise(int place, int rank) {
  while (place > 0) {
    const int above = (place - 1) / 2;
    if (time_[ranks_[above]] <= time_[rank]) break;
    put(place, ranks_[above]);
    place = above;
  }
  put(place, rank);
}

void RankHeap::sink(int place, int rank) {
  for (;;) {
    int below = 2 * place + 1;
    if (below >= state_->size) break;
    if (below + 1 < state_->size && time_[ranks_[below + 1]] < time_[ranks_[below]]) ++below;
    if (time_[rank] <= time_[ranks_[below]]) break;
    put(place, ranks_[below]);
    place = below;
  }
  put(place, rank);
}

void RankHeap::set(int rank, double time) {
  const double before = time_[rank];
  if (before == time) return;
  time_[rank] = time;
  const int place = place_[rank];
  if (time == never) {
    place_[rank] = -1;
    const int last = ranks_[--state_->size];
    if (last == rank) return;
    put(place, last);
    sink(place, last);
    rise(place_[last], last);
  } else if (before == never) {
    rise(state_->size++, rank);
  } else if (time < before) {
    rise(place, rank);
  } else {
    sink(place, rank);
  }
}

}  // namespace commgauge::simulate
