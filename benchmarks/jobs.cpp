// What a job pays beside measuring for the model of its hosts and for knowing whether it holds, as
// ranks grow: 16 on each host, of a machine of two kinds of hosts and every model.

#include <benchmark/benchmark.h>

#include "../tests/libestimate/by_classes.hpp"
#include "commgauge/costs/model_of_job.hpp"
#include "commgauge/judge/freshness.hpp"
#include "commgauge/judge/refreshed.hpp"
#include "commgauge/judge/telling_pairs.hpp"
#include "commgauge/predict/predict.hpp"

namespace {

using namespace commgauge;

constexpr int per_host = 16;
constexpr Bytes large{4096};

Model machine(int ranks) {
  Model model = samples::by_classes(ranks / per_host, per_host);
  model.classes->deviations.clear();
  return model;
}

/// The last hosts first.
std::vector<std::string> hosts_of_job(const Model& model) {
  std::vector<std::string> hosts;
  for (int rank = model.ranks - 1; rank >= 0; --rank) hosts.push_back(model.host(rank));
  return hosts;
}

/// As long as the model says, but for messages of one host.
std::vector<SurveyedTrip> trips_of(const Model& job, double slow_host) {
  std::vector<SurveyedTrip> trips;
  for (const auto& round : pairs_that_tell(job, 1)) {
    for (const auto& [from, to] : round) {
      const bool is_slow = from / per_host == 1 || to / per_host == 1;
      for (const Bytes size : {Bytes{0}, large}) {
        const auto time = [&](int a, int b, Bytes bytes) {
          return predict_time(job, {"hockney", Operation::p2p, a, b, bytes}).value;
        };
        const double once = time(from, to, size) + time(to, from, Bytes{0});
        trips.insert(trips.end(), 3, {from, to, size, (is_slow ? slow_host : 1) * once});
      }
    }
  }
  return trips;
}

void map_job(benchmark::State& state) {
  const Model model = machine(static_cast<int>(state.range(0)));
  const std::vector<std::string> hosts = hosts_of_job(model);
  for (auto _ : state) benchmark::DoNotOptimize(model_of_job(model, hosts));
}
BENCHMARK(map_job)->RangeMultiplier(4)->Range(64, 4096)->Unit(benchmark::kMillisecond);

void choose_pairs(benchmark::State& state) {
  const Model job = machine(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const auto rounds = pairs_that_tell(job, 1);
    benchmark::DoNotOptimize(size_that_tells(job, rounds, Seconds{1e-3}));
  }
}
BENCHMARK(choose_pairs)->RangeMultiplier(4)->Range(64, 4096)->Unit(benchmark::kMillisecond);

void judge(benchmark::State& state) {
  const Model job = machine(static_cast<int>(state.range(0)));
  const std::vector<SurveyedTrip> trips = trips_of(job, 1);
  for (auto _ : state) benchmark::DoNotOptimize(freshness(job, trips));
}
BENCHMARK(judge)->RangeMultiplier(4)->Range(64, 4096)->Unit(benchmark::kMillisecond);

void correct(benchmark::State& state) {
  const Model job = machine(static_cast<int>(state.range(0)));
  const Freshness found = freshness(job, trips_of(job, 3));
  for (auto _ : state) benchmark::DoNotOptimize(refreshed(job, found));
}
BENCHMARK(correct)->RangeMultiplier(4)->Range(64, 4096)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
