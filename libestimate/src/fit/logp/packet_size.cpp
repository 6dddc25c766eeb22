#include <algorithm>
#include <cmath>
#include <limits>

#include "base/gsl.hpp"
#include "commgauge/base/statistics.hpp"
#include "commgauge/base/text.hpp"
#include "commgauge/segmentation/segmentation.hpp"
#include "fit/estimators.hpp"
#include "fit/logp/logp_rows.hpp"
#include "fit/logp/relative_weights.hpp"

namespace commgauge {

namespace {

constexpr double large_jump = 0.05;
constexpr double negligible = 0.01;  ///< of a gap: a clock's steps make no packets

/// Gap against size, averaged over pairs (each relative to its own mean) and launches.
struct GapProfile {
  std::vector<Bytes> sizes;
  std::vector<double> gaps;
  std::vector<double> errors;  ///< standard errors

  [[nodiscard]] GapProfile between(std::size_t first, std::size_t end) const {
    const auto part = [&](const auto& all) {
      return std::remove_cvref_t<decltype(all)>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                                all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    return {part(sizes), part(gaps), part(errors)};
  }
};

using Launches = std::vector<std::vector<LogPRows>>;

/// Sizes at which all pairs of all launches have floods.
std::vector<Bytes> common_sizes(const Launches& launches) {
  std::vector<Bytes> common;
  bool is_first = true;
  for (const auto& pairs : launches) {
    for (const LogPRows& pair : pairs) {
      std::vector<Bytes> sizes;
      for (const FloodRow& flood : pair.floods) {
        const Bytes size{static_cast<std::uint64_t>(flood.size)};
        if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
      }
      if (is_first) {
        common = std::move(sizes);
        is_first = false;
      } else {
        std::erase_if(common, [&](Bytes size) { return !std::ranges::binary_search(sizes, size); });
      }
    }
  }
  return common;
}

/// Of each pair's gaps.
std::vector<double> own_means(const std::vector<LogPRows>& pairs, const std::vector<Bytes>& sizes,
                              std::span<const double> central) {
  std::vector<double> means;
  for (const LogPRows& pair : pairs) {
    double sum = 0;
    for (const Bytes size : sizes) sum += gap_at(pair, static_cast<double>(size.value), central);
    means.push_back(sum / static_cast<double>(sizes.size()));
  }
  return means;
}

/// Mean over the pairs of each one's gap divided by its `scale`.
std::vector<double> profile_of(const std::vector<LogPRows>& pairs, const std::vector<Bytes>& sizes,
                               std::span<const double> scale, std::span<const double> times) {
  std::vector<double> profile;
  for (const Bytes size : sizes) {
    double sum = 0;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      sum += gap_at(pairs[p], static_cast<double>(size.value), times) / scale[p];
    }
    profile.push_back(sum / static_cast<double>(pairs.size()));
  }
  return profile;
}

/// Standard errors of a launch's profile.
std::vector<double> profile_errors(const TimeTable& table, const std::vector<LogPRows>& pairs,
                                   const std::vector<Bytes>& sizes) {
  std::vector<std::size_t> used;
  for (const LogPRows& pair : pairs) {
    for (const FloodRow& flood : pair.floods) {
      used.push_back(flood.row);
      used.push_back(flood.round_trip);
    }
  }
  const Replicates replicates = table.replicates(used);
  const std::vector<double> scale = own_means(pairs, sizes, table.times());
  std::vector<std::vector<double>> columns(sizes.size());
  for (const auto& times : replicates.times) {
    const std::vector<double> one = profile_of(pairs, sizes, scale, times);
    for (std::size_t k = 0; k < sizes.size(); ++k) columns[k].push_back(one[k]);
  }
  // A drawn replicate scatters as the mean does.
  const double count =
      replicates.kind == ReplicateKind::draws ? 1 : static_cast<double>(replicates.times.size());
  std::vector<double> errors;
  for (const std::vector<double>& column : columns) {
    errors.push_back(std::sqrt(variance(column) / count));
  }
  return errors;
}

GapProfile average(std::span<const TimeTable> tables, const LogPSettings& settings) {
  Launches launches;
  for (const TimeTable& table : tables) {
    launches.push_back(logp_rows(table, settings.receive));
    std::erase_if(launches.back(), [](const LogPRows& pair) { return pair.floods.empty(); });
  }
  GapProfile profile;
  profile.sizes = common_sizes(launches);
  profile.gaps.assign(profile.sizes.size(), 0.0);
  profile.errors = profile.gaps;
  double count = 0;
  for (std::size_t l = 0; l < launches.size(); ++l) {
    if (launches[l].empty() || profile.sizes.empty()) continue;
    const auto times = tables[l].times();
    const auto scale = own_means(launches[l], profile.sizes, times);
    const auto gaps = profile_of(launches[l], profile.sizes, scale, times);
    const auto errors = profile_errors(tables[l], launches[l], profile.sizes);
    for (std::size_t k = 0; k < profile.sizes.size(); ++k) {
      profile.gaps[k] += gaps[k];
      profile.errors[k] = std::hypot(profile.errors[k], errors[k]);
    }
    count += 1;
  }
  for (auto* const column : {&profile.gaps, &profile.errors}) {
    for (double& value : *column) value /= std::max(1.0, count);
  }
  return profile;
}

struct FoundBreak {
  Estimate size;
  double jump{};             ///< relative: what a continuous line can't hold there; 0 of a kink
  std::vector<Bytes> sizes;  ///< of a kink: those that it was found among
};

double line_at(const Line& line, double size) { return line.intercept + line.slope * size; }

/// Weighted squares of what a line misses.
double squares(const Line& line, std::span<const double> x, std::span<const double> y,
               std::span<const double> weights) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double miss = y[k] - line_at(line, x[k]);
    sum += weights[k] * miss * miss;
  }
  return sum;
}

