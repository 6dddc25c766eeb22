#include <algorithm>
#include <cmath>
#include <limits>

#include "base/sort_unique.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/model/spread.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/logp/gap_line.hpp"
#include "fit/logp/overhead_line.hpp"

namespace commgauge {

namespace {

constexpr double large_difference = 0.1;  ///< of o_s, between two ways to measure it

/// What remains of half an empty round trip after the overheads of both ways. The other way not
/// measured: as much again.
Matrix latencies(const Matrix& empty, const Matrix& overheads) {
  Matrix L(empty.size());
  for (int i = 0; i < L.size(); ++i) {
    for (int j = 0; j < L.size(); ++j) {
      const double back = std::isnan(overheads(j, i)) ? overheads(i, j) : overheads(j, i);
      L(i, j) = empty(i, j) / 2 - (overheads(i, j) + back) / 2;
    }
  }
  return L;
}

constexpr double wrong_sends = 2;  ///< times

/// Median of measured over predicted, of sends above the eager limit; 1 where there are none.
double long_send_ratio(const TimeTable& table, const std::vector<LogPRows>& pairs,
                       std::optional<Bytes> limit, const LogGpsParameters& p) {
  std::vector<double> ratios;
  for (const LogPRows& pair : pairs) {
    for (const auto& [size, row] : pair.sends) {
      if (up_to(size, limit)) continue;
      const Message m{pair.from, pair.to, size, static_cast<double>(limit->value)};
      const double ratio = table.times()[row] / send_time(p, m);
      if (std::isfinite(ratio)) ratios.push_back(ratio);
    }
  }
  return ratios.empty() ? 1 : median(ratios);
}

void warn_of_long_sends(double ratio, std::vector<Diagnostic>& warnings) {
  if (ratio > 1 / wrong_sends && ratio < wrong_sends) return;
  warnings.push_back({.kind = "long_sends",
                      .problem = "a send above the eager limit lasts " + two_digits(ratio) +
                                 " times as long as predicted",
                      .advice = "there take plogp for the sender's time"});
}

class LogGpsFit {
 public:
  LogGpsFit(const TimeTable& table, const LogPSettings& settings, const PacketSize& packet)
      : table_{table},
        settings_{settings},
        packet_{packet},
        pairs_{logp_rows(table, settings.receive)} {
    warn_of_void_floods(pairs_, warnings_);
    const Matrix empty = round_trips(table, Bytes{0}, table.times());
    std::erase_if(pairs_, [&](const LogPRows& pair) {
      const Lines lines = lines_of(pair);
      return !lines.send.usable() || !lines.receive.usable() || !lines.gap.usable() ||
             std::isnan(empty(pair.from, pair.to));
    });
    for (const LogPRows& pair : pairs_) {
      lines_.push_back(lines_of(pair));
      for (const auto* const line : {&lines_.back().send, &lines_.back().receive}) {
        used_.insert(used_.end(), line->rows().begin(), line->rows().end());
      }
      add_floods(pair, used_);
      add_empty(table, pair.from, pair.to, used_);
      first_ = std::min(first_, pair.floods.front().size);
      last_ = std::max(last_, pair.floods.back().size);
    }
    sort_unique(used_);
  }

  [[nodiscard]] const std::vector<LogPRows>& pairs() const { return pairs_; }
  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }
  [[nodiscard]] Bytes first() const { return {static_cast<std::uint64_t>(first_)}; }
  [[nodiscard]] Bytes last() const { return {static_cast<std::uint64_t>(last_)}; }
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }

