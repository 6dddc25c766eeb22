#include "thresholds/joined_sweeps.hpp"

#include <algorithm>

#include "thresholds/sweep_analysis.hpp"

namespace commgauge {

namespace {

/// Launches may have been refined at other sizes, each at its own speed.
bool same_sizes(const Sweep& a, const Sweep& b) {
  return std::ranges::equal(a.points, b.points, {}, &SweepPoint::size, &SweepPoint::size);
}

void warn_of_joining(const std::vector<JoinedSweep>& joined, std::vector<Diagnostic>& warnings) {
  for (const auto& [sweep, launches, ends] : joined) {
    if (launches.size() < 2) continue;
    warnings.push_back({.kind = "joined_launches",
                        .count = std::ssize(launches),
                        .problem = "sweeps of " + name_of(sweep) + " from " +
                                   std::to_string(launches.size()) + " launches are joined",
                        .advice = "intervals hold what varies within a launch and miss what "
                                  "differs between launches"});
  }
}

}  // namespace

std::string timing_of(const std::vector<Launch>& launches, const Sweep& sweep) {
  const auto launch = static_cast<std::size_t>(sweep.launch);
  if (launch >= launches.size()) return "";
  const auto& run = launches[launch].sweep_run;
  return run ? run->timing : "";
}

std::vector<JoinedSweep> join_launches(const Measurements& measurements,
                                       std::vector<Diagnostic>& warnings) {
  std::vector<JoinedSweep> joined;
  for (const Sweep& sweep : measurements.sweeps) {
    const auto same = std::ranges::find_if(joined, [&](const JoinedSweep& other) {
      return other.sweep.kind == sweep.kind && other.sweep.root == sweep.root &&
             timing_of(measurements.launches, other.sweep) ==
                 timing_of(measurements.launches, sweep);
    });
    if (same == joined.end()) {
      joined.push_back({sweep, {sweep.launch}, {next_pass(sweep)}});
      continue;
    }
    if (!same_sizes(same->sweep, sweep)) {
      warnings.push_back(
          {.kind = "swept_at_different_sizes",
           .problem = "launches swept " + name_of(sweep) + " at different sizes",
           .advice = "where one is slower than another, that can look like a break"});
    }
    if (same->launches.back() != sweep.launch) same->launches.push_back(sweep.launch);
    const int first_pass = next_pass(same->sweep);
    for (const SweepPoint& point : sweep.points) {
      std::vector<int> passes = point.passes;
      for (int& pass : passes) pass += first_pass;
      add_times(same->sweep, point.size, point.times_s, passes);
    }
    same->ends.push_back(next_pass(same->sweep));
  }
  warn_of_joining(joined, warnings);
  return joined;
}

}  // namespace commgauge
