#include "commgauge/assemble/one_way.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "commgauge/base/statistics.hpp"
#include "commgauge/base/unknown_value.hpp"

namespace commgauge {

namespace {

constexpr double least_share = 0.75;               ///< of the passes, in which a time is above zero
constexpr std::size_t least_scattered_passes = 3;  ///< whose scatter tells something
constexpr double within_level = 0.95;              ///< of intervals within fewer passes
const double median_error = std::sqrt(std::acos(-1.0) / 2);  ///< against a mean's, normal values

/// Launch and pass.
using PassOfLaunch = std::pair<int, int>;

struct Timed {
  double time_s{};
  double error_s{};  ///< standard
};

/// The mean of several observations of one pass.
class Times {
 public:
  void add(const Observation& row) {
    const double z = normal_quantile(std::min(row.level, 0.9999));
    sum_ += row.time_s;
    squares_ += std::pow((row.high_s - row.low_s) / 2 / z, 2);
    ++count_;
  }
  [[nodiscard]] Timed mean() const { return {sum_ / count_, std::sqrt(squares_) / count_}; }

 private:
  double sum_{};
  double squares_{};
  double count_{};
};

struct Collective {
  Kind kind;
  Operation operation;
  Algorithm algorithm;
};

constexpr std::array<Collective, 6> collectives{{
    {Kind::scatter, Operation::scatter, Algorithm::flat},
    {Kind::gather, Operation::gather, Algorithm::flat},
    {Kind::bcast, Operation::bcast, Algorithm::flat},
    {Kind::scatter_binomial, Operation::scatter, Algorithm::binomial},
    {Kind::gather_binomial, Operation::gather, Algorithm::binomial},
    {Kind::bcast_binomial, Operation::bcast, Algorithm::binomial},
}};

struct Key {
  Operation operation;
  Algorithm algorithm;
  int from;
  int to;
  Bytes size;
  auto operator<=>(const Key&) const = default;
};

bool is_empty(const Experiment& e) {
  return e.kind == Kind::round_trip && e.out.value == 0 && e.back.value == 0;
}

/// Nothing where it is not one way.
std::optional<Key> key_of(const Experiment& e) {
  if (e.kind == Kind::round_trip) {
    if (e.out.value == 0 || e.back.value != 0) return std::nullopt;
    return Key{Operation::p2p, Algorithm::flat, e.root, e.peers.front(), e.out};
  }
  if (e.kind == Kind::ring) {
    const Operation operation = e.peers.size() == 1 ? Operation::exchange : Operation::ring;
    return Key{operation, Algorithm::flat, e.root, e.peers.front(), e.out};
  }
  const auto* const one = std::ranges::find(collectives, e.kind, &Collective::kind);
  if (one == collectives.end()) return std::nullopt;
  return Key{one->operation, one->algorithm, e.root, -1, ends_at_root(e.kind) ? e.back : e.out};
}

PassOfLaunch pass_of(const Observation& row) { return {row.launch, row.pass}; }

std::pair<int, int> pair_of(int i, int j) { return std::minmax({i, j}); }

using Empties = std::map<std::pair<PassOfLaunch, std::pair<int, int>>, Times>;

Empties empty_round_trips(const Measurements& measurements) {
  Empties empties;
  for (const Observation& row : measurements.observations) {
    const Experiment& e = row.experiment;
    if (is_empty(e)) empties[{pass_of(row), pair_of(e.root, e.peers.front())}].add(row);
  }
  return empties;
}

using Passes = std::map<PassOfLaunch, Timed>;

/// One way, by pass; none where no pass has the empty round trip.
Passes one_way(const Key& key, const std::map<PassOfLaunch, Times>& rows, const Empties& empties) {
  Passes passes;
  for (const auto& [pass, times] : rows) {
    Timed time = times.mean();
    if (key.operation == Operation::p2p) {
      const auto empty = empties.find({pass, pair_of(key.from, key.to)});
      if (empty == empties.end()) continue;
      const Timed both_ways = empty->second.mean();
      time.time_s -= both_ways.time_s / 2;
      time.error_s = std::hypot(time.error_s, both_ways.error_s / 2);
    }
    passes[pass] = time;
  }
  return passes;
}

/// Of one launch.
Timed over_passes(const std::vector<Timed>& passes) {
  std::vector<double> times;
  double squares = 0;
  for (const Timed& pass : passes) {
    times.push_back(pass.time_s);
    squares += pass.error_s * pass.error_s;
  }
  const auto n = static_cast<double>(times.size());
  const double scatter = times.size() > 1 ? median_error * std::sqrt(variance(times) / n) : 0;
  if (times.size() >= least_scattered_passes) return {median(times), scatter};
  return {median(times), std::max(scatter, std::sqrt(squares) / n)};
}

std::map<int, std::vector<Timed>> by_launch(const Passes& passes) {
  std::map<int, std::vector<Timed>> launches;
  for (const auto& [pass, time] : passes) launches[pass.first].push_back(time);
  return launches;
}

Timed over_all(const Passes& passes) {
  const auto launches = by_launch(passes);
  if (launches.size() == 1) return over_passes(launches.begin()->second);
  std::vector<double> times;
  for (const auto& [launch, timed] : launches) times.push_back(over_passes(timed).time_s);
  return {mean(times), std::sqrt(variance(times) / static_cast<double>(times.size()))};
}

/// Disturbances only lengthen what is timed: scatter above says nothing against a time.
bool is_measurable(const Passes& passes, const Timed& timed) {
  const auto above =
      std::ranges::count_if(passes, [](const auto& pass) { return pass.second.time_s > 0; });
  const bool is_mostly_above =
      static_cast<double>(above) >= least_share * static_cast<double>(passes.size());
  if (passes.size() >= least_scattered_passes) return is_mostly_above && timed.time_s > 0;
  return timed.time_s > normal_quantile(within_level) * timed.error_s;
}

/// Where each repeat stands: launches where there are several, else passes.
class Repeats {
 public:
  explicit Repeats(const Measurements& measurements) {
    for (const Observation& row : measurements.observations) {
      launches_.insert(row.launch);
      passes_.insert(pass_of(row));
    }
  }

