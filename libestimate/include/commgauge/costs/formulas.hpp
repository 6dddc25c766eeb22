#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "commgauge/costs/curve.hpp"
#include "commgauge/costs/message.hpp"
#include "commgauge/model/model.hpp"

// Each model's costs of an ordered pair, by the names of PairCosts. A function of a size returns
// the line on which the message's time lies there [s]: reading it costs a prediction no more than
// that line, and stored() makes curves of it. NaN: the pair was not measured. See docs/models.md.

namespace commgauge {

/// The first size above the eager limit.
[[nodiscard]] double beyond(double eager_limit);

/// What a model doesn't tell of.
struct NoCosts {
  static constexpr bool has_gap = false;
  /// Whether one-way times differ between protocols.
  static constexpr bool knows_protocols = false;
  static constexpr bool keeps_receiver = false;
  static constexpr bool passes_at_once = false;
  static constexpr bool ends_together = true;
  static constexpr bool has_handshake = false;
  [[nodiscard]] CostLine gap(double) const { return {}; }
  [[nodiscard]] CostLine link(double) const { return {}; }
  [[nodiscard]] CostLine port(double) const { return {}; }
  [[nodiscard]] double request() const { return 0; }
  [[nodiscard]] double reply() const { return 0; }
  [[nodiscard]] double reply_overhead() const { return 0; }
  /// Where lines change [bytes].
  void add_breaks(std::vector<double>&) const {}
};

// No overlap: a message keeps its sender, and its receiver's port, for all of its time. What a rank
// receives meanwhile doesn't wait for what it sends.

/// Both lines of a machine, each for its side of the eager limit.
struct HockneyLines {
  const HockneyParameters& eager;
  const HockneyParameters& rendezvous;
};

[[nodiscard]] inline CostLine line_below(const HockneyLines& lines, int i, int j) {
  return {lines.eager.alpha(i, j), lines.eager.beta(i, j)};
}
[[nodiscard]] inline CostLine line_above(const HockneyLines& lines, int i, int j) {
  return {lines.rendezvous.alpha(i, j), lines.rendezvous.beta(i, j)};
}
[[nodiscard]] inline CostLine line_below(const StartUpParameters& p, int i, int j) {
  return {p.i(i, j), p.t(i, j)};
}
[[nodiscard]] inline CostLine line_above(const StartUpParameters& p, int i, int j) {
  return line_below(p, i, j);
}

template <class Lines>
class NoOverlapCosts : public NoCosts {
 public:
  NoOverlapCosts(Lines lines, const Message& m)
      : lines_{lines}, from_{m.from}, to_{m.to}, limit_{m.eager_limit} {}
  static constexpr bool keeps_receiver = true;
  static constexpr bool passes_at_once = true;
  static constexpr bool knows_protocols = std::is_same_v<Lines, HockneyLines>;
  [[nodiscard]] CostLine one_way(double) const { return line_below(lines_, from_, to_); }
  [[nodiscard]] CostLine send_overhead(double size) const { return one_way(size); }
  [[nodiscard]] static CostLine receive_overhead(double) { return {}; }
  [[nodiscard]] CostLine arrival(double size) const { return one_way(size); }
  [[nodiscard]] CostLine port(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_receiver(double size) const {
    return size > limit_ ? line_above(lines_, from_, to_) : one_way(size);
  }
  [[nodiscard]] CostLine rendezvous_sender(double size) const { return rendezvous_receiver(size); }
  [[nodiscard]] CostLine rendezvous_send_port(double size) const {
    return rendezvous_receiver(size);
  }
  [[nodiscard]] CostLine rendezvous_receive_port(double size) const {
    return rendezvous_receiver(size);
  }
  void add_breaks(std::vector<double>& breaks) const { breaks.push_back(beyond(limit_)); }

 private:
  Lines lines_;
  int from_;
  int to_;
  double limit_;
};

inline NoOverlapCosts<HockneyLines> costs_of(const HockneyLines& lines, const Message& m) {
  return {lines, m};
}
inline NoOverlapCosts<HockneyLines> costs_of(const HockneyParameters& p, const Message& m) {
  return {HockneyLines{p, p}, m};
}
inline NoOverlapCosts<const StartUpParameters&> costs_of(const StartUpParameters& p,
                                                         const Message& m) {
  return {p, m};
}

/// Reads curves of a model between sizes: the line around a size among those of its own side of the
/// eager limit, and the last segment's beyond them.
class CurveReader {
 public:
  CurveReader(const std::vector<Bytes>& sizes, const Message& m)
      : sizes_{sizes}, from_{m.from}, to_{m.to}, limit_{m.eager_limit} {}
  /// NaN where the side has fewer than two known sizes, but at a single one itself.
  [[nodiscard]] CostLine line(const std::vector<Matrix>& curve, double size) const;
  /// The same; a side of fewer than two sizes is read across the limit.
  [[nodiscard]] CostLine line_across(const std::vector<Matrix>& curve, double size) const;
  /// Whether there are sizes around this one, on its side of the limit.
  [[nodiscard]] bool covers(const std::vector<Matrix>& curve, double size) const;
  void add_breaks(std::vector<double>& breaks) const;

