#pragma once

#include <utility>
#include <vector>

#include "commgauge/measurements/measurements.hpp"

namespace commgauge::by_hand {

struct Timed {
  Experiment experiment;
  double time_s{};
};

/// The same times in each of so many passes, without any error.
inline Measurements measurements(int ranks, const std::vector<Timed>& times, int passes = 3) {
  Measurements m;
  m.launches.resize(1);
  m.launches.front().ranks.resize(static_cast<std::size_t>(ranks));
  m.launches.front().confidence = 0.95;
  for (int pass = 0; pass < passes; ++pass) {
    for (const auto& [experiment, time_s] : times) {
      Observation row;
      row.experiment = experiment;
      row.pass = pass;
      row.time_s = row.low_s = row.high_s = time_s;
      row.level = 0.95;
      m.observations.push_back(row);
    }
  }
  return m;
}

/// Two ranks, both directions alike. Empty round trips of 40 us, of 1000 bytes 60 us; o_s of 2 and
/// 3 us, o_r of 4 and 6 us; floods of 11 messages take 70 us, which is a gap of 3 us, and 160 us of
/// 1000 bytes, 10 us.
inline std::vector<Timed> two_ranks() {
  const Bytes size{1000};
  std::vector<Timed> times;
  for (const auto& [i, j] : {std::pair{0, 1}, std::pair{1, 0}}) {
    times.insert(times.end(), {{round_trip(i, j, {}, {}), 40e-6},
                               {round_trip(i, j, size, {}), 60e-6},
                               {send_overhead(i, j, {}), 2e-6},
                               {send_overhead(i, j, size), 3e-6},
                               {receive_overhead(i, j, {}, false), 4e-6},
                               {receive_overhead(i, j, size, false), 6e-6},
                               {flood(i, j, 11, {}, {}), 70e-6},
                               {flood(i, j, 11, {}, size), 160e-6}});
  }
  return times;
}

/// Without their floods.
inline std::vector<Timed> without_floods(std::vector<Timed> times) {
  std::erase_if(times, [](const Timed& one) { return one.experiment.kind == Kind::flood; });
  return times;
}

}  // namespace commgauge::by_hand
