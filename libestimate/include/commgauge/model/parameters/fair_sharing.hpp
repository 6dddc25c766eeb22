#pragma once

#include <type_traits>

#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// How far messages of a pair that are under way together share its link: by how much the first of
/// two is late for the other. 0: one after the other; 1: fairly. NaN: not known.
struct FairSharing {
  double eager{};       ///< two eager messages of a pair
  double rendezvous{};  ///< likewise above the eager limit
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, FairSharing>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"eager", "φ_eager",
                   "share of each other's time that eager messages of a pair take", Unit::ratio,
                   Part::none},
        p.eager);
  visit(FieldFacts{"rendezvous", "φ_rendezvous", "likewise messages above the eager limit",
                   Unit::ratio, Part::none},
        p.rendezvous);
}

}  // namespace commgauge
