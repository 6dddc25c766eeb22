#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/gsl.hpp"
#include "base/sort_unique.hpp"
#include "base/text.hpp"
#include "commgauge/base/statistics.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/logp_rows.hpp"
#include "fit/relative_weights.hpp"
#include "model/message_times.hpp"
#include "model/spread.hpp"

namespace commgauge {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double poor_fit = 0.05;
constexpr double large_difference = 0.1;  ///< of o_s, between two ways to measure it

double mean_known(const Matrix& m) {
  std::vector<double> known;
  std::ranges::copy_if(m.values(), std::back_inserter(known),
                       [](double value) { return !std::isnan(value); });
  return known.empty() ? unknown : mean(known);
}

bool up_to(double size, std::optional<Bytes> limit) {
  return !limit || size <= static_cast<double>(limit->value);
}

/// o′ + O·k of one side, by relative_weights().
class OverheadLine {
 public:
  OverheadLine(const std::vector<SizedRow>& rows, std::optional<Bytes> limit,
               std::span<const double> times) {
    for (const auto& [size, row] : rows) {
      if (!up_to(size, limit)) continue;
      sizes_.push_back(size);
      rows_.push_back(row);
    }
    if (usable()) weights_ = line_weights(sizes_, own(times));
  }
  [[nodiscard]] bool usable() const { return sizes_.size() >= 2; }
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }
  [[nodiscard]] Line solve(std::span<const double> times) const {
    return fit_line(sizes_, own(times), weights_);
  }

 private:
  [[nodiscard]] std::vector<double> own(std::span<const double> times) const {
    std::vector<double> y;
    for (const std::size_t row : rows_) y.push_back(times[row]);
    return y;
  }

  std::vector<double> sizes_;
  std::vector<std::size_t> rows_;
  std::vector<double> weights_;
};

/// g + G′·min(k, s) + G·max(k − s, 0), by relative_weights(). Fitted beside it: a jump at s if
/// there is one, and where the sizes tell it apart a step above the eager limit, for a flood of
/// synchronous messages waits for its receiver.
class GapLine {
 public:
  struct Result {
    double g{};
    double G_prime{};
    double G{};
    double jump{};
    double step{};
  };

  /// Without a packet size one line.
  GapLine(const LogPRows& pair, std::optional<Bytes> limit, const PacketSize& packet,
          std::span<const double> times)
      : pair_{pair},
        limit_{limit},
        s_{packet.size.value},
        has_break_{!std::isnan(s_)},
        has_jump_{packet.is_jump()},
        has_step_{tells_step()} {
    if (!usable()) return;
    weights_ = relative_weights(gaps(times), [&](std::span<const double> weights) {
      return fitted(solve(times, s_, weights), s_);
    });
  }

  [[nodiscard]] bool usable() const {
    const auto small = count_sizes(pair_.floods, [&](double k) { return !(k > s_); });
    const auto large = count_sizes(pair_.floods, [&](double k) { return k > s_; });
    return small >= 2 && (!has_break_ || large >= (has_jump_ ? 2 : 1));
  }

  /// @param s  where the kink is in these times; of no meaning without one
  [[nodiscard]] Result solve(std::span<const double> times, double s) const {
    return solve(times, s, weights_);
  }

  /// Relative squares of what is missed, over the floods.
  [[nodiscard]] double squares(std::span<const double> times) const {
    const std::vector<double> line = fitted(solve(times, s_), s_);
    const std::vector<double> measured = gaps(times);
    double sum = 0;
    for (std::size_t k = 0; k < line.size(); ++k) sum += std::pow(1 - line[k] / measured[k], 2);
    return sum;
  }
  [[nodiscard]] long count() const { return static_cast<long>(weights_.size()); }

 private:
  [[nodiscard]] std::vector<double> gaps(std::span<const double> times) const {
    std::vector<double> all;
    for (const FloodRow& flood : pair_.floods) all.push_back(flood.each(times));
    return all;
  }

  [[nodiscard]] Result solve(std::span<const double> times, double s,
                             std::span<const double> weights) const {
    std::vector<double> design;
    for (const FloodRow& flood : pair_.floods) {
      design.push_back(1);
      design.push_back(has_break_ ? std::min(flood.size, s) : flood.size);
      if (has_break_) design.push_back(std::max(flood.size - s, 0.0));
      if (has_jump_) design.push_back(flood.size > s ? 1 : 0);
      if (has_step_) design.push_back(up_to(flood.size, limit_) ? 0 : 1);
    }
    const std::vector<double> found = gsl::weighted_fit(design, gaps(times), weights);
    return {found[0], found[1], found[has_break_ ? 2 : 1], has_jump_ ? found[3] : 0,
            has_step_ ? found.back() : 0};
  }

