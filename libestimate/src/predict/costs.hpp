#pragma once

#include <algorithm>
#include <cmath>

#include "model/message_times.hpp"

namespace commgauge {

[[nodiscard]] inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Of an eager message:
//   busy     how long it keeps its sender from its next message
//   take_in  how long it keeps a receiver that has others waiting

/// A model that says nothing else, as Hockney's, knows no overlap.
template <class Parameters>
double busy(const Parameters& p, const Message& m) {
  return one_way(p, m);
}
template <class Parameters>
double take_in(const Parameters& p, const Message& m) {
  return one_way(p, m);
}

inline double rank_cost(const AdditiveParameters& p, int rank, double size) {
  return p.C[at(rank)] + p.t[at(rank)] * size;
}

inline double busy(const AdditiveParameters& p, const Message& m) {
  return rank_cost(p, m.from, m.size);
}
inline double take_in(const AdditiveParameters& p, const Message& m) {
  return rank_cost(p, m.to, m.size);
}
inline double send_time(const AdditiveParameters& p, const Message& m) { return busy(p, m); }
inline double link_time(const AdditiveParameters& p, const Message& m) {
  return m.size * p.inverse_beta(m.from, m.to) + (p.L.size() > 0 ? p.L(m.from, m.to) : 0);
}
inline double one_way(const AdditiveParameters& p, const Message& m) {
  return busy(p, m) + take_in(p, m) + link_time(p, m);
}

/// Gaps per byte [s/byte] of which only a bound is known are taken at that bound (`share` 1) or at
/// nothing (0).
struct BottleneckView {
  const BottleneckParameters& p;
  const BottleneckParameters& bounds;
  double share;
  [[nodiscard]] double send_gap(int i) const { return known(p.s[at(i)], bounds.s[at(i)]); }
  [[nodiscard]] double receive_gap(int i) const { return known(p.r[at(i)], bounds.r[at(i)]); }

 private:
  [[nodiscard]] double known(double value, double bound) const {
    return std::isnan(value) ? share * bound : value;
  }
};

inline double busy(const BottleneckView& view, const Message& m) {
  return view.p.C[at(m.from)] + std::min(view.send_gap(m.from), view.p.g(m.from, m.to)) * m.size;
}

inline double take_in(const BottleneckView& view, const Message& m) {
  return view.p.C[at(m.to)] + std::min(view.receive_gap(m.to), view.p.g(m.from, m.to)) * m.size;
}

inline double one_way(const BottleneckView& view, const Message& m) {
  const BottleneckParameters& p = view.p;
  return p.C[at(m.from)] + p.L(m.from, m.to) + p.C[at(m.to)] + m.size * p.g(m.from, m.to);
}

template <class Parameters>
concept LogPFamily = requires(const Parameters& p, const Message& m) {
  overhead_s(p, m);
  overhead_r(p, m);
  gap(p, m);
};

template <LogPFamily Parameters>
double busy(const Parameters& p, const Message& m) {
  return larger(overhead_s(p, m), gap(p, m));
}
template <LogPFamily Parameters>
double take_in(const Parameters& p, const Message& m) {
  return larger(overhead_r(p, m), gap(p, m));
}

}  // namespace commgauge
