#include "commgauge/replay/explain/efficiency.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "commgauge/replay/run/replay.hpp"
#include "prediction/job_machine.hpp"
#include "run/marked.hpp"

namespace commgauge::replay {

namespace {

constexpr double least_share = 1e-12;  ///< of the run's time, of a message on a free network
constexpr double forever = std::numeric_limits<double>::infinity();

struct Instance {
  double from{forever};
  double to{-forever};
};

/// Rank and number.
using Thread = std::pair<std::size_t, std::size_t>;

struct Region {
  std::vector<Instance> instances;
  std::map<Thread, double> useful;  ///< [s]
};

/// By name.
using Regions = std::map<std::uint32_t, Region>;

/// Where a thread is within a region.
struct Inside {
  int depth{};
  Mark since;
  std::size_t entered{};  ///< so many times
};

void leave(Region& region, Inside& inside, const Thread& thread, const Mark& at) {
  const std::size_t k = inside.entered++;
  if (region.instances.size() <= k) region.instances.resize(k + 1);
  Instance& instance = region.instances[k];
  instance.from = std::min(instance.from, inside.since.time);
  instance.to = std::max(instance.to, at.time);
  region.useful[thread] += at.computing - inside.since.computing;
}

void add_thread(Regions& regions, const Thread& thread, std::span<const trace::Event> events,
                std::span<const Mark> marks) {
  std::map<std::uint32_t, Inside> all;
  auto mark = marks.begin();
  for (const trace::Event& event : events) {
    if (!is_marked(event)) continue;
    const Mark& at = *mark++;
    if (const auto* const begin = event.as<trace::event::RegionBegin>()) {
      Inside& inside = all[begin->name];
      if (inside.depth++ == 0) inside.since = at;
    } else if (const auto* const end = event.as<trace::event::RegionEnd>()) {
      Inside& inside = all[end->name];
      if (inside.depth > 0 && --inside.depth == 0) leave(regions[end->name], inside, thread, at);
    }
  }
  for (auto& [name, inside] : all) {
    if (inside.depth > 0) leave(regions[name], inside, thread, marks.back());
  }
}

Regions regions_of(const trace::Trace& trace, const Result& result) {
  Regions regions;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    for_each_thread(trace.ranks[r], result.marks[r],
                    [&](std::size_t thread, auto events, auto marks) {
                      add_thread(regions, {r, thread}, events, marks);
                    });
  }
  return regions;
}

double time_of(const Region& region) {
  double sum = 0;
  for (const Instance& instance : region.instances) sum += instance.to - instance.from;
  return sum;
}

void set_useful(Efficiency& all, const std::vector<double>& useful) {
  for (const double one : useful) {
    all.mean_useful += one / static_cast<double>(useful.size());
    all.most_useful = std::max(all.most_useful, one);
  }
}

/// Further threads that never compute aren't there.
Efficiency of_run(const trace::Trace& trace, const Result& result, const Result& free) {
  Efficiency run;
  std::vector<double> useful;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    for_each_thread(trace.ranks[r], result.marks[r], [&](std::size_t thread, auto, auto marks) {
      const double computing = marks.empty() ? 0 : marks.back().computing;
      if (thread == 0 || computing > 0) useful.push_back(computing);
    });
  }
  set_useful(run, useful);
  run.time = result.time;
  run.free_time = free.time;
  return run;
}

RegionEfficiency of_region(const Region& region, const Region& free) {
  RegionEfficiency all;
  std::vector<double> useful;
  for (const auto& [thread, one] : region.useful) useful.push_back(one);
  set_useful(all, useful);
  all.time = time_of(region);
  all.free_time = time_of(free);
  all.instances = region.instances.size();
  return all;
}

Result replayed_with_marks(const trace::Trace& trace, const simulate::Machine& machine,
                           const Options& options) {
  Options with_marks = times_only(options);
  with_marks.keeps_marks = true;
  return replay(trace, machine, with_marks);
}

}  // namespace

simulate::Machine with_free_network(simulate::Machine machine, double latency) {
  machine.network = {};
  machine.host_links = {};
  machine.sharing = simulate::Sharing::none;
  machine.pairs.change([latency](PairCosts& costs) {
    scale(costs, 0);
    for (Curve* const curve : {&costs.arrival, &costs.one_way, &costs.rendezvous_receiver}) {
      curve->shift(latency);
    }
    costs.reply = latency;
  });
  return machine;
}

Efficiencies efficiency(const trace::Trace& trace, const simulate::Machine& machine,
                        const Result& result, const Options& options) {
  const double latency = result.time > 0 ? least_share * result.time : least_share;
  const Result free = replayed_with_marks(trace, with_free_network(machine, latency), options);
  Efficiencies all;
  all.run = of_run(trace, result, free);
  const Regions free_regions = regions_of(trace, free);
  for (const auto& [name, region] : regions_of(trace, result)) {
    all.regions.push_back(of_region(region, free_regions.at(name)));
    all.regions.back().name = trace.names.at(name);
  }
  std::ranges::stable_sort(all.regions, std::greater{}, &RegionEfficiency::time);
  return all;
}

}  // namespace commgauge::replay
