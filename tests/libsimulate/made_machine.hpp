#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

template <class Parameters>
Fitted<Parameters> certain(const Parameters& value) {
  Fitted<Parameters> fitted;
  fitted.value = fitted.low = fitted.high = value;
  return fitted;
}

inline Model model_of(int ranks) {
  Model model;
  model.ranks = ranks;
  model.launches.emplace_back();
  for (int i = 0; i < ranks; ++i) {
    model.launches.front().ranks.push_back({"h" + std::to_string(i), {0}});
  }
  return model;
}

/// All pairs alike: L = 50 us, overheads of 12 us.
inline LogGpsParameters loggps_parameters(int ranks) {
  LogGpsParameters p;
  p.L = Matrix(ranks, 50e-6);
  p.o_prime_s = p.o_prime_r = Matrix(ranks, 12e-6);
  p.O_s = p.O_r = Matrix(ranks, 1e-9);
  p.g = Matrix(ranks, 20e-6);
  p.G_prime = p.G = Matrix(ranks, 2e-9);
  p.s = std::numeric_limits<double>::quiet_NaN();
  return p;
}

/// All ranks alike: C = 10 us, t = 1 ns/B, L = 20 us, 1/beta = 2 ns/B.
inline Model lmo_model(int ranks, std::uint64_t eager_limit) {
  Model model = model_of(ranks);
  const auto n = static_cast<std::size_t>(ranks);
  AdditiveParameters lmo;
  lmo.C.assign(n, 10e-6);
  lmo.t.assign(n, 1e-9);
  lmo.L = Matrix(ranks, 20e-6);
  lmo.inverse_beta = Matrix(ranks, 2e-9);
  model.lmo = certain(lmo);
  model.eager_limit = Bytes{eager_limit};
  return model;
}

/// alpha = 20 us, beta = 1 ns/B.
inline Model hockney_model(int ranks) {
  Model model = model_of(ranks);
  model.hockney = certain(HockneyParameters{Matrix(ranks, 20e-6), Matrix(ranks, 1e-9), 0, 0});
  return model;
}

/// A machine with two hosts whose ranks share links; by turns slower and quicker than pairs.
inline Machine on_two_hosts(Machine machine) {
  machine.host_links = {{}, {20e-9, 0.5e-9}, {1e-9, 30e-9}, {0, 5e-9}, {0, 16e-9}};
  for (int rank = 0; rank < machine.ranks; ++rank) {
    machine.host_links.places.push_back(rank < 2 ? 0 : 1);
  }
  return machine;
}

}  // namespace commgauge::simulate
