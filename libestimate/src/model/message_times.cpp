#include "model/message_times.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace commgauge {

namespace {

double at(const Matrix& matrix, const Message& m) { return matrix(m.from, m.to); }

/// What a message's bytes add to its latency and to its gap.
double bytes_time(const LogGpsParameters& p, const Message& m) {
  const double below = at(p.G_prime, m);
  if (std::isnan(p.s) || m.size < p.s) return below * m.size;
  return below * p.s + at(p.G, m) * (m.size - p.s);
}

/// A request of the sender, the receiver's reply. The other way not measured: as much again.
double handshake(const LogGpsParameters& p, const Message& m) {
  const double there = p.o_prime_s(m.from, m.to) + p.L(m.from, m.to);
  const double back = p.o_prime_s(m.to, m.from) + p.L(m.to, m.from);
  return there + (std::isnan(back) ? there : back);
}

using Knots = std::vector<std::pair<double, double>>;

/// Sizes and values of a pair's curve, on the message's side of the eager limit.
Knots knots_of(const std::vector<Bytes>& sizes, const std::vector<Matrix>& curve,
               const Message& m) {
  Knots knots;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto size = static_cast<double>(sizes[k].value);
    const double value = at(curve[k], m);
    if ((size > m.eager_limit) == m.rendezvous() && !std::isnan(value)) {
      knots.emplace_back(size, value);
    }
  }
  return knots;
}

double read(const Knots& knots, double size) {
  if (knots.size() == 1 && knots.front().first == size) return knots.front().second;
  if (knots.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  std::size_t right = 1;
  while (right + 1 < knots.size() && knots[right].first < size) ++right;
  const auto [x0, y0] = knots[right - 1];
  const auto [x1, y1] = knots[right];
  return y0 + (y1 - y0) / (x1 - x0) * (size - x0);
}

bool covers(const Knots& knots, double size) {
  return !knots.empty() && knots.front().first <= size && size <= knots.back().first;
}

}  // namespace

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

double one_way(const HockneyParameters& p, const Message& m) {
  return at(p.alpha, m) + at(p.beta, m) * m.size;
}

double one_way(const HockneyLines& lines, const Message& m) {
  return one_way(m.rendezvous() ? lines.rendezvous : lines.eager, m);
}

double one_way(const StartUpParameters& p, const Message& m) {
  return at(p.i, m) + at(p.t, m) * m.size;
}

double overhead_s(const LogPParameters& p, const Message& m) { return at(p.o, m); }
double overhead_r(const LogPParameters& p, const Message& m) { return at(p.o, m); }
double gap(const LogPParameters& p, const Message& m) { return at(p.g, m); }
double send_time(const LogPParameters& p, const Message& m) { return overhead_s(p, m); }
double one_way(const LogPParameters& p, const Message& m) {
  return overhead_s(p, m) + at(p.L, m) + overhead_r(p, m);
}

double overhead_s(const LogGpParameters& p, const Message& m) { return at(p.o, m); }
double overhead_r(const LogGpParameters& p, const Message& m) { return at(p.o, m); }
double gap(const LogGpParameters& p, const Message& m) { return at(p.g, m) + at(p.G, m) * m.size; }
double send_time(const LogGpParameters& p, const Message& m) { return overhead_s(p, m); }
double one_way(const LogGpParameters& p, const Message& m) {
  return overhead_s(p, m) + at(p.L, m) + at(p.G, m) * m.size + overhead_r(p, m);
}

double overhead_s(const LogGpsParameters& p, const Message& m) {
  return at(p.o_prime_s, m) + at(p.O_s, m) * m.size;
}
double overhead_r(const LogGpsParameters& p, const Message& m) {
  return at(p.o_prime_r, m) + at(p.O_r, m) * m.size;
}
double gap(const LogGpsParameters& p, const Message& m) { return at(p.g, m) + bytes_time(p, m); }
double send_time(const LogGpsParameters& p, const Message& m) {
  return overhead_s(p, m) + (m.rendezvous() ? handshake(p, m) : 0);
}
double one_way(const LogGpsParameters& p, const Message& m) {
  return send_time(p, m) + at(p.L, m) + bytes_time(p, m) + overhead_r(p, m);
}

double overhead_s(const PLogPParameters& p, const Message& m) {
  return read(knots_of(p.sizes, p.o_s, m), m.size);
}
double overhead_r(const PLogPParameters& p, const Message& m) {
  return read(knots_of(p.sizes, p.o_r, m), m.size);
}
double gap(const PLogPParameters& p, const Message& m) {
  return read(knots_of(p.sizes, p.g, m), m.size);
}
double send_time(const PLogPParameters& p, const Message& m) { return overhead_s(p, m); }
double one_way(const PLogPParameters& p, const Message& m) { return at(p.L, m) + gap(p, m); }

bool covers_overhead_s(const PLogPParameters& p, const Message& m) {
  return covers(knots_of(p.sizes, p.o_s, m), m.size);
}
bool covers_overhead_r(const PLogPParameters& p, const Message& m) {
  return covers(knots_of(p.sizes, p.o_r, m), m.size);
}
bool covers_gap(const PLogPParameters& p, const Message& m) {
  return covers(knots_of(p.sizes, p.g, m), m.size);
}

}  // namespace commgauge