/// Weighted squares of what two lines that meet at s miss.
double squares_of_kink(double s, std::span<const double> x, std::span<const double> y,
                       std::span<const double> weights) {
  std::vector<double> design;
  for (const double size : x) {
    design.insert(design.end(), {1, std::min(size, s), std::max(size - s, 0.0)});
  }
  const std::vector<double> c = gsl::weighted_fit(design, y, weights);
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double miss = y[k] - c[0] - c[1] * design[3 * k + 1] - c[2] * design[3 * k + 2];
    sum += weights[k] * miss * miss;
  }
  return sum;
}

/// Where two lines meet that together miss least (Hudson 1966): between two sizes where their own
/// best lines meet there, or at a size. At least two sizes on each side. @pre four sizes
double best_kink(const std::vector<double>& x, const std::vector<double>& y,
                 const std::vector<double>& weights) {
  double least = std::numeric_limits<double>::infinity();
  double best = x[1];
  const auto consider = [&](double s, double missed) {
    if (missed < least) {
      least = missed;
      best = s;
    }
  };
  const std::span<const double> all_x{x};
  const std::span<const double> all_y{y};
  const std::span<const double> all_weights{weights};
  for (std::size_t left = 2; left + 2 <= x.size(); ++left) {
    const auto fit_part = [&](std::size_t first, std::size_t size) {
      const auto px = all_x.subspan(first, size);
      const auto py = all_y.subspan(first, size);
      const auto pw = all_weights.subspan(first, size);
      const Line line = fit_line(px, py, pw);
      return std::pair(line, squares(line, px, py, pw));
    };
    const auto [small, missed_small] = fit_part(0, left);
    const auto [large, missed_large] = fit_part(left, x.size() - left);
    const double meeting = (small.intercept - large.intercept) / (large.slope - small.slope);
    if (meeting >= x[left - 1] && meeting <= x[left]) {
      consider(meeting, missed_small + missed_large);
    }
    consider(x[left - 1], squares_of_kink(x[left - 1], x, y, weights));
  }
  return best;
}

std::vector<double> as_numbers(const std::vector<Bytes>& sizes) {
  std::vector<double> numbers;
  for (const Bytes size : sizes) numbers.push_back(static_cast<double>(size.value));
  return numbers;
}

/// Whether two lines that don't meet explain the gaps much better than two that do: by BIC, with
/// the parameters of a whole line. `noise`: relative, of a gap.
bool is_jump(double squares_apart, double squares_met, double count, double noise) {
  constexpr double round_off = 1e-9;
  constexpr double parameters = 3;
  const double floor = count * std::pow(std::max(noise, round_off), 2);
  const double gain =
      count * std::log(std::max(squares_met, floor) / std::max(squares_apart, floor));
  return gain > parameters * std::log(count);
}

/// A kink where the best lines meet; or a jump after the last size before. The interval is the
/// break's; it always holds the value.
/// @pre the break has an interval that ends before the last size.
FoundBreak describe(const Segmentation& found, const GapProfile& profile, double noise) {
  const Break& b = found.breaks.front();
  const std::vector<double> sizes = as_numbers(profile.sizes);
  const double low = sizes[*b.low];
  const double high = sizes[*b.high + 1];
  const auto line_of = [](const Segment& segment) {
    return Line{segment.intercept.value, segment.slope.value};
  };
  const Line left = line_of(found.segments[0]);
  const Line right = line_of(found.segments[1]);
  double jump = line_at(right, sizes[b.last]) / line_at(left, sizes[b.last]) - 1;
  const double other = line_at(right, sizes[b.last + 1]) / line_at(left, sizes[b.last + 1]) - 1;
  if (std::abs(other) < std::abs(jump)) jump = other;
  const std::vector<double> weights = inverse_squares(profile.gaps);
  const double kink = best_kink(sizes, profile.gaps, weights);
  const double met = squares_of_kink(kink, sizes, profile.gaps, weights);
  if (std::abs(jump) > large_jump &&
      is_jump(found.rss, met, static_cast<double>(sizes.size()), noise)) {
    return {{sizes[b.last], low, high}, jump, {}};
  }
  return {{kink, std::min(low, kink), std::max(high, kink)}, 0, profile.sizes};
}

