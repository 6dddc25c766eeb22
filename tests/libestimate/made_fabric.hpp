#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/measurements/fabric_run.hpp"
#include "commgauge/plan/fabric_look.hpp"
#include "plan/fabric_load.hpp"

namespace commgauge::samples {

inline constexpr double own_time = 1e-9;  ///< of each pair alone [s/byte]
inline constexpr double start_s = 1e-5;

/// Links of known rate, in those of a host.
struct MadeFabric {
  int hosts{};
  std::vector<LoadedLink> links;

  void add(const std::vector<int>& group, Passing way, double rate) {
    LoadedLink link{std::vector<int>(at(hosts)), way, rate / own_time};
    for (const int host : group) link.side[at(host)] = 1;
    links.push_back(link);
  }
};

/// Ten hosts, of which the first four have an uplink of the rate of two.
inline MadeFabric one_rack() {
  MadeFabric fabric{10, {}};
  for (const Passing way : {Passing::out, Passing::in}) fabric.add({0, 1, 2, 3}, way, 2);
  return fabric;
}

/// What a launch would measure of it, each time off by as much as `noise` [relative].
inline FabricRun made_run(const MadeFabric& fabric, double noise = 0, std::uint64_t seed = 1) {
  FabricRun run;
  for (int host = 0; host < fabric.hosts; ++host) run.hosts.push_back("n" + std::to_string(host));
  run.size = Bytes{1 << 20};
  run.piece = Bytes{4 << 10};
  run.start_s = start_s;
  run.seed = seed;
  const Matrix alone(fabric.hosts, own_time);
  std::mt19937_64 random(seed);
  const auto off = [&] { return 1 + noise * (static_cast<double>(random() >> 11) * 0x1p-52 - 1); };
  const MeasureAtOnce measure = [&](std::span<const HostMessage> pairs) {
    FabricRound round{{pairs.begin(), pairs.end()}, {}};
    const std::vector<double> times = times_at_once(pairs, alone, fabric.links);
    for (int repetition = 0; repetition < 5; ++repetition) {
      std::vector<double>& one = round.times_s.emplace_back();
      for (const double time : times) one.push_back(start_s + time * as_double(run.size) * off());
      ++run.repetitions;
    }
    run.rounds.push_back(round);
    return byte_times(run, round);
  };
  (void)look_for_fabric(fabric.hosts, measure, seed);
  return run;
}

}  // namespace commgauge::samples
