#include "campaign/steps/logp_family.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "messages/quiet.hpp"
#include "ranks/rank0.hpp"

namespace commgauge::bench {

namespace {

constexpr int most_flooding = 128;  ///< messages
constexpr double settled = 0.05;    ///< a gap's change when a flood doubles

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
                          const TimedSizes& round_trips) {
  harness.progress.report("sizes of the LogP family");
  std::vector<Bytes> affordable;
  if (!round_trips.times.empty()) {
    affordable = {affordable_size(round_trips.sizes, round_trips.times)};
  }
  affordable = broadcast(harness.comm, affordable);
  LogPPlan plan = plan_logp(round_trips.sizes, eager_limit, affordable.front());
  plan.progress = harness.options.receive_progress;
  settle_flood(harness, plan);
  return plan;
}

}  // namespace commgauge::bench
