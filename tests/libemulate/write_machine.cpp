// Writes a model file of a machine that is nothing but parameters.
//
//   write-machine lmo|bottleneck|lom|hockney|loggps RANKS SEED [EAGER_LIMIT]

#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <string>

#include "../testbeds/synthetic.hpp"
#include "commgauge/model/model.hpp"

namespace {

using namespace commgauge;

template <class Parameters>
Fitted<Parameters> certain(const Parameters& value) {
  Fitted<Parameters> fitted;
  fitted.value = fitted.low = fitted.high = value;
  fitted.last = Bytes{1 << 20};
  fitted.observations = 1;
  return fitted;
}

/// Another value for every ordered pair.
Matrix uneven(int n, double middle, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> factor(0.8, 1.2);
  Matrix values(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j) values(i, j) = middle * factor(random);
    }
  }
  return values;
}

LogGpsParameters loggps_parameters(int n, std::uint64_t seed) {
  LogGpsParameters p;
  p.L = synthetic::lmo_parameters(n, seed).L;
  p.o_prime_s = uneven(n, 12e-6, seed + 1);
  p.O_s = uneven(n, 0.4e-9, seed + 2);
  p.o_prime_r = uneven(n, 15e-6, seed + 3);
  p.O_r = uneven(n, 0.5e-9, seed + 4);
  p.g = uneven(n, 25e-6, seed + 5);
  p.G = p.G_prime = uneven(n, 8e-9, seed + 6);
  p.s = std::numeric_limits<double>::quiet_NaN();
  return p;
}

HockneyParameters hockney_parameters(int n, std::uint64_t seed) {
  HockneyParameters p;
  p.alpha = uneven(n, 40e-6, seed);
  p.beta = uneven(n, 8e-9, seed + 1);
  return p;
}

Model model_of(const std::string& kind, int n, std::uint64_t seed) {
  Model model;
  model.ranks = n;
  Launch launch;
  launch.time_utc = "2024-01-01T00:00:00Z";
  launch.commgauge_version = "0.1.0";
  launch.mpi_library = launch.mpi_standard = "none";
  launch.wait = "blocking";
  launch.buffers = "rotating";
  launch.schedule = "serial";
  launch.passes = 1;
  launch.confidence = 0.95;
  launch.precision = 0.025;
  launch.clock_resolution_s = 1e-9;
  for (int i = 0; i < n; ++i) launch.ranks.push_back({"h" + std::to_string(i), {0}});
  model.launches.push_back(launch);
  if (kind == "lmo") {
    model.lmo = certain(synthetic::lmo_parameters(n, seed));
  } else if (kind == "lom") {
    model.lom = certain(synthetic::lom_parameters(n, seed));
  } else if (kind == "bottleneck") {
    model.bottleneck = certain(synthetic::bottleneck_parameters(n, seed));
  } else if (kind == "hockney") {
    model.hockney = certain(hockney_parameters(n, seed));
  } else {
    model.loggps = certain(loggps_parameters(n, seed));
    model.receive_wait = "quiet";
  }
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "write-machine: too few arguments: give KIND RANKS SEED [EAGER_LIMIT]\n";
    return 2;
  }
  Model model = model_of(argv[1], std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
  if (argc > 4) model.eager_limit = Bytes{std::strtoull(argv[4], nullptr, 10)};
  std::cout << to_json(model);
}
