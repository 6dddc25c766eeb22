#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// What ranks of a host share. By rank, alike for those of one host: k messages of M bytes that
/// pass a link together take at least k·M·λ. NaN: not known, or only that it is no more than
/// Fitted::high.
struct HostLinks {
  std::vector<double> out;     ///< of the host's link, messages to other hosts [s/byte]
  std::vector<double> in;      ///< likewise from them [s/byte]
  std::vector<double> inside;  ///< of its memory: between the host's own ranks [s/byte]
  /// Of messages to other hosts and from them together, where that is more than each way alone
  /// takes of its own: acknowledgements, or a device that can't do both at once [s/byte].
  std::vector<double> both;
};

/// Whether any of them is known, and not a bound only.
[[nodiscard]] inline bool is_limit_known(const HostLinks& links) {
  const auto is_known = [](double per_byte) { return !std::isnan(per_byte); };
  return std::ranges::any_of(links.out, is_known) || std::ranges::any_of(links.in, is_known) ||
         std::ranges::any_of(links.inside, is_known) || std::ranges::any_of(links.both, is_known);
}

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, HostLinks>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"out", "λ_out", "time per byte of the host's link, going out",
                   Unit::seconds_per_byte, Part::per_byte},
        p.out);
  visit(FieldFacts{"in", "λ_in", "time per byte of the host's link, coming in",
                   Unit::seconds_per_byte, Part::per_byte},
        p.in);
  visit(FieldFacts{"inside", "λ_inside",
                   "time per byte of the host's memory, which pairs within it share",
                   Unit::seconds_per_byte, Part::per_byte},
        p.inside);
  visit(FieldFacts{"both", "λ_both", "time per byte of the host's link, both ways together",
                   Unit::seconds_per_byte, Part::per_byte},
        p.both);
}

}  // namespace commgauge
