#include "campaign/steps/remeasuring.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/plan/remeasure.hpp"
#include "ranks/rank0.hpp"
#include "ranks/row_gathering.hpp"

namespace commgauge::bench {

namespace {

constexpr int most_times_again = 2;

/// Each by itself, the place in `rounds` in its Observation::pass. Collective.
/// @return on rank 0 as many as time allowed.
std::vector<Observation> measure_once(Harness& harness, const std::vector<Round>& rounds) {
  std::vector<Observation> mine;
  harness.buffers.renew();
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    harness.progress.report("measuring again what stands out");
    const Group& group = rounds[k].front();
    if (takes_part(group, harness.comm.rank())) {
      std::ranges::move(harness.runner.run(group, pass_rule(harness.options), static_cast<int>(k)),
                        std::back_inserter(mine));
    }
    if (!harness.timekeeper.may_add_more()) break;
  }
  return gather_rows(harness.comm, mine);
}

}  // namespace

long measure_again(Harness& harness, std::vector<Observation>& rows) {
  std::set<std::size_t> remeasured;
  for (int time = 0; time < most_times_again; ++time) {
    std::vector<std::size_t> odd;
    std::vector<Round> rounds;
    on_rank_0(harness.comm, [&] {
      odd = rows_that_stand_out(rows);
      for (const std::size_t row : odd) rounds.push_back({group_of(rows[row].experiment)});
    });
    rounds = share_rounds(harness.comm, rounds);
    if (rounds.empty()) break;
    for (const Observation& again : measure_once(harness, rounds)) {
      const std::size_t row = odd[static_cast<std::size_t>(again.pass)];
      remeasured.insert(row);
      (void)replace_row(rows, row, again);
    }
  }
  return std::ssize(remeasured);
}

}  // namespace commgauge::bench
