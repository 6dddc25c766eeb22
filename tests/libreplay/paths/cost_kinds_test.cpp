#include "commgauge/replay/paths/cost_kinds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "explained.hpp"

namespace commgauge::replay::cost_kinds_test {

using simulate::Cause;
using simulate::Causes;
using simulate::Explained;
using simulate::Machine;
using simulate::Moment;

/// A kind of machine, whose costs can be multiplied.
struct Kind {
  std::string name;
  CostDivision::MachineWith with;
};

std::vector<Kind> all_kinds() {
  std::vector<Kind> all;
  for (const std::string& kind : simulate::emulated_models()) {
    for (const std::uint64_t eager_limit : {0, 300, 30'000}) {
      const Model model = simulate::whole::whole_model(kind, eager_limit);
      all.push_back({kind, [model, kind](const Factors& factors) {
                       return simulate::machine_of(scaled(model, factors), kind);
                     }});
    }
  }
  for (const bool is_shared : {false, true}) {
    all.push_back({"ring", [is_shared](const Factors& factors) {
                     return simulate::machine_of(
                         *simulate::generated("ring:4"),
                         {.start_up = Seconds{11e-6 * factors.latency},
                          .per_byte = SecondsPerByte{3e-9 * factors.per_byte},
                          .block = Bytes{1500},
                          .has_contention = is_shared});
                   }});
  }
  return all;
}

bool is_asking(const Cause& cause) {
  return cause.why == simulate::Why::asking || cause.why == simulate::Why::waiting;
}

/// Whether the time passes by the same steps; who asks again and again may ask once more.
bool is_same_path(const LongestPaths& a, const LongestPaths& b) {
  const auto is_same_step = [](const auto& one, const auto& other) {
    return one.to == other.to && one.which == other.which && one.cause.why == other.cause.why &&
           (!is_asking(one.cause) || std::abs(one.cause.delay - other.cause.delay) < 1e-12);
  };
  return std::ranges::equal(a.critical_path(), b.critical_path(), is_same_step);
}

CostsByKind costs_of(const Explained& explained, const LongestPaths& paths, const Kind& kind,
                     const Machine& machine) {
  const CostDivision division(explained.causes, machine, kind.with);
  CostsByKind sum{};
  for (const auto& step : paths.critical_path()) {
    const CostsByKind costs = division.of(step.cause);
    for (std::size_t i = 0; i < cost_kind_count; ++i) sum[i] += costs[i];
  }
  return sum;
}

TEST(CostKinds, AddUpToTheTime) {
  for (const Kind& kind : all_kinds()) {
    const Machine machine = kind.with({});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Explained explained(machine, seed);
      const LongestPaths paths(explained.causes);
      const CostsByKind costs = costs_of(explained, paths, kind, machine);
      EXPECT_NEAR(std::accumulate(costs.begin(), costs.end(), 0.0), paths.time(),
                  1e-12 * (1 + paths.time()));
      EXPECT_NEAR(costs[static_cast<std::size_t>(CostKind::other)], 0, 1e-9 * paths.time())
          << kind.name << ", program " << seed;
    }
  }
}

/// Against differences of whole simulations, where the path doesn't change.
TEST(CostKinds, AreTheDerivativesOfTheTime) {
  constexpr double step = 1e-7;
  long same = 0;
  long all = 0;
  for (const Kind& kind : all_kinds()) {
    const Machine machine = kind.with({});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Explained explained(machine, seed);
      const LongestPaths paths(explained.causes);
      const CostsByKind costs = costs_of(explained, paths, kind, machine);
      for (const auto& [cost, factor] : {std::pair{CostKind::overheads, &Factors::overheads},
                                         {CostKind::latency, &Factors::latency},
                                         {CostKind::bytes, &Factors::per_byte},
                                         {CostKind::gaps, &Factors::gaps}}) {
        Factors factors;
        factors.*factor += step;
        const Explained slower(kind.with(factors), seed);
        const LongestPaths slower_paths(slower.causes);
        ++all;
        if (!is_same_path(paths, slower_paths)) continue;
        ++same;
        EXPECT_NEAR(costs[static_cast<std::size_t>(cost)],
                    (slower_paths.time() - paths.time()) / step, 1e-6 * paths.time())
            << kind.name << ", program " << seed << ", " << to_text(cost);
      }
    }
  }
  EXPECT_GT(same, all / 2);
}

/// Whether the same happened for the same reasons; who asks again and again asked as often.
bool is_same_graph(const Causes& a, const Causes& b) {
  if (a.size() != b.size()) return false;
  for (Moment m = 0; m < a.size(); ++m) {
    const auto is_same = [](const Cause& one, const Cause& other) {
      return one.after == other.after && one.why == other.why && one.message == other.message &&
             (!is_asking(one) || std::abs(one.delay - other.delay) < 1e-12);
    };
    if (!std::ranges::equal(a.of(m), b.of(m), is_same)) return false;
  }
  return true;
}

TEST(CostKinds, WalksOnAnotherMachineAreItsSimulations) {
  long same = 0;
  long all = 0;
  for (const Kind& kind : all_kinds()) {
    const Machine machine = kind.with({});
    const Machine other = kind.with({1 + 1e-5, 1 - 1e-5, 1 + 2e-5, 1 - 3e-5});
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Explained explained(machine, seed);
      const Explained there(other, seed);
      ++all;
      if (!is_same_graph(explained.causes, there.causes)) continue;
      ++same;
      const double walked =
          LongestPaths(explained.causes).with(delays_on(explained.causes, machine, other));
      const double simulated = LongestPaths(there.causes).time();
      EXPECT_NEAR(walked, simulated, 1e-12 * (1 + simulated)) << kind.name << ", program " << seed;
    }
  }
  EXPECT_GT(same, all / 4) << same << " of " << all;
}

}  // namespace commgauge::replay::cost_kinds_test
