#pragma once

#include <type_traits>

#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// Overhead against the number of processes (Mizutani, Ino, Hagihara 2004):
/// o′(P) = o′_a + o′_b·P, sending, receiving, and their mean as the paper has it. [s], and [s] a
/// process.
struct OverheadGrowth {
  double o_prime_a_s{};
  double o_prime_b_s{};
  double o_prime_a_r{};
  double o_prime_b_r{};
  double o_prime_a{};
  double o_prime_b{};
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, OverheadGrowth>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"o_prime_a_s", "o′_a", "in sending", Unit::seconds, Part::overhead},
        p.o_prime_a_s);
  visit(FieldFacts{"o_prime_b_s", "o′_b", "in sending, for each process", Unit::seconds,
                   Part::overhead},
        p.o_prime_b_s);
  visit(FieldFacts{"o_prime_a_r", "o′_a", "in receiving", Unit::seconds, Part::overhead},
        p.o_prime_a_r);
  visit(FieldFacts{"o_prime_b_r", "o′_b", "in receiving, for each process", Unit::seconds,
                   Part::overhead},
        p.o_prime_b_r);
  visit(FieldFacts{"o_prime_a", "o′_a", "mean of both", Unit::seconds, Part::overhead},
        p.o_prime_a);
  visit(FieldFacts{"o_prime_b", "o′_b", "mean of both, for each process", Unit::seconds,
                   Part::overhead},
        p.o_prime_b);
}

}  // namespace commgauge
