#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// Bottleneck: T_ij(M) = C_i + L_ij + C_j + M·g_ij with g_ij = max(s_i, 1/β_ij, r_j).
/// In `s`, `r` and `inverse_beta` a NaN says: only a bound is known (Fitted::high holds it).
struct BottleneckParameters {
  std::vector<double> C;  ///< fixed delay of a rank [s]
  std::vector<double> s;  ///< send gap per byte of a rank [s/byte]
  std::vector<double> r;  ///< receive gap per byte of a rank [s/byte]
  Matrix L;               ///< fixed part of a link in this range of sizes [s]
  Matrix inverse_beta;    ///< of a link [s/byte]
  Matrix g;               ///< per-byte time of the pair, the slowest of the three [s/byte]
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, BottleneckParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"C", "C", "fixed delay of a rank", Unit::seconds, Part::overhead, true}, p.C);
  visit(
      FieldFacts{"s", "s", "gap per byte in sending", Unit::seconds_per_byte, Part::per_byte, true},
      p.s);
  visit(FieldFacts{"r", "r", "gap per byte in receiving", Unit::seconds_per_byte, Part::per_byte,
                   true},
        p.r);
  visit(FieldFacts{"L", "L", "latency of the link", Unit::seconds, Part::latency, true}, p.L);
  visit(FieldFacts{"inverse_beta", "1/β", "time per byte of the link", Unit::seconds_per_byte,
                   Part::per_byte, true},
        p.inverse_beta);
  visit(FieldFacts{"g", "g", "time per byte of the pair", Unit::seconds_per_byte, Part::per_byte},
        p.g);
}

}  // namespace commgauge
