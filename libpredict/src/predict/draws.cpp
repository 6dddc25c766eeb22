#include "commgauge/predict/draws.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "commgauge/base/units.hpp"

namespace commgauge {

namespace {

constexpr std::size_t least_draws = 9;
constexpr double hardly = 0.01;  ///< of the median: so far apart draws may be that few tell enough
constexpr double clearly = 0.1;  ///< so far apart outcomes are that have nothing between them

bool hardly_differ(const std::vector<double>& ascending) {
  return ascending.back() - ascending.front() <= hardly * ascending[ascending.size() / 2];
}

/// Before which of them the widest gap is.
std::size_t after_widest_gap(std::span<const double> ascending) {
  std::size_t after = 1;
  for (std::size_t i = 2; i < ascending.size(); ++i) {
    const double gap = ascending[i] - ascending[i - 1];
    if (gap > ascending[after] - ascending[after - 1]) after = i;
  }
  return after;
}

}  // namespace

std::size_t most_draws(double confidence) {
  constexpr double most = 99;
  return static_cast<std::size_t>(std::min(most, std::ceil((1 + confidence) / (1 - confidence))));
}

Draws drawn(const simulate::Machine& on_time, const MessageJitter& lateness, double confidence,
            const std::function<double(const simulate::Machine&)>& time_on) {
  Draws draws{
      {}, simulate::with_jitter(on_time, {.mean = lateness.mean, .per_byte = lateness.per_byte})};
  std::vector<std::uint64_t> seeds;  // in the order of the times
  const std::size_t most = most_draws(confidence);
  for (std::uint64_t seed = 1; seed <= most; ++seed) {
    draws.median.jitter.seed = seed;
    const double time = time_on(draws.median);
    const auto place = std::ranges::upper_bound(draws.times, time);
    seeds.insert(seeds.begin() + (place - draws.times.begin()), seed);
    draws.times.insert(place, time);
    if (seed == least_draws && hardly_differ(draws.times)) break;
  }
  draws.median.jitter.seed = seeds[seeds.size() / 2];
  return draws;
}

Prediction with_draws(Prediction prediction, double on_time, const Draws& draws) {
  prediction.time = Seconds{draws.time()};
  if (!prediction.has_interval() || !(on_time > 0)) return prediction;
  prediction.low.value *= draws.times.front() / on_time;
  prediction.high.value *= draws.times.back() / on_time;
  return prediction;
}

Diagnostic lateness_note(const MessageJitter& mean, std::size_t draws) {
  return {.kind = "jitter",
          .problem = "messages are late by chance, by " + to_text(mean) + " in the mean",
          .reason = "the time is the median of " + std::to_string(draws) + " draws"};
}

std::optional<Diagnostic> outcomes_note(std::span<const double> times) {
  const std::size_t after = after_widest_gap(times);
  if (times[after] - times[after - 1] <= clearly * times[times.size() / 2]) return std::nullopt;
  const auto middle = [&](std::size_t first, std::size_t end) {
    return to_text(Seconds{times[(first + end) / 2]});
  };
  const std::size_t count = times.size();
  return Diagnostic{.kind = "outcomes",
                    .count = static_cast<long>(after),
                    .problem = "two outcomes lie apart: " + middle(0, after) + " in " +
                               std::to_string(after) + " of " + std::to_string(count) + " draws, " +
                               middle(after, count) + " in the others",
                    .reason = "which message comes first is decided by chance"};
}

}  // namespace commgauge
