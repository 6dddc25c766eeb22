#include "campaign/steps/warm_up.hpp"

#include "base/requirements.hpp"
#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"

namespace commgauge::bench {

void warm_up(Harness& harness) {
  harness.progress.report("warm-up");
  const Bytes largest = largest_size(harness.options);
  for (const std::vector<Pair>& pairs : pair_rounds(harness.comm.size())) {
    Round round;
    for (const Pair& pair : pairs) {
      const auto [i, j] = pair;
      round.push_back(
          group_of(pair, {round_trip(i, j, Bytes{1}, Bytes{1}), round_trip(i, j, largest, Bytes{0}),
                          round_trip(j, i, largest, Bytes{0})}));
    }
    (void)harness.run_round(round, warm_up_rule(harness.options));
  }
}

}  // namespace commgauge::bench