  /// Gap of each flood.
  [[nodiscard]] std::vector<double> fitted(const Result& line, double s) const {
    std::vector<double> all;
    for (const FloodRow& flood : pair_.floods) {
      const double small = has_break_ ? std::min(flood.size, s) : flood.size;
      const double step = up_to(flood.size, limit_) ? 0 : line.step;
      const double jump = flood.size > s ? line.jump : 0;
      all.push_back(line.g + line.G_prime * small + line.G * (flood.size - small) + jump + step);
    }
    return all;
  }

  [[nodiscard]] bool tells_step() const {
    const auto count = [&](bool is_above, bool is_large) {
      return count_sizes(pair_.floods, [&](double k) {
        return !up_to(k, limit_) == is_above && (k > s_) == is_large;
      });
    };
    const long small_eager = count(false, false);
    const long large_eager = count(false, true);
    const long small_above = count(true, false);
    const long large_above = count(true, true);
    if (small_above + large_above == 0 || small_eager + large_eager == 0) return false;
    if (!has_break_) return std::max(small_eager, small_above) >= 2;
    if (has_jump_) {
      const bool parts_large = large_eager > 0 && std::max(large_eager, large_above) >= 2;
      const bool parts_small = small_above > 0 && std::max(small_eager, small_above) >= 2;
      return (small_above == 0 && parts_large) || (large_eager == 0 && parts_small);
    }
    if (small_above == 0) return large_above >= 2 || (large_eager >= 1 && large_above >= 1);
    return large_above >= 1 && std::max(small_eager, small_above) >= 2;
  }

  const LogPRows& pair_;
  std::optional<Bytes> limit_;
  double s_;
  bool has_break_;
  bool has_jump_;
  bool has_step_;
  std::vector<double> weights_;
};

void add_floods(const LogPRows& pair, std::vector<std::size_t>& used) {
  for (const FloodRow& flood : pair.floods) {
    used.push_back(flood.row);
    used.push_back(flood.round_trip);
  }
}

void add_empty(const TimeTable& table, int i, int j, std::vector<std::size_t>& used) {
  for (const auto& empty : {round_trip(i, j, {}, {}), round_trip(j, i, {}, {})}) {
    if (const auto row = table.find(empty)) used.push_back(*row);
  }
}

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

/// RMS of predicted against measured one-way times in the range, relative to the predicted ones, as
/// predictions take it.
template <class Parameters>
double one_way_residual(const TimeTable& table, const std::vector<LogPRows>& pairs,
                        std::optional<Bytes> limit, const Fitted<Parameters>& fitted) {
  const double eager_limit =
      limit ? static_cast<double>(limit->value) : std::numeric_limits<double>::infinity();
  const Matrix empty = round_trips(table, Bytes{0}, table.times());
  double squares = 0;
  long count = 0;
  for (const LogPRows& pair : pairs) {
    for (const auto& [size, row] : pair.round_trips) {
      const bool is_inside = size >= static_cast<double>(fitted.first.value) &&
                             size <= static_cast<double>(fitted.last.value);
      if (!is_inside) continue;
      const double measured = table.times()[row] - empty(pair.from, pair.to) / 2;
      const double predicted = one_way(fitted.value, {pair.from, pair.to, size, eager_limit});
      const double miss = (predicted - measured) / predicted;
      if (!std::isfinite(miss)) continue;
      squares += miss * miss;
      ++count;
    }
  }
  return residual_of(squares, count, 0);
}

void warn_of_residual(double residual, std::vector<std::string>& warnings) {
  if (!(residual > poor_fit)) return;
  warnings.push_back("one-way times of the sizes that it covers are missed by " +
                     percent(residual) + " (root mean square)");
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

void warn_of_long_sends(double ratio, std::vector<std::string>& warnings) {
  if (ratio > 1 / wrong_sends && ratio < wrong_sends) return;
  warnings.push_back("a send above the eager limit lasts " + two_digits(ratio) +
                     " times as long as predicted: there take plogp for the sender's time");
}

std::string pairs_text(long count) {
  return std::to_string(count) + (count == 1 ? " pair" : " pairs");
}

/// Pairs of which `holds(i, j)` is true.
long count_pairs(int n, const std::function<bool(int, int)>& holds) {
  long count = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) count += i != j && holds(i, j);
  }
  return count;
}

void warn_if(long pairs, const std::string& before, const std::string& after,
             std::vector<std::string>& warnings) {
  if (pairs > 0) warnings.push_back(before + " for " + pairs_text(pairs) + after);
}

void warn_of_negative(const std::string& name, const Matrix& high, const std::string& meaning,
                      std::vector<std::string>& warnings) {
  warn_if(std::ranges::count_if(high.values(), [](double value) { return value < 0; }),
          name + " is negative", ": " + meaning, warnings);
}

