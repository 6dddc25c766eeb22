#include "schedule/draft.hpp"

namespace commgauge::schedule {

namespace {

struct Buffers {
  Block sum;   ///< of this rank and of those that it knows of
  Block part;  ///< what came
  Block result;
};

Buffers prepare_scan(Draft& d) {
  const std::uint64_t count = d.what.counts.front();
  Buffers buffers;
  buffers.sum = {d.buffer(count), 0, count};
  buffers.part = {d.buffer(count), 0, count};
  buffers.result = {d.buffer(count), 0, count};
  d.made.gives.push_back(buffers.sum);
  return buffers;
}

/// @param with_own  whether the result has the rank's own data
void add_doubling(Draft& d, const Buffers& b, bool with_own) {
  bool has_result = with_own;
  if (with_own) d.copy(b.sum, b.result);
  for (int mask = 1; mask < d.ranks(); mask *= 2) {
    const int peer = d.rank ^ mask;
    if (peer >= d.ranks()) continue;
    d.exchange(peer, b.sum, peer, b.part);
    if (peer > d.rank) {
      d.combine(b.part, b.sum, false);
      continue;
    }
    d.reduce(b.part, b.sum);
    if (has_result) {
      d.reduce(b.part, b.result);
    } else {
      d.copy(b.part, b.result);
    }
    has_result = true;
  }
}

}  // namespace

void scan_linear(Draft& d) {
  const Buffers b = prepare_scan(d);
  if (d.rank > 0) {
    d.receive(d.rank - 1, b.part);
    d.reduce(b.part, b.sum);
  }
  if (d.rank + 1 < d.ranks()) d.send(d.rank + 1, b.sum);
  d.made.gets.push_back(b.sum);
}

void exscan_linear(Draft& d) {
  scan_linear(d);
  d.made.gets.clear();
  if (d.rank > 0) d.made.gets.push_back({1, 0, d.what.counts.front()});
}

void scan_recursive_doubling(Draft& d) {
  const Buffers b = prepare_scan(d);
  add_doubling(d, b, true);
  d.made.gets.push_back(b.result);
}

void exscan_recursive_doubling(Draft& d) {
  const Buffers b = prepare_scan(d);
  add_doubling(d, b, false);
  if (d.rank > 0) d.made.gets.push_back(b.result);
}

}  // namespace commgauge::schedule
