#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// One-way times T_ij(M) that need not lie on a line: linear between `sizes` on each side of the
/// eager limit, and beyond the last with the last slope. Where a side has a single size, the curve
/// is read across the limit. A pair that was not measured is NaN everywhere.
struct CurvesParameters {
  std::vector<Bytes> sizes;  ///< where curves bend, of all pairs; ascending, the first is 0
  std::vector<Matrix> time;  ///< T_ij at each of them, not falling on a side of the limit [s]
};

/// `sizes` are the same in all replicates: they are no field.
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, CurvesParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"time", "T", "one-way time", Unit::seconds, Part::latency}, p.time);
}

}  // namespace commgauge
