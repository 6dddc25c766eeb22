#include "commgauge/measurements/quietness.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "commgauge/base/text.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge {

namespace {

constexpr double readings_apart = 3e-6;  ///< [s] between the two clocks, with an interrupt between
constexpr double lost_from = 0.1;        ///< of a block's time
constexpr double busy_from = 0.01;       ///< of the blocks
constexpr double too_busy_from = 0.5;    ///< of the blocks
constexpr double too_disturbed_from = 0.1;  ///< of the rows
constexpr double notably_stolen = 0.02;     ///< of the cores' time

bool share_a_core(const CoreUse& a, const CoreUse& b) {
  if (a.machine != b.machine) return false;
  const auto touched = [&b](int core) { return core == b.first_core || core == b.last_core; };
  return touched(a.first_core) || touched(a.last_core);
}

/// Of each rank the lowest-numbered rank that it is connected with through shared cores.
std::vector<std::size_t> groups_of(std::span<const CoreUse> uses) {
  std::vector<std::size_t> group(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    group[i] = i;
    for (std::size_t j = 0; j < i; ++j) {
      if (!share_a_core(uses[i], uses[j])) continue;
      const auto [kept, merged] = std::minmax(group[i], group[j]);
      std::ranges::replace(group, merged, kept);
    }
  }
  return group;
}

/// Nothing where none tells how quiet it was.
const Launch* worst_of(std::span<const Launch> launches) {
  const Launch* worst = nullptr;
  const auto badness = [](const Launch& launch) {
    return std::pair(quietness(*launch.disturbance), launch.disturbance->lost_share());
  };
  for (const Launch& launch : launches) {
    if (!launch.disturbance) continue;
    if (!worst || badness(*worst) < badness(launch)) worst = &launch;
  }
  return worst;
}

}  // namespace

double lost_share(std::span<const CoreUse> uses) {
  const std::vector<std::size_t> group = groups_of(uses);
  double most = 0;
  for (std::size_t g = 0; g < uses.size(); ++g) {
    double used = 0;  // of one core, by the ranks on it together
    double wall_s = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (group[i] != g || !(uses[i].wall_s > 0)) continue;
      used += uses[i].cpu_s / uses[i].wall_s;
      wall_s = std::max(wall_s, uses[i].wall_s);
    }
    const double lost = std::clamp(1 - used, 0.0, 1.0);
    if (lost * wall_s > readings_apart) most = std::max(most, lost);
  }
  return most;
}

bool is_lost(double lost_share) { return lost_share > lost_from; }

double Disturbance::lost_share() const {
  return blocks > 0 ? static_cast<double>(lost_blocks) / static_cast<double>(blocks) : 0;
}

Quietness quietness(const Disturbance& d) {
  if (!d.not_watched.empty()) return Quietness::unknown;
  const double disturbed =
      d.rows > 0 ? static_cast<double>(d.disturbed_rows) / static_cast<double>(d.rows) : 0;
  if (d.lost_share() > too_busy_from || disturbed > too_disturbed_from) return Quietness::too_busy;
  return d.lost_share() > busy_from || disturbed > busy_from || d.stolen_share > notably_stolen
             ? Quietness::busy
             : Quietness::quiet;
}

Quietness quietness(std::span<const Launch> launches) {
  const Launch* const worst = worst_of(launches);
  return worst ? quietness(*worst->disturbance) : Quietness::unknown;
}

std::string busy_line(std::span<const Launch> launches) {
  const Quietness quiet = quietness(launches);
  if (quiet != Quietness::busy && quiet != Quietness::too_busy) return "";
  const Disturbance& d = *worst_of(launches)->disturbance;
  std::string text =
      "the machine was busy: " + percent(d.lost_share()) + " of the timed blocks lost their core";
  if (d.disturbed_rows > 0) {
    text += ", and " + std::to_string(d.disturbed_rows) + " of " + std::to_string(d.rows) +
            " times rest on such blocks";
  }
  if (d.stolen_share > notably_stolen) {
    text += "; its hypervisor took " + percent(d.stolen_share) + " of the cores' time";
  }
  if (launches.size() > 1)
    text += " (the worst of " + std::to_string(launches.size()) + " launches)";
  return text + (quiet == Quietness::too_busy
                     ? ": too much to trust these numbers; measure again when it is quiet"
                     : "");
}

void count_blocks(std::span<const Observation> rows, Disturbance& disturbance) {
  for (const Observation& row : rows) {
    disturbance.blocks += row.blocks + row.repeated_blocks;
    disturbance.lost_blocks += row.lost_blocks;
    ++disturbance.rows;
    if (row.lost_blocks > row.repeated_blocks) ++disturbance.disturbed_rows;
  }
}

}  // namespace commgauge
