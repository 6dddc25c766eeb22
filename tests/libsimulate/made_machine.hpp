#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "commgauge/simulate/machine/machine.hpp"

namespace commgauge::simulate {

/// A fit without any doubt, and without replicates.
template <class Parameters>
Fitted<Parameters> exact(const Parameters& value) {
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

inline Model loggps_model(int ranks, std::uint64_t eager_limit) {
  Model model = model_of(ranks);
  model.loggps = exact(loggps_parameters(ranks));
  model.eager_limit = Bytes{eager_limit};
  return model;
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
  model.lmo = exact(lmo);
  model.eager_limit = Bytes{eager_limit};
  return model;
}

/// alpha = 20 us, beta = 1 ns/B.
inline Model hockney_model(int ranks) {
  Model model = model_of(ranks);
  model.hockney = exact(HockneyParameters{Matrix(ranks, 20e-6), Matrix(ranks, 1e-9), 0, 0});
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

/// A machine of one rank on each host. h0 and h1 are in a rack, with h2 in a row; the others are in
/// a row, too; a backbone is between the rows. Links are by turns slower and quicker than pairs.
inline Machine behind_uplinks(Machine machine) {
  std::vector<std::string> hosts;
  Fabric fabric;
  fabric.groups = {{{"h0", "h1", "h2"}, {}}, {{"h0", "h1"}, 0}, {{}, {}}};
  fabric.backbone_sides = {{"h0", "h1", "h2"}, {}};
  for (int rank = 0; rank < machine.ranks; ++rank) {
    hosts.push_back("h" + std::to_string(rank));
    if (rank < 3) continue;
    fabric.groups[2].hosts.push_back(hosts.back());
    fabric.backbone_sides[1].push_back(hosts.back());
  }
  fabric.value = {
      {15e-9, 1e-9, 0.5e-9}, {2e-9, 20e-9, std::numeric_limits<double>::quiet_NaN()}, 9e-9};
  const std::vector<double> of_hosts(hosts.size(), 2e-9);
  const std::vector<double> none(hosts.size(), 0);
  machine.host_links =
      with_uplinks(shared_host_links({of_hosts, none, none, of_hosts}, hosts), fabric, hosts);
  return machine;
}

}  // namespace commgauge::simulate
