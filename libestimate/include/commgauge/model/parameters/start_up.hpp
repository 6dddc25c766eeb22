#pragma once

#include <type_traits>

#include "commgauge/base/matrix.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// Network evaluator (1996): T(m) = i + t·m by a regression that resists outliers.
struct StartUpParameters {
  Matrix i;  ///< start-up [s]
  Matrix t;  ///< time per byte [s/byte]
  double mean_i{};
  double mean_t{};
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, StartUpParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"i", "i", "start-up", Unit::seconds, Part::latency, true}, p.i);
  visit(FieldFacts{"t", "t", "time per byte", Unit::seconds_per_byte, Part::per_byte, true}, p.t);
  visit(FieldFacts{"mean_i", "mean i", "start-up, over the pairs", Unit::seconds, Part::latency},
        p.mean_i);
  visit(FieldFacts{"mean_t", "mean t", "time per byte, over the pairs", Unit::seconds_per_byte,
                   Part::per_byte},
        p.mean_t);
}

}  // namespace commgauge
