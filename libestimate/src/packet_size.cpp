#include <algorithm>
#include <cmath>

#include "commgauge/segmentation.hpp"
#include "commgauge/statistics.hpp"
#include "estimators.hpp"
#include "logp_rows.hpp"
#include "text.hpp"

namespace commgauge {

namespace {

constexpr double large_jump = 0.05;

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
        std::erase_if(common,
                      [&](Bytes size) { return !std::ranges::binary_search(sizes, size); });
      }
    }
  }
  return common;
}

std::vector<double> profile_of(const std::vector<LogPRows>& pairs, const std::vector<Bytes>& sizes,
                               std::span<const double> central, std::span<const double> times) {
  std::vector<double> sum(sizes.size(), 0.0);
  for (const LogPRows& pair : pairs) {
    double own_mean = 0;
    for (const Bytes size : sizes) {
      own_mean += gap_at(pair, static_cast<double>(size.value), central);
    }
    own_mean *= static_cast<double>(pairs.size()) / static_cast<double>(sizes.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      sum[k] += gap_at(pair, static_cast<double>(sizes[k].value), times) / own_mean;
    }
  }
  return sum;
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
  std::vector<std::vector<double>> columns(sizes.size());
  for (const auto& times : replicates.times) {
    const std::vector<double> one = profile_of(pairs, sizes, table.times(), times);
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
    const auto gaps = profile_of(launches[l], profile.sizes, times, times);
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
  double jump{};  ///< relative: what a continuous line can't hold there
};

double line_at(const Segment& line, double size) {
  return line.intercept.value + line.slope.value * size;
}

/// Where the two lines meet, if that is within the break's interval: a kink. Else the last size
/// before a jump.
/// @pre the break has an interval that ends before the last size.
FoundBreak describe(const Segmentation& found, const std::vector<Bytes>& sizes) {
  constexpr double round_off = 1e-9;
  const Break& b = found.breaks.front();
  const Segment& left = found.segments[0];
  const Segment& right = found.segments[1];
  const auto size_of = [&](std::size_t k) { return static_cast<double>(sizes[k].value); };
  const double low = size_of(*b.low);
  const double high = size_of(*b.high + 1);
  const double meeting = (left.intercept.value - right.intercept.value) /
                         (right.slope.value - left.slope.value);
  if (meeting >= low * (1 - round_off) && meeting <= high * (1 + round_off)) {
    return {{std::clamp(meeting, low, high), low, high}, 0};
  }
  FoundBreak result{{size_of(b.last), low, high}, 0};
  for (const double size : {size_of(b.last), size_of(b.last + 1)}) {
    const double jump = (line_at(right, size) - line_at(left, size)) / line_at(left, size);
    if (result.jump == 0 || std::abs(jump) < std::abs(result.jump)) result.jump = jump;
  }
  return result;
}

/// One break at most, and only where one line surely does not do.
std::optional<FoundBreak> find_break(const GapProfile& profile, double confidence) {
  SegmentationOptions options;
  options.most_breaks = 1;
  options.confidence = confidence;
  if (profile.sizes.size() < static_cast<std::size_t>(options.min_segment)) return std::nullopt;
  std::vector<double> shares;
  for (std::size_t k = 0; k < profile.sizes.size(); ++k) {
    shares.push_back(profile.errors[k] / profile.gaps[k]);
  }
  const double noise = median(shares);
  std::vector<Seconds> gaps;
  std::vector<Seconds> floors;
  std::vector<double> weights;
  for (const double gap : profile.gaps) {
    gaps.push_back({gap});
    floors.push_back({noise * gap});
    weights.push_back(1 / (gap * gap));
  }
  const Segmentation found =
      segmented_regression(profile.sizes, gaps, options, weights, floors);
  if (found.breaks.empty()) return std::nullopt;
  const Break& b = found.breaks.front();
  if (!b.low || !b.high || *b.high + 1 >= profile.sizes.size()) return std::nullopt;
  return describe(found, profile.sizes);
}

}  // namespace

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
    result.warnings.push_back(
        "one line may explain the gap at all sizes: no s was found, and G is G'");
    return result;
  }
  result.size = found->size;
  const bool at_limit =
      eager > 0 && eager < all &&
      result.size.value >= static_cast<double>(profile.sizes[eager - 1].value) &&
      result.size.value < static_cast<double>(profile.sizes[eager].value);
  if (at_limit) {
    result.warnings.push_back("the gap changes at the eager limit: s can't be told apart from the "
                              "change of protocol");
  } else if (std::abs(found->jump) > large_jump) {
    result.warnings.push_back("the gap leaps by " + percent(found->jump) +
                              " at s, which g, G' and G don't hold: their line is continuous");
  }
  return result;
}

}  // namespace commgauge