/// Surely less, by their intervals.
long count_less(const Matrix& high, const Matrix& low) {
  return count_pairs(high.size(), [&](int i, int j) { return high(i, j) < low(i, j); });
}

constexpr const char* overlap = "o and the message's way overlap, or o was measured too long";

template <class Parameters>
void warn_of_missing(long measured, Fitted<Parameters>& fitted) {
  const int n = fitted.value.L.size();
  const long expected = static_cast<long>(n) * (n - 1);
  if (measured >= expected) return;
  fitted.warnings.push_back(std::to_string(expected - measured) + " of " +
                            std::to_string(expected) + " pairs were not measured");
}

void warn_of_void_floods(const std::vector<LogPRows>& pairs, std::vector<std::string>& warnings) {
  long floods = 0;
  for (const LogPRows& pair : pairs) floods += pair.void_floods;
  if (floods == 0) return;
  warnings.push_back(std::to_string(floods) +
                     " floods took no longer than one message and are left out: no gap is told");
}

/// LogP's parameters at the smallest size of all; LogGP's as well.
class SmallestSize {
 public:
  SmallestSize(const TimeTable& table, const LogPSettings& settings)
      : table_{table}, pairs_{logp_rows(table, settings.receive)} {
    const Matrix empty = round_trips(table, Bytes{0}, table.times());
    const auto complete = [&](const LogPRows& pair, double size) {
      return find_size(pair.round_trips, size) && find_size(pair.sends, size) &&
             find_size(pair.receives, size) && !std::isnan(gap_at(pair, size, table.times())) &&
             !std::isnan(empty(pair.from, pair.to));
    };
    size_ = std::numeric_limits<double>::infinity();
    for (const LogPRows& pair : pairs_) {
      for (const auto& [size, row] : pair.sends) {
        if (size < size_ && complete(pair, size)) size_ = size;
      }
    }
    warn_of_void_floods(pairs_, warnings_);
    std::erase_if(pairs_, [&](const LogPRows& pair) { return !complete(pair, size_); });
    for (const LogPRows& pair : pairs_) {
      for (const auto* const rows : {&pair.round_trips, &pair.sends, &pair.receives}) {
        used_.push_back(*find_size(*rows, size_));
      }
      add_floods(pair, used_);
      add_empty(table, pair.from, pair.to, used_);
    }
    sort_unique(used_);
  }

  [[nodiscard]] const std::vector<LogPRows>& pairs() const { return pairs_; }
  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }
  [[nodiscard]] Bytes size() const { return {static_cast<std::uint64_t>(size_)}; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  [[nodiscard]] LogPParameters solve(std::span<const double> times) const {
    const int n = table_.ranks();
    const Matrix empty = round_trips(table_, Bytes{0}, times);
    LogPParameters p{Matrix(n), Matrix(n), Matrix(n), 0, 0, 0};
    Matrix rest(n);  // of a one-way time, without overheads
    for (const LogPRows& pair : pairs_) {
      const int i = pair.from;
      const int j = pair.to;
      const double overheads =
          times[*find_size(pair.sends, size_)] + times[*find_size(pair.receives, size_)];
      p.o(i, j) = overheads / 2;
      p.g(i, j) = gap_at(pair, size_, times);
      rest(i, j) = times[*find_size(pair.round_trips, size_)] - empty(i, j) / 2 - overheads;
    }
    for (const LogPRows& pair : pairs_) {
      const double there = rest(pair.from, pair.to);
      const double back = rest(pair.to, pair.from);
      p.L(pair.from, pair.to) = std::isnan(back) ? there : (there + back) / 2;
    }
    p.mean_L = mean_known(p.L);
    p.mean_o = mean_known(p.o);
    p.mean_g = mean_known(p.g);
    return p;
  }

 private:
  const TimeTable& table_;
  std::vector<LogPRows> pairs_;
  double size_{};
  std::vector<std::size_t> used_;
  std::vector<std::string> warnings_;
};

constexpr const char* no_smallest = "no pair has round trip, overheads and flood of one small size";

template <class Parameters>
void warn_of_order(Fitted<Parameters>& fitted) {
  warn_of_negative("L", fitted.high.L, overlap, fitted.warnings);
  warn_if(count_less(fitted.high.g, fitted.low.o), "g is below o",
          ": a rank can't send faster than its overhead lets it", fitted.warnings);
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
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

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
    OverheadLine send;
    OverheadLine receive;
    GapLine gap;
  };

  /// Refers to the pair.
  [[nodiscard]] Lines lines_of(const LogPRows& pair) const {
    const auto times = table_.times();
    return {{pair.sends, settings_.eager_limit, times},
            {pair.receives, settings_.eager_limit, times},
            {pair, settings_.eager_limit, packet_, times}};
  }

  void check(const OverheadLine& send, const FloodRow& flood, CrossCheck& result) const {
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
  std::vector<std::string> warnings_;
};

