#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// Hockney (1994): T_ij(M) = alpha_ij + beta_ij·M. alpha [s], beta [s/byte], per ordered pair.
struct HockneyParameters {
  Matrix alpha;
  Matrix beta;
  double mean_alpha{};  ///< over all ordered pairs
  double mean_beta{};
};

/// Calls visit(name, field) for every field, in the order of the file. `Parameters` may be const;
/// `visit` takes double&, std::vector<double>&, Matrix& and std::vector<Matrix>&.
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, HockneyParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"alpha", "α", "fixed part", Unit::seconds, Part::latency, true}, p.alpha);
  visit(FieldFacts{"beta", "β", "time per byte", Unit::seconds_per_byte, Part::per_byte, true},
        p.beta);
  visit(FieldFacts{"mean_alpha", "mean α", "fixed part, over the pairs", Unit::seconds,
                   Part::latency},
        p.mean_alpha);
  visit(FieldFacts{"mean_beta", "mean β", "time per byte, over the pairs", Unit::seconds_per_byte,
                   Part::per_byte},
        p.mean_beta);
}

}  // namespace commgauge
