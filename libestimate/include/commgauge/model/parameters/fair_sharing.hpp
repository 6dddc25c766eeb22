#pragma once

#include <type_traits>

#include "commgauge/base/unknown_value.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// How far messages that are under way together share what they pass: by how much the first of two
/// is late for the other. 0: one after the other; 1: fairly. NaN: not known.
struct FairSharing {
  double eager{};                   ///< two eager messages of a pair
  double rendezvous{};              ///< likewise above the eager limit
  double eager_in{unknown_value};   ///< eager ones of two senders to one receiver
  double eager_out{unknown_value};  ///< eager ones of one sender to two receivers
  double rendezvous_in{unknown_value};
  double rendezvous_out{unknown_value};
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, FairSharing>
void visit_fields(P& p, Visit&& visit) {
  const auto share = [&](const char* name, const char* symbol, const char* meaning, auto& field) {
    visit(FieldFacts{name, symbol, meaning, Unit::ratio, Part::none}, field);
  };
  share("eager", "φ_eager", "share of each other's time that eager messages of a pair take",
        p.eager);
  share("rendezvous", "φ_rendezvous", "likewise messages above the eager limit", p.rendezvous);
  share("eager_in", "φ_eager,in", "likewise eager messages of two senders to one receiver",
        p.eager_in);
  share("eager_out", "φ_eager,out", "likewise eager messages of one sender to two receivers",
        p.eager_out);
  share("rendezvous_in", "φ_rendezvous,in",
        "likewise messages of two senders to one receiver above the eager limit", p.rendezvous_in);
  share("rendezvous_out", "φ_rendezvous,out",
        "likewise messages of one sender to two receivers above the eager limit", p.rendezvous_out);
}

}  // namespace commgauge