  [[nodiscard]] std::vector<double> of(const Passes& passes) const {
    std::vector<double> repeats;
    if (launches_.size() > 1) {
      const auto launches = by_launch(passes);
      for (const int launch : launches_) {
        const auto found = launches.find(launch);
        repeats.push_back(found == launches.end() ? unknown_value
                                                  : over_passes(found->second).time_s);
      }
      return repeats;
    }
    for (const PassOfLaunch& pass : passes_) {
      const auto found = passes.find(pass);
      repeats.push_back(found == passes.end() ? unknown_value : found->second.time_s);
    }
    return repeats;
  }

 private:
  std::set<int> launches_;
  std::set<PassOfLaunch> passes_;
};

}  // namespace

OneWayTimes one_way_times(const Measurements& measurements, Which which) {
  std::map<Key, std::map<PassOfLaunch, Times>> rows;
  for (const Observation& row : measurements.observations) {
    if (which == Which::checks && !row.experiment.check) continue;
    if (const auto key = key_of(row.experiment)) rows[*key][pass_of(row)].add(row);
  }
  const Empties empties = empty_round_trips(measurements);
  const Repeats repeats(measurements);
  OneWayTimes result;
  for (const auto& [key, times] : rows) {
    const Passes passes = one_way(key, times, empties);
    if (passes.empty()) {
      ++result.without_empty;
      continue;
    }
    const Timed timed = over_all(passes);
    if (!is_measurable(passes, timed)) {
      ++result.not_measurable;
      continue;
    }
    result.all.push_back({key.operation, key.algorithm, key.from, key.to, key.size, timed.time_s,
                          timed.error_s, repeats.of(passes)});
  }
  return result;
}

std::vector<Diagnostic> OneWayTimes::left_out() const {
  const long count = std::ssize(all) + not_measurable + without_empty;
  const auto share = [count](long part) {
    return std::to_string(part) + " of " + std::to_string(count) +
           (count == 1 ? " time" : " times") + (part == 1 ? " is" : " are");
  };
  std::vector<Diagnostic> found;
  if (not_measurable > 0) {
    found.push_back(
        {.kind = "times_not_measurable",
         .count = not_measurable,
         .problem = share(not_measurable) + " not measurable and left out",
         .reason = "in more than a quarter of the passes they are below zero: what is taken off, "
                   "half an empty round trip or the clocks' offset, was disturbed",
         .advice = "measure more passes, or when the machine is quieter"});
  }
  if (without_empty > 0) {
    found.push_back({.kind = "times_without_empty_round_trip",
                     .count = without_empty,
                     .problem = share(without_empty) + " left out",
                     .reason = "the pair's empty round trip, half of which is taken off, was not "
                               "measured",
                     .advice = "start again, with more time"});
  }
  return found;
}

}  // namespace commgauge
