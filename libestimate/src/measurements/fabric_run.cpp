#include "commgauge/measurements/fabric_run.hpp"

#include "commgauge/base/statistics.hpp"

namespace commgauge {

namespace {

SecondsPerByte byte_time(const FabricRun& run, double time_s) {
  return Seconds{time_s - run.start_s} / run.size;
}

}  // namespace

std::vector<SecondsPerByte> byte_times(const FabricRun& run, const FabricRound& round) {
  std::vector<SecondsPerByte> times;
  for (std::size_t pair = 0; pair < round.pairs.size(); ++pair) {
    std::vector<double> repetitions;
    for (const std::vector<double>& one : round.times_s) repetitions.push_back(one[pair]);
    times.push_back(byte_time(run, median(repetitions)));
  }
  return times;
}

std::vector<SecondsPerByte> byte_times(const FabricRun& run, const FabricRound& round,
                                       std::size_t repetition) {
  std::vector<SecondsPerByte> times;
  for (const double time_s : round.times_s[repetition]) times.push_back(byte_time(run, time_s));
  return times;
}

}  // namespace commgauge
