#pragma once

#include <cmath>
#include <utility>

#include "certain.hpp"
#include "commgauge/model/model.hpp"

/// Models of three ranks that other predictors' formats can hold.
namespace commgauge::exportable {

inline Matrix all(double value) { return Matrix(3, value); }

template <class Parameters>
Fitted<Parameters> up_to(Bytes last, Parameters p) {
  Fitted<Parameters> fitted = certain(std::move(p));
  fitted.first = Bytes{0};
  fitted.last = last;
  return fitted;
}

/// Three ranks. LMO: C of 10, 20 and 30 us, t of 1 ns/B, L of 40 us, 100 MB/s.
inline Model machine() {
  Model model;
  model.ranks = 3;
  model.eager_limit = Bytes{8192};
  model.lmo = up_to(
      Bytes{1 << 20},
      AdditiveParameters{{1e-5, 2e-5, 3e-5}, {1 * ns, 1 * ns, 1 * ns}, all(40 * us), all(10 * ns)});
  model.bottleneck = up_to(Bytes{1 << 20}, BottleneckParameters{{1e-5, 2e-5, 3e-5},
                                                                {10 * ns, 10 * ns, std::nan("")},
                                                                {5 * ns, 5 * ns, 5 * ns},
                                                                all(40 * us),
                                                                all(8 * ns),
                                                                all(10 * ns)});
  model.hockney =
      up_to(Bytes{1 << 20}, HockneyParameters{all(50 * us), all(10 * ns), 50 * us, 10 * ns});
  model.loggp = up_to(Bytes{8192}, LogGpParameters{all(40 * us), all(3 * us), all(8 * us),
                                                   all(10 * ns), 40 * us, 3 * us, 8 * us, 10 * ns});
  return model;
}

/// L of 40 us, o of 2 and 4 us and 1 ns/B, g of 8 us, 10 ns/B.
inline LogGpsParameters loggps(int ranks = 3) {
  const auto of_all = [&](double value) { return Matrix(ranks, value); };
  LogGpsParameters p;
  p.L = of_all(p.mean_L = 40 * us);
  p.o_prime_s = of_all(p.mean_o_prime_s = 2 * us);
  p.o_prime_r = of_all(p.mean_o_prime_r = 4 * us);
  p.O_s = p.O_r = of_all(p.mean_O_s = p.mean_O_r = 1 * ns);
  p.g = of_all(p.mean_g = 8 * us);
  p.G_prime = p.G = of_all(p.mean_G_prime = p.mean_G = 10 * ns);
  p.s = std::nan("");
  return p;
}

/// Three ranks with a handshake above 8192 B: twice the latency, and bytes at 3/4 of the time.
inline Model with_rendezvous() {
  Model model = machine();
  model.hockney->last = Bytes{8192};
  model.hockney_rendezvous =
      up_to(Bytes{1 << 20}, HockneyParameters{all(100 * us), all(7.5 * ns), 100 * us, 7.5 * ns});
  model.hockney_rendezvous->first = Bytes{8193};
  return model;
}

}  // namespace commgauge::exportable
