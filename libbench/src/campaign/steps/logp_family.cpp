#include "campaign/steps/logp_family.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "campaign/stop_rules.hpp"
#include "quiet.hpp"
#include "rank0.hpp"
#include "requirements.hpp"

namespace commgauge::bench {

namespace {

constexpr double interpolation_tolerance = 0.05;  ///< of a round trip's time between two sizes
constexpr std::size_t most_round_trips = 32;      ///< sizes
constexpr int most_flooding = 128;                ///< messages
constexpr double settled = 0.05;                  ///< a gap's change when a flood doubles

/// @return on rank 0, in the order of the experiments, which are between ranks 0 and 1.
std::vector<Seconds> time_quickly(Harness& harness, const std::vector<Experiment>& experiments) {
  std::vector<Seconds> times;
  const Round round{{{0, 1}, experiments}};
  for (const Observation& row : harness.run_round(round, quick_rule(harness.options))) {
    times.push_back({row.time_s});
  }
  return times;
}

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
    std::erase_if(next, [&](Bytes size) {
      return std::ranges::find(sizes_.checks, size) != sizes_.checks.end();
    });
    return next;
  }

  Harness& harness_;
  std::optional<Bytes> eager_limit_;
  const CampaignSizes& sizes_;
  std::map<Bytes, Seconds> timed_;
};

/// Doubles the flood of empty messages until the gap between them settles (Kielmann).
void settle_flood(Harness& harness, LogPPlan& plan) {
  const Communicator& comm = harness.comm;
  std::vector<std::uint64_t> found{static_cast<std::uint64_t>(plan.flood_messages)};
  double gap = 0;
  bool going_on = true;
  for (int messages = plan.flood_messages; going_on && messages <= most_flooding; messages *= 2) {
    const std::vector<Seconds> times =
        time_quickly(harness, {round_trip(0, 1, {}, {}), flood(0, 1, messages, {}, {})});
    if (comm.rank() == 0) {
      plan.delay = times[0];
      const double last = std::exchange(gap, (times[1] - times[0]).value / (messages - 1));
      found.front() = static_cast<std::uint64_t>(messages);
      going_on = std::abs(gap - last) > settled * gap;
    }
    going_on = agree_quietly(comm.get(), comm.rank() == 0 && going_on) != 0;
  }
  plan.flood_messages = static_cast<int>(broadcast(comm, std::move(found)).front());
}

}  // namespace

LogPPlan plan_logp_family(Harness& harness, std::optional<Bytes> eager_limit,
                          const CampaignSizes& sizes) {
  harness.progress.report("sizes of the LogP family");
  std::vector<Bytes> round_trips;
  std::vector<Seconds> times;
  for (const auto& [size, time] : RoundTripSizes(harness, eager_limit, sizes).time()) {
    if (size.value == 0) continue;
    round_trips.push_back(size);
    times.push_back(time);
  }
  std::vector<Bytes> affordable;
  if (!round_trips.empty()) affordable = {affordable_size(round_trips, times)};
  affordable = broadcast(harness.comm, affordable);
  round_trips = broadcast(harness.comm, round_trips);
  LogPPlan plan = plan_logp(std::move(round_trips), eager_limit, affordable.front());
  plan.progress = harness.options.receive_progress;
  settle_flood(harness, plan);
  return plan;
}

}  // namespace commgauge::bench