void warn_of_parameters(Fitted<LogGpsParameters>& fitted) {
  std::vector<std::string>& warnings = fitted.warnings;
  const LogGpsParameters& high = fitted.high;
  const std::string slope = "larger messages are no slower, over the sizes measured";
  warn_of_negative("L", high.L, overlap, warnings);
  warn_of_negative("O_s", high.O_s, slope, warnings);
  warn_of_negative("O_r", high.O_r, slope, warnings);
  warn_of_negative("G'", high.G_prime, slope, warnings);
  if (!std::isnan(fitted.value.s)) warn_of_negative("G", high.G, slope, warnings);
  warn_if(count_less(high.g, fitted.low.o_prime_s), "g is below o'_s",
          ": a rank can't send faster than its overhead lets it", warnings);
  warn_if(count_less(high.g, fitted.low.o_prime_r), "g is below o'_r",
          ": a rank can't receive faster than its overhead lets it", warnings);
}

void warn_of_fit(const LogGpsFit& fit, std::vector<std::string>& warnings) {
  const auto gap = fit.gap_fit();
  if (gap.residual > poor_fit) {
    warnings.push_back("the gap's lines fit poorly: residual " + percent(gap.residual));
  }
  if (std::abs(gap.step) > poor_fit) {
    warnings.push_back("above the eager limit the gap is longer by " + percent(gap.step) +
                       " than g, G' and G say: floods wait for their receiver there");
  }
  const auto cross = fit.cross_check();
  if (!cross.differences.empty()) {
    warnings.push_back("o_s differs from what floods with a delay say for " +
                       pairs_text(std::ssize(cross.differences)) + " of " +
                       std::to_string(cross.pairs) + ", by " + percent(median(cross.differences)));
  }
  if (cross.too_short > 0) {
    warnings.push_back("o_s was not checked for " + pairs_text(cross.too_short) +
                       ": the floods' delay is not above the gap");
  }
}

}  // namespace

Estimation<LogPParameters> estimate_logp(const TimeTable& table, const LogPSettings& settings) {
  const SmallestSize fit(table, settings);
  if (fit.pairs().empty()) return {{}, no_smallest};
  auto fitted =
      fit_replicates<LogPParameters>(table, fit.used(), [&](std::span<const double> times) {
        return Solution<LogPParameters>{fit.solve(times), {}};
      });
  fitted.first = fitted.last = fit.size();
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = one_way_residual(table, fit.pairs(), settings.eager_limit, fitted);
  fitted.warnings = fit.warnings();
  warn_of_residual(fitted.residual, fitted.warnings);
  warn_of_order(fitted);
  warn_of_missing(std::ssize(fit.pairs()), fitted);
  return {std::move(fitted), {}};
}

Estimation<LogGpParameters> estimate_loggp(const TimeTable& table, const LogPSettings& settings) {
  const SmallestSize fit(table, settings);
  std::vector<GapLine> lines;
  double last = 0;
  for (const LogPRows& pair : fit.pairs()) {
    lines.emplace_back(pair, std::nullopt, PacketSize{}, table.times());
    if (!lines.back().usable()) return {{}, "a pair has floods of one size only"};
    last = std::max(last, pair.floods.back().size);
  }
  if (lines.empty()) return {{}, no_smallest};
  auto fitted =
      fit_replicates<LogGpParameters>(table, fit.used(), [&](std::span<const double> times) {
        LogPParameters small = fit.solve(times);
        Matrix G(table.ranks());
        for (std::size_t k = 0; k < lines.size(); ++k) {
          G(fit.pairs()[k].from, fit.pairs()[k].to) = lines[k].solve(times, unknown).G;
        }
        const double mean_G = mean_known(G);
        return Solution<LogGpParameters>{
            {std::move(small.L), std::move(small.o), std::move(small.g), std::move(G), small.mean_L,
             small.mean_o, small.mean_g, mean_G},
            {}};
      });
  fitted.first = fit.size();
  fitted.last = {static_cast<std::uint64_t>(last)};
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = one_way_residual(table, fit.pairs(), settings.eager_limit, fitted);
  fitted.warnings = fit.warnings();
  warn_of_residual(fitted.residual, fitted.warnings);
  warn_of_order(fitted);
  warn_of_negative("G", fitted.high.G, "larger messages are no slower, over the sizes measured",
                   fitted.warnings);
  warn_of_missing(std::ssize(fit.pairs()), fitted);
  return {std::move(fitted), {}};
}

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
