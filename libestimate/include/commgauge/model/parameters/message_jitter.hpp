#pragma once

#include <string>
#include <type_traits>

#include "commgauge/model/field_facts.hpp"

namespace commgauge {

/// By how much a message is late or early, by itself: exponentially distributed around its mean.
struct MessageJitter {
  /// Of an empty message: the distribution's mean, which is its standard deviation, too [s].
  double mean{};
  double per_byte{};  ///< what it has more for each byte [s/byte]
};

/// `18.0 µs`, or `18.0 µs and 0.900 ns/B more`.
[[nodiscard]] std::string to_text(const MessageJitter& jitter);

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, MessageJitter>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"mean", "j", "by how much a message is late or early, standard deviation",
                   Unit::seconds, Part::none},
        p.mean);
  visit(FieldFacts{"per_byte", "j_byte", "what that has more for each byte", Unit::seconds_per_byte,
                   Part::none},
        p.per_byte);
}

}  // namespace commgauge
