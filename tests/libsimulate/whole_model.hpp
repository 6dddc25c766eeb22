#pragma once

#include <cstdint>
#include <string>

#include "../testbeds/synthetic.hpp"
#include "commgauge/simulate/machine.hpp"
#include "made_machine.hpp"

/// A model file that has all models, each pair with its own parameters.
namespace commgauge::simulate::whole {

inline constexpr int ranks = 4;
inline constexpr Bytes limit{5000};
inline constexpr double packet = 1460;

/// About `typical`, another value for each ordered pair.
inline Matrix uneven(double typical) {
  Matrix m(ranks);
  for (int i = 0; i < ranks; ++i) {
    for (int j = 0; j < ranks; ++j) {
      if (i != j) m(i, j) = typical * (1 + (3 * i + 7 * j) % 11 / 100.0);
    }
  }
  return m;
}

inline PLogPParameters plogp() {
  PLogPParameters p;
  p.L = uneven(40e-6);
  for (const std::uint64_t size : {0, 100, 5000, 8000, 40000}) {
    p.sizes.push_back(Bytes{size});
    const auto bytes = static_cast<double>(size);
    p.g.push_back(uneven(20e-6 + 8e-9 * bytes + (size > limit.value ? 50e-6 : 0)));
    p.o_s.push_back(uneven(9e-6 + 1e-9 * bytes));
    p.o_r.push_back(uneven(11e-6 + 2e-9 * bytes));
  }
  return p;
}

inline CurvesParameters curves() {
  CurvesParameters p;
  for (const std::uint64_t size : {0, 100, 5000, 5001, 40000}) {
    p.sizes.push_back(Bytes{size});
    p.time.push_back(
        uneven(30e-6 + 8e-9 * static_cast<double>(size) + (size > limit.value ? 50e-6 : 0)));
  }
  return p;
}

inline Model whole_model() {
  Model model;
  model.ranks = ranks;
  model.eager_limit = limit;
  model.lmo = certain(synthetic::lmo_parameters(ranks));
  model.lom = certain(synthetic::lom_parameters(ranks));
  model.bottleneck = certain(synthetic::bottleneck_parameters(ranks));
  model.hockney = certain(HockneyParameters{uneven(30e-6), uneven(2e-9), 0, 0});
  model.hockney_rendezvous = certain(HockneyParameters{uneven(90e-6), uneven(1e-9), 0, 0});
  model.logp = certain(LogPParameters{uneven(40e-6), uneven(10e-6), uneven(20e-6), 0, 0, 0});
  model.loggp = certain(
      LogGpParameters{uneven(40e-6), uneven(10e-6), uneven(20e-6), uneven(8e-9), 0, 0, 0, 0});
  LogGpsParameters loggps;
  loggps.L = uneven(40e-6);
  loggps.o_prime_s = uneven(9e-6);
  loggps.O_s = uneven(1e-9);
  loggps.o_prime_r = uneven(11e-6);
  loggps.O_r = uneven(2e-9);
  loggps.g = uneven(20e-6);
  loggps.G_prime = uneven(5e-9);
  loggps.G = uneven(8e-9);
  loggps.s = packet;
  model.loggps = certain(loggps);
  model.plogp = certain(plogp());
  model.curves = certain(curves());
  OverheadGrowth growth;
  growth.o_prime_a_s = 8e-6;
  growth.o_prime_b_s = 1e-6;
  growth.o_prime_a_r = 9e-6;
  growth.o_prime_b_r = 2e-6;
  model.overhead_growth = certain(growth);
  return model;
}

/// With another eager limit, where it isn't in the kind's own parameters: gaps of PLogP's and times
/// of curves are of messages that wait from `limit` on.
inline Model whole_model(const std::string& kind, std::uint64_t eager_limit) {
  Model model = whole_model();
  if (kind != "plogp" && kind != "curves") model.eager_limit = Bytes{eager_limit};
  return model;
}

}  // namespace commgauge::simulate::whole
