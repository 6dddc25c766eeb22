#include "commgauge/plan/logp_plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/sort_unique.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/model/model_list.hpp"

namespace commgauge {

namespace {

constexpr Bytes largest_flood{256 << 10};
constexpr Seconds longest_affordable{20e-3};
constexpr std::uint64_t most_outstanding = 32 << 10;
constexpr int fewest_messages = 3;
constexpr double closest = 1.125;  // between two sizes
constexpr Bytes growth_size{1};

/// from, from·step, … up to `to`, which is included.
std::vector<Bytes> steps(Bytes from, Bytes to, std::uint64_t step) {
  std::vector<Bytes> sizes;
  for (Bytes size = from; size < to; size.value *= step) sizes.push_back(size);
  sizes.push_back(to);
  return sizes;
}

/// By how much a line from `left` to `right` misses the time between, relative to it.
double miss(std::span<const Bytes> sizes, std::span<const Seconds> times, std::size_t i) {
  const double share = (as_double(sizes[i]) - as_double(sizes[i - 1])) /
                       (as_double(sizes[i + 1]) - as_double(sizes[i - 1]));
  const double line = times[i - 1].value + share * (times[i + 1].value - times[i - 1].value);
  return std::abs(line - times[i].value) / times[i].value;
}

}  // namespace

bool wants_logp(std::span<const std::string> models) {
  return std::ranges::any_of(
      models, [](const std::string& name) { return facts_of(name).needs.overheads; });
}

bool wants_curve(std::span<const std::string> models) {
  return std::ranges::any_of(models,
                             [](const std::string& name) { return facts_of(name).needs.curve; });
}

std::vector<Pair> logp_pairs(int n, LogPPairs which) {
  if (n < 2) throw InputError("one rank makes no pair: start at least two");
  if (which == LogPPairs::one) return {{0, 1}};
  std::vector<Pair> pairs;
  for (const std::vector<Pair>& round : pair_rounds(n)) {
    for (auto [i, j] : round) pairs.push_back({std::min(i, j), std::max(i, j)});
    if (which == LogPPairs::sample) break;
  }
  return pairs;
}

std::vector<Bytes> first_round_trips(std::optional<Bytes> eager_limit, Bytes largest) {
  std::vector<Bytes> sizes = steps(Bytes{1}, largest, 4);
  if (eager_limit && *eager_limit < largest) {
    sizes.push_back(std::max(*eager_limit, Bytes{1}));
    sizes.push_back({eager_limit->value + 1});
  }
  sort_unique(sizes);
  return sizes;
}

std::vector<Bytes> refine_round_trips(std::span<const Bytes> sizes, std::span<const Seconds> times,
                                      std::optional<Bytes> eager_limit, double tolerance,
                                      std::size_t most) {
  const auto crosses_limit = [&](std::size_t i) {
    return eager_limit && sizes[i - 1] <= *eager_limit && sizes[i + 1] > *eager_limit;
  };
  struct Candidate {
    Bytes size;
    double miss;
  };
  std::vector<Candidate> candidates;
  const auto add_middle = [&](std::size_t left, double missed) {
    const double a = as_double(sizes[left]);
    const double b = as_double(sizes[left + 1]);
    const Bytes middle{static_cast<std::uint64_t>(std::llround(std::sqrt(a * b)))};
    if (b < closest * closest * a || middle <= sizes[left] || middle >= sizes[left + 1]) return;
    const auto known = std::ranges::find(candidates, middle, &Candidate::size);
    if (known == candidates.end()) {
      candidates.push_back({middle, missed});
    } else {
      known->miss = std::max(known->miss, missed);
    }
  };
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    if (crosses_limit(i)) continue;
    const double missed = miss(sizes, times, i);
    if (missed <= tolerance) continue;
    add_middle(i - 1, missed);
    add_middle(i, missed);
  }
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::miss);
  if (candidates.size() > most) candidates.resize(most);
  std::vector<Bytes> found;
  for (const Candidate& candidate : candidates) found.push_back(candidate.size);
  std::ranges::sort(found);
  return found;
}

Bytes affordable_size(std::span<const Bytes> sizes, std::span<const Seconds> times) {
  Bytes largest = sizes.front();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (times[k] <= longest_affordable && sizes[k] <= largest_flood) largest = sizes[k];
  }
  return largest;
}

LogPPlan plan_logp(std::vector<Bytes> round_trips, std::optional<Bytes> eager_limit,
                   Bytes affordable) {
  sort_unique(round_trips);
  LogPPlan plan;
  plan.round_trips = round_trips;
  const Bytes largest = round_trips.back();
  const Bytes top = std::min(eager_limit.value_or(Bytes{64 << 10}), largest);
  plan.overheads = {Bytes{0}};
  if (top.value > 0) {
    const Bytes bottom{std::max<std::uint64_t>(1, top.value >> 10)};
    std::ranges::copy(steps(bottom, top, 4), std::back_inserter(plan.overheads));
  }
  if (top < largest) {
    affordable = std::max(affordable, Bytes{4 * top.value});
    for (const Bytes above : {Bytes{top.value + 1}, Bytes{4 * top.value}, Bytes{16 * top.value}}) {
      if (above <= std::min(largest, affordable)) plan.overheads.push_back(above);
    }
  }
  sort_unique(plan.overheads);
  plan.floods = {Bytes{0}};
  std::ranges::copy_if(round_trips, std::back_inserter(plan.floods),
                       [&](Bytes size) { return size <= std::min(affordable, largest_flood); });
  return plan;
}

Experiment flood_of(const LogPPlan& plan, int root, int peer, Bytes size) {
  const auto fitting = static_cast<int>(most_outstanding / std::max<std::uint64_t>(1, size.value));
  const int messages = std::max(fewest_messages, std::min(plan.flood_messages, fitting));
  return flood(root, peer, messages, {}, size);
}

std::vector<Experiment> logp_experiments(const LogPPlan& plan, int i, int j) {
  std::vector<Experiment> experiments;
  for (const Bytes size : plan.overheads) {
    experiments.push_back(send_overhead(i, j, size));
    experiments.push_back(receive_overhead(j, i, size, plan.progress));
  }
  for (const Bytes size : plan.floods) experiments.push_back(flood_of(plan, i, j, size));
  if (plan.delay.value > 0) {
    experiments.push_back(flood_of(plan, i, j, plan.round_trips.front()));
    experiments.back().delay = plan.delay;
  }
  return experiments;
}

std::vector<Experiment> growth_experiments(int processes, bool progress) {
  std::vector<Experiment> experiments;
  for (const auto& [i, j] : {Pair{0, 1}, Pair{1, 0}}) {
    experiments.push_back(round_trip(i, j, growth_size, growth_size));
    experiments.push_back(send_overhead(i, j, growth_size));
    experiments.push_back(receive_overhead(j, i, growth_size, progress));
  }
  for (Experiment& experiment : experiments) experiment.processes = processes;
  return experiments;
}

std::vector<int> growth_steps(int n) {
  std::vector<int> found;
  for (int step = 2; step < n; step *= 2) found.push_back(step);
  if (n >= 2) found.push_back(n);
  return found;
}

}  // namespace commgauge
