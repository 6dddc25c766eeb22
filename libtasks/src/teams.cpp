#include "teams.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/shuffle.hpp"

namespace commgauge::tasks {

std::vector<Team> teams_of(int ranks, const Work& work, const Protocol& protocol) {
  const int masters = protocol.masters;
  if (masters < 1) throw InputError("no master (nobody hands out tasks): give at least 1");
  if (ranks / 2 < masters) {
    throw InputError(std::to_string(ranks) + " ranks for " + std::to_string(masters) +
                     (masters == 1 ? " master" : " masters") +
                     " (each needs a worker): give at least " + std::to_string(2 * masters));
  }
  if (work.times_s.empty()) throw InputError("no tasks (nothing is to be done): give at least 1");
  if (protocol.chunk == 0)
    throw InputError("chunks of no task (nobody would ever be done): give 1");
  std::vector<Team> teams;
  const std::uint64_t tasks = work.times_s.size();
  const auto share = [masters](std::uint64_t whole, int master) {
    return whole * static_cast<std::uint64_t>(master) / static_cast<std::uint64_t>(masters);
  };
  const auto all = static_cast<std::uint64_t>(ranks);
  for (int m = 0; m < masters; ++m) {
    teams.push_back({static_cast<int>(share(all, m)), static_cast<int>(share(all, m + 1)),
                     share(tasks, m), share(tasks, m + 1)});
  }
  return teams;
}

Work work_in_order(std::vector<double> times_s, std::vector<std::uint32_t> result_bytes,
                   const Protocol& protocol) {
  if (protocol.order == Order::given) return {std::move(times_s), std::move(result_bytes)};
  std::vector<std::uint32_t> order(times_s.size());
  std::iota(order.begin(), order.end(), 0U);
  if (protocol.order == Order::random) {
    std::mt19937_64 random(protocol.seed);
    shuffle(std::span{order}, random);
  } else {
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t i) { return times_s[i]; });
  }
  Work work;
  work.times_s.reserve(order.size());
  for (const std::uint32_t i : order) work.times_s.push_back(times_s[i]);
  for (const std::uint32_t i : order) {
    if (!result_bytes.empty()) work.result_bytes.push_back(result_bytes[i]);
  }
  return work;
}

}  // namespace commgauge::tasks