  [[nodiscard]] LogGpsParameters solve(std::span<const double> times) const {
    const int n = table_.ranks();
    LogGpsParameters p;
    p.s = packet_size_in(pairs_, packet_, table_.times(), times);
    for (auto* const matrix :
         {&p.L, &p.o_prime_s, &p.O_s, &p.o_prime_r, &p.O_r, &p.g, &p.G_prime, &p.G}) {
      *matrix = Matrix(n);
    }
    Matrix overheads(n);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const int i = pairs_[k].from;
      const int j = pairs_[k].to;
      const Line send = lines_[k].send.solve(times);
      const Line receive = lines_[k].receive.solve(times);
      const GapLine::Result gap = lines_[k].gap.solve(times, p.s);
      p.o_prime_s(i, j) = send.intercept;
      p.O_s(i, j) = send.slope;
      p.o_prime_r(i, j) = receive.intercept;
      p.O_r(i, j) = receive.slope;
      p.g(i, j) = gap.g;
      p.G_prime(i, j) = gap.G_prime;
      p.G(i, j) = gap.G;
      overheads(i, j) = send.intercept + receive.intercept;
    }
    p.L = latencies(round_trips(table_, Bytes{0}, times), overheads);
    p.mean_L = mean_known(p.L);
    p.mean_o_prime_s = mean_known(p.o_prime_s);
    p.mean_O_s = mean_known(p.O_s);
    p.mean_o_prime_r = mean_known(p.o_prime_r);
    p.mean_O_r = mean_known(p.O_r);
    p.mean_g = mean_known(p.g);
    p.mean_G_prime = mean_known(p.G_prime);
    p.mean_G = mean_known(p.G);
    return p;
  }

  /// How the gap's lines fit: RMS of what they miss, and the step at the eager limit, relative to
  /// the gap before it (median over the pairs).
  struct GapFit {
    double residual{};
    double step{};
  };
  [[nodiscard]] GapFit gap_fit() const {
    double squares = 0;
    long count = 0;
    std::vector<double> steps;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const GapLine& line = lines_[k].gap;
      squares += line.squares(table_.times());
      count += line.count();
      if (!settings_.eager_limit) continue;
      const double s = packet_.size.value;
      const GapLine::Result found = line.solve(table_.times(), s);
      const auto limit = static_cast<double>(settings_.eager_limit->value);
      const double small = std::isnan(s) ? limit : std::min(limit, s);
      const double before = found.g + found.G_prime * small + found.G * (limit - small) +
                            (limit > s ? found.jump : 0);
      steps.push_back(found.step / before);
    }
    return {residual_of(squares, count, 0), steps.empty() ? 0 : median(steps)};
  }

  /// What the floods with delay say of o_s.
  struct CrossCheck {
    long pairs{};
    long too_short{};                 ///< their delay is within the gap, which tells nothing
    std::vector<double> differences;  ///< relative to o_s, of pairs that surely differ
  };
  [[nodiscard]] CrossCheck cross_check() const {
    CrossCheck result;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      for (const FloodRow& flood : pairs_[k].delayed) {
        const double gap = gap_at(pairs_[k], flood.size, table_.times());
        if (flood.delay <= gap) {
          ++result.too_short;
          continue;
        }
        ++result.pairs;
        check(lines_[k].send, flood, result);
      }
    }
    return result;
  }

 private:
  struct Lines {
    SizedOverheadLine send;
    SizedOverheadLine receive;
    GapLine gap;
  };

  /// Refers to the pair.
  [[nodiscard]] Lines lines_of(const LogPRows& pair) const {
    const auto times = table_.times();
    return {{pair.sends, settings_.eager_limit, times},
            {pair.receives, settings_.eager_limit, times},
            {pair, settings_.eager_limit, packet_, times}};
  }

  void check(const SizedOverheadLine& send, const FloodRow& flood, CrossCheck& result) const {
    const auto difference = [&](std::span<const double> times) {
      const Line line = send.solve(times);
      return flood.each(times) - line.intercept - line.slope * flood.size;
    };
    std::vector<std::size_t> used = send.rows();
    used.push_back(flood.row);
    used.push_back(flood.round_trip);
    const Replicates replicates = table_.replicates(used);
    std::vector<double> spread;
    for (const auto& times : replicates.times) spread.push_back(difference(times));
    const double half =
        SpreadRule(replicates.kind, spread.size(), table_.confidence())(spread).mean_half_width;
    const double central = difference(table_.times());
    const double relative = central / (flood.each(table_.times()) - central);
    // Delays are waited for by the clock.
    if (std::abs(central) > half + settings_.clock_cost && std::abs(relative) > large_difference) {
      result.differences.push_back(relative);
    }
  }

  const TimeTable& table_;
  LogPSettings settings_;
  const PacketSize& packet_;
  std::vector<LogPRows> pairs_;
  std::vector<Lines> lines_;
  std::vector<std::size_t> used_;
  double first_{std::numeric_limits<double>::infinity()};
  double last_{};
  std::vector<Diagnostic> warnings_;
};

