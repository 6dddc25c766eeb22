#include "commgauge/bench/speed/speed.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>

#include "clock/system_clock.hpp"
#include "speed/kernels.hpp"

namespace commgauge::bench {

namespace {

constexpr int rounds = 100;
constexpr double run_s = 0.01;  // of a kernel, together

/// CPU time of the thread [s].
double time_of(const std::function<void()>& kernel, int times) {
  const double before = read(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < times; ++i) kernel();
  return read(CLOCK_THREAD_CPUTIME_ID) - before;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  constexpr std::string_view key = "model name";
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

ProcessorSpeed measure_speed() {
  struct Kernel {
    const char* name;
    std::function<void()> run;
    int times{1};
  };
  Stream stream;
  std::vector<Kernel> kernels{{"integer", sort_numbers},
                              {"floating-point", multiply_matrices},
                              {"memory", [&stream] { stream.run(); }}};
  ProcessorSpeed speed{processor_name(), 0, {}};
  for (Kernel& kernel : kernels) {
    kernel.run();
    kernel.times = std::max(1, static_cast<int>(run_s / std::max(1e-9, time_of(kernel.run, 1))));
    speed.kernels.push_back({kernel.name, {}});
  }
  const double wall = read(CLOCK_MONOTONIC);
  const double cpu = read(CLOCK_THREAD_CPUTIME_ID);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const auto& [name, run, times] = kernels[k];
      speed.kernels[k].times_s.push_back(time_of(run, times) / times);
    }
  }
  const double passed = read(CLOCK_MONOTONIC) - wall;
  speed.lost_share = std::max(0.0, 1 - (read(CLOCK_THREAD_CPUTIME_ID) - cpu) / passed);
  return speed;
}

}  // namespace commgauge::bench
