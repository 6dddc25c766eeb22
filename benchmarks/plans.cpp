// How plans grow with the number of ranks: seconds, and rounds against the lower bound.

#include <benchmark/benchmark.h>

#include "commgauge/plan/rounds.hpp"

namespace {

using commgauge::Group;
using commgauge::Round;

template <std::size_t width>
std::vector<Round> as_rounds(const std::vector<std::vector<std::array<int, width>>>& planned) {
  std::vector<Round> rounds;
  for (const auto& sets : planned) {
    Round round;
    for (const auto& ranks : sets) round.push_back({{ranks.begin(), ranks.end()}, {}});
    rounds.push_back(std::move(round));
  }
  return rounds;
}

void report(benchmark::State& state, const std::vector<Round>& rounds) {
  const auto n = static_cast<int>(state.range(0));
  state.counters["rounds"] = static_cast<double>(rounds.size());
  state.counters["over_lower_bound"] =
      static_cast<double>(rounds.size()) / static_cast<double>(lower_bound_rounds(rounds, n));
}

void pairs(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(commgauge::pair_rounds(n));
  report(state, as_rounds(commgauge::pair_rounds(n)));
}
BENCHMARK(pairs)->RangeMultiplier(4)->Range(4, 1024);

void all_triples(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(commgauge::triple_rounds(n));
  report(state, as_rounds(commgauge::triple_rounds(n)));
}
BENCHMARK(all_triples)->Arg(4)->Arg(8)->Arg(16)->Arg(32);

void sparse_triples(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(commgauge::sparse_triple_rounds(n, 4, 1));
  report(state, as_rounds(commgauge::sparse_triple_rounds(n, 4, 1)));
}
BENCHMARK(sparse_triples)->RangeMultiplier(4)->Range(16, 1024);

}  // namespace

BENCHMARK_MAIN();