void warn_of_parameters(Fitted<LogGpsParameters>& fitted) {
  std::vector<Diagnostic>& warnings = fitted.warnings;
  const LogGpsParameters& high = fitted.high;
  const std::string slope = "larger messages are no slower, over the sizes measured";
  warn_of_negative("L", high.L, overlap, warnings);
  warn_of_negative("O_s", high.O_s, slope, warnings);
  warn_of_negative("O_r", high.O_r, slope, warnings);
  warn_of_negative("G'", high.G_prime, slope, warnings);
  if (!std::isnan(fitted.value.s)) warn_of_negative("G", high.G, slope, warnings);
  warn_if(count_less(high.g, fitted.low.o_prime_s), "g_below_o_prime_s", "g is below o'_s",
          "a rank can't send faster than its overhead lets it", warnings);
  warn_if(count_less(high.g, fitted.low.o_prime_r), "g_below_o_prime_r", "g is below o'_r",
          "a rank can't receive faster than its overhead lets it", warnings);
}

void warn_of_fit(const LogGpsFit& fit, std::vector<Diagnostic>& warnings) {
  const auto gap = fit.gap_fit();
  if (gap.residual > poor_fit) {
    warnings.push_back(
        {.kind = "poor_gap_fit",
         .problem = "the gap's lines fit poorly: residual " + percent(gap.residual)});
  }
  if (std::abs(gap.step) > poor_fit) {
    warnings.push_back({.kind = "gap_steps_at_eager_limit",
                        .problem = "above the eager limit the gap is longer by " +
                                   percent(gap.step) + " than g, G' and G say",
                        .advice = "floods wait for their receiver there"});
  }
  const auto cross = fit.cross_check();
  if (!cross.differences.empty()) {
    warnings.push_back({.kind = "overheads_differ",
                        .count = std::ssize(cross.differences),
                        .problem = "o_s differs from what floods with a delay say for " +
                                   pairs_text(std::ssize(cross.differences)) + " of " +
                                   std::to_string(cross.pairs) + ", by " +
                                   percent(median(cross.differences))});
  }
  if (cross.too_short > 0) {
    warnings.push_back({.kind = "overheads_unchecked",
                        .count = cross.too_short,
                        .problem = "o_s was not checked for " + pairs_text(cross.too_short),
                        .advice = "the floods' delay is not above the gap"});
  }
}

}  // namespace

Estimation<LogGpsParameters> estimate_loggps(const TimeTable& table, const LogPSettings& settings,
                                             const PacketSize& packet) {
  const LogGpsFit fit(table, settings, packet);
  if (fit.pairs().empty()) {
    return {{},
            "no pair has an empty round trip, overheads of two sizes up to the eager limit, "
            "and floods of two"};
  }
  auto fitted =
      fit_replicates<LogGpsParameters>(table, fit.used(), [&](std::span<const double> times) {
        return Solution<LogGpsParameters>{fit.solve(times), {}};
      });
  fitted.first = fit.first();
  fitted.last = fit.last();
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = one_way_residual(table, fit.pairs(), settings.eager_limit, fitted);
  fitted.warnings = fit.warnings();
  warn_of_residual(fitted.residual, fitted.warnings);
  warn_of_parameters(fitted);
  warn_of_fit(fit, fitted.warnings);
  warn_of_long_sends(long_send_ratio(table, fit.pairs(), settings.eager_limit, fitted.value),
                     fitted.warnings);
  warn_of_missing(std::ssize(fit.pairs()), fitted);
  return {std::move(fitted), {}};
}

void set_packet_size(Fitted<LogGpsParameters>& fitted, const PacketSize& packet) {
  fitted.value.s = packet.size.value;
  fitted.low.s = packet.size.low;
  fitted.high.s = packet.size.high;
  fitted.warnings.insert(fitted.warnings.begin(), packet.warnings.begin(), packet.warnings.end());
}

}  // namespace commgauge