/// Whether one line is nowhere off by more than what is worth a break.
bool one_line_does(const GapProfile& profile) {
  const std::vector<double> sizes = as_numbers(profile.sizes);
  const Line line = fit_line(sizes, profile.gaps, inverse_squares(profile.gaps));
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (std::abs(1 - line_at(line, sizes[k]) / profile.gaps[k]) > negligible) return false;
  }
  return true;
}

/// One break at most, and only where one line surely does not do.
std::optional<FoundBreak> find_break(const GapProfile& profile, double confidence) {
  SegmentationOptions options;
  options.most_breaks = 1;
  options.confidence = confidence;
  if (profile.sizes.size() < static_cast<std::size_t>(options.min_segment)) return std::nullopt;
  if (one_line_does(profile)) return std::nullopt;
  std::vector<double> shares;
  for (std::size_t k = 0; k < profile.sizes.size(); ++k) {
    shares.push_back(profile.errors[k] / profile.gaps[k]);
  }
  const double noise = median(shares);
  std::vector<Seconds> gaps;
  std::vector<Seconds> floors;
  for (const double gap : profile.gaps) {
    gaps.push_back({gap});
    floors.push_back({noise * gap});
  }
  const Segmentation found =
      segmented_regression(profile.sizes, gaps, options, inverse_squares(profile.gaps), floors);
  if (found.breaks.empty()) return std::nullopt;
  const Break& b = found.breaks.front();
  if (!b.low || !b.high || *b.high + 1 >= profile.sizes.size()) return std::nullopt;
  return describe(found, profile, noise);
}

}  // namespace

double packet_size_in(const std::vector<LogPRows>& pairs, const PacketSize& packet,
                      std::span<const double> central, std::span<const double> times) {
  if (packet.sizes.empty()) return packet.size.value;
  const std::vector<double> scale = own_means(pairs, packet.sizes, central);
  return best_kink(as_numbers(packet.sizes), profile_of(pairs, packet.sizes, scale, times),
                   inverse_squares(profile_of(pairs, packet.sizes, scale, central)));
}

PacketSize find_packet_size(std::span<const TimeTable> launches, const LogPSettings& settings) {
  const GapProfile profile = average(launches, settings);
  const double confidence = launches.front().confidence();
  const std::size_t all = profile.sizes.size();
  std::size_t eager = all;
  if (settings.eager_limit) {
    eager = static_cast<std::size_t>(
        std::ranges::upper_bound(profile.sizes, *settings.eager_limit) - profile.sizes.begin());
  }
  PacketSize result;
  auto found = find_break(profile.between(0, eager), confidence);
  if (!found && eager < all) {
    found = find_break(profile.between(eager, all), confidence);
    if (!found) found = find_break(profile, confidence);
  }
  if (!found) {
    result.warnings.push_back({.kind = "no_packet_size",
                               .problem = "one line may explain the gap at all sizes",
                               .advice = "no s was found, and G is G'"});
    return result;
  }
  if (found->jump < 0) {
    result.warnings.push_back(
        {.kind = "gap_falls",
         .problem = "the gap falls by " + percent(-found->jump) + " beyond " +
                    std::to_string(static_cast<std::uint64_t>(found->size.value)) +
                    " bytes, as where messages are sent together; a packet would make it longer",
         .advice = "no s, and G is G'"});
    return result;
  }
  result.size = found->size;
  result.sizes = found->sizes;
  const bool at_limit = eager > 0 && eager < all &&
                        result.size.value >= static_cast<double>(profile.sizes[eager - 1].value) &&
                        result.size.value < static_cast<double>(profile.sizes[eager].value);
  if (at_limit) {
    result.warnings.push_back({.kind = "packet_size_at_eager_limit",
                               .problem = "the gap changes at the eager limit",
                               .advice = "s can't be told apart from the change of protocol"});
  } else if (found->jump != 0) {
    result.warnings.push_back({.kind = "gap_leaps",
                               .problem = "the gap leaps by " + percent(found->jump) +
                                          " at s, which g, G' and G don't hold",
                               .advice = "predictions leave it out"});
  }
  return result;
}

}  // namespace commgauge
