#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/sort_unique.hpp"
#include "commgauge/base/unknown_value.hpp"
#include "fit/estimators.hpp"
#include "fit/fitted.hpp"
#include "fit/logp/family.hpp"
#include "fit/logp/logp_rows.hpp"

namespace commgauge {

namespace {

/// A line between sizes takes one of 0; overheads may be of any.
std::vector<LogPRows> usable_pairs(const TimeTable& table, const LogPSettings& settings) {
  std::vector<LogPRows> pairs = logp_rows(table, settings.receive);
  std::erase_if(pairs, [&](const LogPRows& pair) {
    return pair.round_trips.size() < 2 || pair.round_trips.front().size != 0 ||
           pair.sends.empty() || pair.receives.empty() ||
           std::isnan(gap_at(pair, 0, table.times()));
  });
  return pairs;
}

bool is_eager(double size, std::optional<Bytes> limit) {
  return !limit || size <= static_cast<double>(limit->value);
}

/// Unknown beyond the sizes measured on the size's own side of the eager limit.
double within_rows(const std::vector<SizedRow>& rows, std::span<const double> times, double size,
              std::optional<Bytes> limit) {
  const auto above = std::ranges::partition_point(
      rows, [&](const SizedRow& row) { return is_eager(row.size, limit); });
  const std::span<const SizedRow> side =
      is_eager(size, limit) ? std::span{rows.begin(), above} : std::span{above, rows.end()};
  const bool is_inside = !side.empty() && side.front().size <= size && size <= side.back().size;
  return is_inside ? interpolate(side, times, size) : unknown_value;
}

class PLogPFit {
 public:
  PLogPFit(const TimeTable& table, const LogPSettings& settings, std::vector<Bytes> sizes)
      : table_{table},
        limit_{settings.eager_limit},
        pairs_{usable_pairs(table, settings)},
        sizes_{std::move(sizes)} {
    for (const LogPRows& pair : pairs_) {
      for (const auto* const rows : {&pair.round_trips, &pair.sends, &pair.receives}) {
        for (const SizedRow& row : *rows) used_.push_back(row.row);
      }
      for (const FloodRow& flood : pair.floods) {
        if (flood.size == 0) used_.push_back(flood.row);
      }
    }
    sort_unique(used_);
  }

  [[nodiscard]] const std::vector<LogPRows>& pairs() const { return pairs_; }
  [[nodiscard]] std::span<const std::size_t> used() const { return used_; }

  [[nodiscard]] PLogPParameters solve(std::span<const double> times) const {
    const Matrix empty(table_.ranks());
    PLogPParameters p{sizes_, empty, {}, {}, {}};
    for (auto* const list : {&p.o_s, &p.o_r, &p.g}) list->assign(sizes_.size(), empty);
    for (const LogPRows& pair : pairs_) {
      const int i = pair.from;
      const int j = pair.to;
      const double nothing = times[pair.round_trips.front().row];
      const double gap = gap_at(pair, 0, times);
      p.L(i, j) = nothing / 2 - gap;
      for (std::size_t k = 0; k < sizes_.size(); ++k) {
        const auto size = static_cast<double>(sizes_[k].value);
        p.o_s[k](i, j) = within_rows(pair.sends, times, size, limit_);
        p.o_r[k](i, j) = within_rows(pair.receives, times, size, limit_);
        p.g[k](i, j) = within_rows(pair.round_trips, times, size, limit_) - nothing + gap;
      }
    }
    return p;
  }

 private:
  const TimeTable& table_;
  std::optional<Bytes> limit_;
  std::vector<LogPRows> pairs_;
  std::vector<Bytes> sizes_;
  std::vector<std::size_t> used_;
};

/// RMS of what a line between the neighbours misses of a one-way time, relative to it; both on the
/// size's side of the eager limit.
double interpolation_residual(const TimeTable& table, const std::vector<LogPRows>& pairs,
                              std::optional<Bytes> limit) {
  double squares = 0;
  long count = 0;
  for (const LogPRows& pair : pairs) {
    const std::vector<SizedRow>& rows = pair.round_trips;
    const double nothing = table.times()[rows.front().row];
    for (std::size_t k = 1; k + 1 < rows.size(); ++k) {
      if (is_eager(rows[k - 1].size, limit) != is_eager(rows[k + 1].size, limit)) continue;
      const std::vector<SizedRow> neighbours{rows[k - 1], rows[k + 1]};
      const double time = table.times()[rows[k].row];
      const double miss =
          (interpolate(neighbours, table.times(), rows[k].size) - time) / (time - nothing / 2);
      squares += miss * miss;
      ++count;
    }
  }
  return residual_of(squares, count, 0);
}

void warn(const std::vector<LogPRows>& pairs, Fitted<PLogPParameters>& fitted) {
  long negative = 0;
  long below = 0;
  for (const LogPRows& pair : pairs) {
    const int i = pair.from;
    const int j = pair.to;
    negative += fitted.high.L(i, j) < 0;
    bool is_below = false;
    for (std::size_t k = 0; k < fitted.value.sizes.size(); ++k) {
      const double overhead = std::max(fitted.low.o_s[k](i, j), fitted.low.o_r[k](i, j));
      is_below = is_below || fitted.high.g[k](i, j) < overhead;
    }
    below += is_below;
  }
  warn_if(negative, "negative_L", "L is negative",
          "the gap of empty messages is more than half their round trip", fitted.warnings);
  warn_if(below, "g_below_overhead", "g is below o_s or o_r at some size",
          "the gap was measured with empty messages only, the rest is taken from round trips",
          fitted.warnings);
  warn_of_missing(std::ssize(pairs), fitted);
}

}  // namespace

std::vector<Bytes> plogp_sizes(std::span<const TimeTable> launches, const LogPSettings& settings) {
  std::set<Bytes> sizes;
  double last = std::numeric_limits<double>::infinity();
  for (const TimeTable& table : launches) {
    for (const LogPRows& pair : usable_pairs(table, settings)) {
      last = std::min(last, pair.round_trips.back().size);
      for (const SizedRow& row : pair.round_trips) {
        sizes.insert(Bytes{static_cast<std::uint64_t>(row.size)});
      }
    }
  }
  std::erase_if(sizes, [&](Bytes size) { return static_cast<double>(size.value) > last; });
  return {sizes.begin(), sizes.end()};
}

Estimation<PLogPParameters> estimate_plogp(const TimeTable& table, const LogPSettings& settings,
                                           const std::vector<Bytes>& sizes) {
  const PLogPFit fit(table, settings, sizes);
  if (fit.pairs().empty()) {
    return {{}, "no pair has a flood of empty messages, overheads, and round trips of two sizes"};
  }
  auto fitted =
      fit_replicates<PLogPParameters>(table, fit.used(), [&](std::span<const double> times) {
        return Solution<PLogPParameters>{fit.solve(times), {}};
      });
  fitted.first = sizes.front();
  fitted.last = sizes.back();
  fitted.observations = static_cast<long>(fit.used().size());
  fitted.residual = interpolation_residual(table, fit.pairs(), settings.eager_limit);
  warn(fit.pairs(), fitted);
  return {std::move(fitted), {}};
}

}  // namespace commgauge
