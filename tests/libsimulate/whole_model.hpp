#pragma once

#include <cstdint>
#include <string>

#include "../testbeds/synthetic.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "made_machine.hpp"

/// A model file that has all models, each pair with its own parameters.
namespace commgauge::simulate::whole {

inline constexpr int ranks = 4;
inline constexpr Bytes limit{5000};
inline constexpr double packet = 1460;

/// About `typical`, another value for each ordered pair.
inline Matrix uneven(double typical, int n) {
  Matrix m(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i != j) m(i, j) = typical * (1 + (3 * i + 7 * j) % 11 / 100.0);
    }
  }
  return m;
}

inline PLogPParameters plogp(int n) {
  PLogPParameters p;
  p.L = uneven(40e-6, n);
  for (const std::uint64_t size : {0, 100, 5000, 8000, 40000}) {
    p.sizes.push_back(Bytes{size});
    const auto bytes = static_cast<double>(size);
    p.g.push_back(uneven(20e-6 + 8e-9 * bytes + (size > limit.value ? 50e-6 : 0), n));
    p.o_s.push_back(uneven(9e-6 + 1e-9 * bytes, n));
    p.o_r.push_back(uneven(11e-6 + 2e-9 * bytes, n));
  }
  return p;
}

inline CurvesParameters curves(int n) {
  CurvesParameters p;
  for (const std::uint64_t size : {0, 100, 5000, 5001, 40000}) {
    p.sizes.push_back(Bytes{size});
    p.time.push_back(
        uneven(30e-6 + 8e-9 * static_cast<double>(size) + (size > limit.value ? 50e-6 : 0), n));
  }
  return p;
}

inline Model whole_model(int n = ranks) {
  Model model;
  model.ranks = n;
  model.eager_limit = limit;
  model.lmo = exact(synthetic::lmo_parameters(n));
  model.lom = exact(synthetic::lom_parameters(n));
  model.bottleneck = exact(synthetic::bottleneck_parameters(n));
  model.hockney = exact(HockneyParameters{uneven(30e-6, n), uneven(2e-9, n), 0, 0});
  model.hockney_rendezvous = exact(HockneyParameters{uneven(90e-6, n), uneven(1e-9, n), 0, 0});
  model.logp = exact(LogPParameters{uneven(40e-6, n), uneven(10e-6, n), uneven(20e-6, n), 0, 0, 0});
  model.loggp = exact(LogGpParameters{uneven(40e-6, n), uneven(10e-6, n), uneven(20e-6, n),
                                      uneven(8e-9, n), 0, 0, 0, 0});
  LogGpsParameters loggps;
  loggps.L = uneven(40e-6, n);
  loggps.o_prime_s = uneven(9e-6, n);
  loggps.O_s = uneven(1e-9, n);
  loggps.o_prime_r = uneven(11e-6, n);
  loggps.O_r = uneven(2e-9, n);
  loggps.g = uneven(20e-6, n);
  loggps.G_prime = uneven(5e-9, n);
  loggps.G = uneven(8e-9, n);
  loggps.s = packet;
  model.loggps = exact(loggps);
  model.plogp = exact(plogp(n));
  model.curves = exact(curves(n));
  OverheadGrowth growth;
  growth.o_prime_a_s = 8e-6;
  growth.o_prime_b_s = 1e-6;
  growth.o_prime_a_r = 9e-6;
  growth.o_prime_b_r = 2e-6;
  model.overhead_growth = exact(growth);
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