 private:
  template <class Use>
  void for_each_knot(const std::vector<Matrix>& curve, double limit, bool above, Use&& use) const;
  [[nodiscard]] CostLine line(const std::vector<Matrix>& curve, double size, double limit) const;

  const std::vector<Bytes>& sizes_;
  int from_;
  int to_;
  double limit_;
};

class CurvesCosts : public NoCosts {
 public:
  CurvesCosts(const CurvesParameters& p, const Message& m) : p_{p}, curve_{p.sizes, m} {}
  static constexpr bool keeps_receiver = true;
  static constexpr bool passes_at_once = true;
  [[nodiscard]] CostLine one_way(double size) const { return curve_.line_across(p_.time, size); }
  [[nodiscard]] CostLine send_overhead(double size) const { return one_way(size); }
  [[nodiscard]] static CostLine receive_overhead(double) { return {}; }
  [[nodiscard]] CostLine arrival(double size) const { return one_way(size); }
  [[nodiscard]] CostLine port(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_sender(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_receiver(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_send_port(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_receive_port(double size) const { return one_way(size); }
  void add_breaks(std::vector<double>& breaks) const { curve_.add_breaks(breaks); }

 private:
  const CurvesParameters& p_;
  CurveReader curve_;
};

inline CurvesCosts costs_of(const CurvesParameters& p, const Message& m) { return {p, m}; }

// Ranks' own times beside the link's. A message has arrived when only the receive overhead is left
// of its one-way time; both sides of a rendezvous message end together.

class AdditiveCosts : public NoCosts {
 public:
  AdditiveCosts(const AdditiveParameters& p, const Message& m) : p_{p}, from_{m.from}, to_{m.to} {}
  [[nodiscard]] CostLine send_overhead(double) const { return of_rank(from_); }
  [[nodiscard]] CostLine receive_overhead(double) const { return of_rank(to_); }
  [[nodiscard]] CostLine one_way(double) const {
    const double latency = p_.L.size() > 0 ? p_.L(from_, to_) : 0;
    return of_rank(from_) + CostLine{latency, p_.inverse_beta(from_, to_)} + of_rank(to_);
  }
  [[nodiscard]] CostLine arrival(double size) const {
    return one_way(size) - receive_overhead(size);
  }
  /// A fitted value below zero says that the times per byte don't add, and nothing of the link.
  [[nodiscard]] CostLine link(double) const {
    return {0, std::max(0.0, p_.inverse_beta(from_, to_))};
  }
  [[nodiscard]] CostLine rendezvous_sender(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_receiver(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_send_port(double size) const { return send_overhead(size); }
  [[nodiscard]] CostLine rendezvous_receive_port(double size) const {
    return receive_overhead(size);
  }

 private:
  [[nodiscard]] CostLine of_rank(int rank) const { return {p_.C[at(rank)], p_.t[at(rank)]}; }

  const AdditiveParameters& p_;
  int from_;
  int to_;
};

inline AdditiveCosts costs_of(const AdditiveParameters& p, const Message& m) { return {p, m}; }

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

class BottleneckCosts : public NoCosts {
 public:
  BottleneckCosts(const BottleneckView& view, const Message& m)
      : view_{view}, from_{m.from}, to_{m.to} {}
  static constexpr bool passes_at_once = true;
  [[nodiscard]] CostLine send_overhead(double) const {
    return {view_.p.C[at(from_)], std::min(view_.send_gap(from_), gap_of_pair())};
  }
  [[nodiscard]] CostLine receive_overhead(double) const { return {view_.p.C[at(to_)], 0}; }
  [[nodiscard]] CostLine one_way(double) const {
    const BottleneckParameters& p = view_.p;
    return {p.C[at(from_)] + p.L(from_, to_) + p.C[at(to_)], gap_of_pair()};
  }
  [[nodiscard]] CostLine arrival(double size) const {
    return one_way(size) - receive_overhead(size);
  }
  [[nodiscard]] CostLine link(double) const { return {0, gap_of_pair()}; }
  [[nodiscard]] CostLine port(double) const {
    return {0, std::min(view_.receive_gap(to_), gap_of_pair())};
  }
  [[nodiscard]] CostLine rendezvous_sender(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_receiver(double size) const { return one_way(size); }
  [[nodiscard]] CostLine rendezvous_send_port(double size) const { return send_overhead(size); }
  [[nodiscard]] CostLine rendezvous_receive_port(double size) const {
    return receive_overhead(size) + port(size);
  }

 private:
  [[nodiscard]] double gap_of_pair() const { return view_.p.g(from_, to_); }

  BottleneckView view_;
  int from_;
  int to_;
};

inline BottleneckCosts costs_of(const BottleneckView& view, const Message& m) { return {view, m}; }

// The LogP family: the sender goes on after its overhead, whatever the receiver does.

template <class Self>
class LogPFamilyCosts : public NoCosts {
 public:
  static constexpr bool has_gap = true;
  static constexpr bool ends_together = false;
  [[nodiscard]] CostLine rendezvous_sender(double size) const { return self().send_overhead(size); }
  [[nodiscard]] CostLine rendezvous_receiver(double size) const { return self().one_way(size); }
  [[nodiscard]] CostLine rendezvous_send_port(double size) const { return self().gap(size); }
  [[nodiscard]] CostLine rendezvous_receive_port(double size) const { return self().gap(size); }

 protected:
  [[nodiscard]] const Self& self() const { return static_cast<const Self&>(*this); }
};

/// o_s + L + what the bytes add + o_r.
template <class Self>
class OverheadsAndBytes : public LogPFamilyCosts<Self> {
 public:
  [[nodiscard]] CostLine arrival(double size) const {
    const Self& costs = this->self();
    return costs.bytes(size) + costs.send_overhead(size) + CostLine{costs.latency(), 0};
  }
  [[nodiscard]] CostLine one_way(double size) const {
    return arrival(size) + this->self().receive_overhead(size);
  }
};

class LogPCosts : public OverheadsAndBytes<LogPCosts> {
 public:
  LogPCosts(const LogPParameters& p, const Message& m) : p_{p}, from_{m.from}, to_{m.to} {}
  [[nodiscard]] CostLine send_overhead(double) const { return {p_.o(from_, to_), 0}; }
  [[nodiscard]] CostLine receive_overhead(double) const { return {p_.o(from_, to_), 0}; }
  [[nodiscard]] CostLine gap(double) const { return {p_.g(from_, to_), 0}; }
  [[nodiscard]] static CostLine bytes(double) { return {}; }
  [[nodiscard]] double latency() const { return p_.L(from_, to_); }

 private:
  const LogPParameters& p_;
  int from_;
  int to_;
};

class LogGpCosts : public OverheadsAndBytes<LogGpCosts> {
 public:
  LogGpCosts(const LogGpParameters& p, const Message& m) : p_{p}, from_{m.from}, to_{m.to} {}
  [[nodiscard]] CostLine send_overhead(double) const { return {p_.o(from_, to_), 0}; }
  [[nodiscard]] CostLine receive_overhead(double) const { return {p_.o(from_, to_), 0}; }
  [[nodiscard]] CostLine gap(double) const { return {p_.g(from_, to_), p_.G(from_, to_)}; }
  [[nodiscard]] CostLine bytes(double) const { return {0, p_.G(from_, to_)}; }
  [[nodiscard]] double latency() const { return p_.L(from_, to_); }

 private:
  const LogGpParameters& p_;
  int from_;
  int to_;
};

class LogGpsCosts : public OverheadsAndBytes<LogGpsCosts> {
 public:
  LogGpsCosts(const LogGpsParameters& p, const Message& m) : LogGpsCosts(p, p, m) {}
  /// @param measured  where `p` has means in place of what wasn't
  LogGpsCosts(const LogGpsParameters& p, const LogGpsParameters& measured, const Message& m)
      : p_{p}, measured_{measured}, from_{m.from}, to_{m.to} {}
  static constexpr bool has_handshake = true;
  static constexpr bool knows_protocols = true;
  [[nodiscard]] CostLine send_overhead(double) const {
    return {p_.o_prime_s(from_, to_), p_.O_s(from_, to_)};
  }
  [[nodiscard]] CostLine receive_overhead(double) const {
    return {p_.o_prime_r(from_, to_), p_.O_r(from_, to_)};
  }
  [[nodiscard]] CostLine gap(double size) const {
    return bytes(size) + CostLine{p_.g(from_, to_), 0};
  }
  /// G′ for each byte up to s, G for each beyond it.
  [[nodiscard]] CostLine bytes(double size) const {
    const double below = p_.G_prime(from_, to_);
    if (std::isnan(p_.s) || size < p_.s) return {0, below};
    return {(below - p_.G(from_, to_)) * p_.s, p_.G(from_, to_)};
  }
  [[nodiscard]] double latency() const { return p_.L(from_, to_); }
  [[nodiscard]] double request() const { return p_.o_prime_s(from_, to_) + latency(); }
  [[nodiscard]] double reply() const {
    return goes_back_alike() ? request() : p_.o_prime_s(to_, from_) + p_.L(to_, from_);
  }
  [[nodiscard]] double reply_overhead() const {
    return goes_back_alike() ? p_.o_prime_s(from_, to_) : p_.o_prime_s(to_, from_);
  }
  void add_breaks(std::vector<double>& breaks) const { breaks.push_back(p_.s); }

 private:
  /// Where only this way was measured the other takes as much again.
  [[nodiscard]] bool goes_back_alike() const {
    const auto is_measured = [this](int i, int j) {
      return !std::isnan(measured_.o_prime_s(i, j) + measured_.L(i, j));
    };
    return is_measured(from_, to_) && !is_measured(to_, from_);
  }

  const LogGpsParameters& p_;
  const LogGpsParameters& measured_;
  int from_;
  int to_;
};

/// Each of its curves is read between the sizes on the message's own side of the eager limit, and
/// goes on with the slope of the last segment there.
class PLogPCosts : public LogPFamilyCosts<PLogPCosts> {
 public:
  PLogPCosts(const PLogPParameters& p, const Message& m)
      : p_{p}, from_{m.from}, to_{m.to}, curve_{p.sizes, m} {}
  [[nodiscard]] CostLine send_overhead(double size) const { return curve_.line(p_.o_s, size); }
  [[nodiscard]] CostLine receive_overhead(double size) const { return curve_.line(p_.o_r, size); }
  [[nodiscard]] CostLine gap(double size) const { return curve_.line(p_.g, size); }
  [[nodiscard]] CostLine one_way(double size) const {
    return CostLine{p_.L(from_, to_), 0} + gap(size);
  }
  [[nodiscard]] CostLine arrival(double size) const {
    return one_way(size) - receive_overhead(size);
  }
  void add_breaks(std::vector<double>& breaks) const { curve_.add_breaks(breaks); }

  [[nodiscard]] bool covers_send_overhead(double size) const { return curve_.covers(p_.o_s, size); }
  [[nodiscard]] bool covers_receive_overhead(double size) const {
    return curve_.covers(p_.o_r, size);
  }
  [[nodiscard]] bool covers_gap(double size) const { return curve_.covers(p_.g, size); }

 private:
  const PLogPParameters& p_;
  int from_;
  int to_;
  CurveReader curve_;
};

inline LogPCosts costs_of(const LogPParameters& p, const Message& m) { return {p, m}; }
inline LogGpCosts costs_of(const LogGpParameters& p, const Message& m) { return {p, m}; }
inline LogGpsCosts costs_of(const LogGpsParameters& p, const Message& m) { return {p, m}; }
inline PLogPCosts costs_of(const PLogPParameters& p, const Message& m) { return {p, m}; }

template <class View>
using CostsOf = decltype(costs_of(std::declval<const View&>(), std::declval<const Message&>()));

template <class View>
concept LogPFamily = CostsOf<View>::has_gap;

}  // namespace commgauge
