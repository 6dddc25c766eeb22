#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/sort_unique.hpp"
#include "fit/logp/family.hpp"

namespace commgauge {

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
  [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }

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
  std::vector<Diagnostic> warnings_;
};

inline constexpr const char* no_smallest =
    "no pair has round trip, overheads and flood of one small size";

template <class Parameters>
void warn_of_order(Fitted<Parameters>& fitted) {
  warn_of_negative("L", fitted.high.L, overlap, fitted.warnings);
  warn_if(count_less(fitted.high.g, fitted.low.o), "g_below_o", "g is below o",
          "a rank can't send faster than its overhead lets it", fitted.warnings);
}

}  // namespace commgauge
