#include "campaign/sizes/round_trip_sizes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/requirements.hpp"
#include "campaign/stop_rules.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

namespace {

constexpr double interpolation_tolerance = 0.05;  ///< of a round trip's time between two sizes
constexpr std::size_t most_round_trips = 32;      ///< sizes

/// Times round trips of more and more sizes, until a line between neighbours tells the others.
class RoundTripSizes {
 public:
  RoundTripSizes(Harness& harness, std::optional<Bytes> eager_limit, const CampaignSizes& sizes)
      : harness_{harness}, eager_limit_{eager_limit}, sizes_{sizes} {}

  /// Those given, or as many as that takes. Collective. @return empty but on rank 0.
  [[nodiscard]] std::map<Bytes, Seconds> time() {
    const bool are_given = !harness_.options.sizes.empty();
    std::vector<Bytes> next =
        are_given ? sizes_.sweep : first_round_trips(eager_limit_, largest_size(harness_.options));
    if (!are_given) keep_checks_away(next);
    next.insert(next.begin(), Bytes{0});
    while (!next.empty()) {
      time(next);
      if (are_given) break;
      next = broadcast(harness_.comm, more_sizes());
    }
    return std::move(timed_);
  }

 private:
  void time(const std::vector<Bytes>& sizes) {
    std::vector<Experiment> trips;
    trips.reserve(sizes.size());
    for (const Bytes size : sizes) trips.push_back(round_trip(0, 1, size, {}));
    const std::vector<Seconds> times = time_quickly(harness_, trips);
    for (std::size_t k = 0; k < times.size(); ++k) timed_[sizes[k]] = times[k];
  }

  [[nodiscard]] std::vector<Bytes> more_sizes() const {
    if (timed_.size() >= most_round_trips) return {};
    std::vector<Bytes> sizes;
    std::vector<Seconds> times;
    for (const auto& [size, time] : timed_) {
      sizes.push_back(size);
      times.push_back(time);
    }
    std::vector<Bytes> next = refine_round_trips(
        sizes, times, eager_limit_, interpolation_tolerance, most_round_trips - timed_.size());
    keep_checks_away(next);
    return next;
  }

  void keep_checks_away(std::vector<Bytes>& sizes) const {
    std::erase_if(sizes, [&](Bytes size) {
      return std::ranges::find(sizes_.checks, size) != sizes_.checks.end();
    });
  }

  Harness& harness_;
  std::optional<Bytes> eager_limit_;
  const CampaignSizes& sizes_;
  std::map<Bytes, Seconds> timed_;
};

}  // namespace

/// @return on rank 0, in the order of the experiments, which are between ranks 0 and 1.
std::vector<Seconds> time_quickly(Harness& harness, const std::vector<Experiment>& experiments) {
  std::vector<Seconds> times;
  const Round round{{{0, 1}, experiments}};
  for (const Observation& row : harness.run_round(round, quick_rule(harness.options))) {
    times.push_back({row.time_s});
  }
  return times;
}

TimedSizes choose_round_trips(Harness& harness, std::optional<Bytes> eager_limit,
                              const CampaignSizes& sizes) {
  harness.progress.report("sizes of round trips");
  TimedSizes chosen;
  for (const auto& [size, time] : RoundTripSizes(harness, eager_limit, sizes).time()) {
    if (size.value == 0) continue;
    chosen.sizes.push_back(size);
    chosen.times.push_back(time);
  }
  chosen.sizes = broadcast(harness.comm, chosen.sizes);
  return chosen;
}

}  // namespace commgauge::bench
