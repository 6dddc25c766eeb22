#include "fit/logp/logp_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace commgauge {

namespace {

void add_flood(const TimeTable& table, std::size_t row, LogPRows& pair) {
  const Experiment& e = table.experiments()[row];
  const auto single = table.find(round_trip(e.root, e.peers.front(), e.out, {}));
  if (!single || e.messages < 2) return;
  const FloodRow flood{as_double(e.out), row, *single, static_cast<double>(e.messages),
                       e.delay.value};
  if (e.delay.value > 0) {
    pair.delayed.push_back(flood);
  } else if (flood.each(table.times()) > 0) {
    pair.floods.push_back(flood);
  } else {
    ++pair.void_floods;
  }
}

}  // namespace

std::vector<LogPRows> logp_rows(const TimeTable& table, Kind receive) {
  std::map<std::pair<int, int>, LogPRows> pairs;
  for (std::size_t row = 0; row < table.experiments().size(); ++row) {
    const Experiment& e = table.experiments()[row];
    if (e.check || e.processes != 0 || e.peers.size() != 1) continue;
    const int peer = e.peers.front();
    if (e.kind == Kind::round_trip && e.back.value == 0) {
      pairs[{e.root, peer}].round_trips.push_back({as_double(e.out), row});
    } else if (e.kind == Kind::send_overhead) {
      pairs[{e.root, peer}].sends.push_back({as_double(e.out), row});
    } else if (e.kind == receive) {
      pairs[{peer, e.root}].receives.push_back({as_double(e.back), row});
    } else if (e.kind == Kind::flood) {
      add_flood(table, row, pairs[{e.root, peer}]);
    }
  }
  std::vector<LogPRows> result;
  for (auto& [ranks, pair] : pairs) {
    if (pair.sends.empty() && pair.receives.empty() && pair.floods.empty()) continue;
    pair.from = ranks.first;
    pair.to = ranks.second;
    result.push_back(std::move(pair));
  }
  return result;
}

std::optional<std::size_t> find_size(std::span<const SizedRow> rows, double size) {
  const auto found = std::ranges::find(rows, size, &SizedRow::size);
  if (found == rows.end()) return std::nullopt;
  return found->row;
}

double gap_at(const LogPRows& pair, double size, std::span<const double> times) {
  double sum = 0;
  double count = 0;
  for (const FloodRow& flood : pair.floods) {
    if (flood.size != size) continue;
    sum += flood.each(times);
    count += 1;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

double interpolate(std::span<const SizedRow> rows, std::span<const double> times, double size) {
  const auto right = std::ranges::lower_bound(rows, size, {}, &SizedRow::size);
  if (right == rows.end()) return times[rows.back().row];
  if (right == rows.begin() || right->size == size) return times[right->row];
  const auto left = std::prev(right);
  const double share = (size - left->size) / (right->size - left->size);
  return std::lerp(times[left->row], times[right->row], share);
}

}  // namespace commgauge
