#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// LOM, LMO: T_ij(M) = C_i + L_ij + C_j + M·(t_i + 1/β_ij + t_j). In LOM L is absent.
struct AdditiveParameters {
  std::vector<double> C;  ///< fixed delay of a rank [s]
  std::vector<double> t;  ///< delay per byte of a rank [s/byte]
  Matrix L;               ///< latency of a link [s], symmetric; empty for LOM
  Matrix inverse_beta;    ///< of a link [s/byte], symmetric
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, AdditiveParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"C", "C", "fixed delay of a rank", Unit::seconds, Part::overhead, true}, p.C);
  visit(
      FieldFacts{"t", "t", "time per byte of a rank", Unit::seconds_per_byte, Part::per_byte, true},
      p.t);
  visit(FieldFacts{"L", "L", "latency of the link", Unit::seconds, Part::latency, true}, p.L);
  visit(FieldFacts{"inverse_beta", "1/β", "time per byte of the link", Unit::seconds_per_byte,
                   Part::per_byte, true},
        p.inverse_beta);
}

}  // namespace commgauge
