#pragma once

#include <type_traits>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/model/field_facts.hpp"

namespace commgauge {

// Per ordered pair, i sends and j receives; o, o_s of i, o_r of j. A pair that was not measured is
// NaN everywhere. mean_…: over the measured pairs.

/// LogP (Culler et al. 1993), for messages of the smallest size. o: mean of sending and receiving.
struct LogPParameters {
  Matrix L;  ///< latency [s]
  Matrix o;  ///< overhead of one message, of either side [s]
  Matrix g;  ///< gap between messages [s]
  double mean_L{};
  double mean_o{};
  double mean_g{};
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, LogPParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"L", "L", "latency", Unit::seconds, Part::latency, true}, p.L);
  visit(FieldFacts{"o", "o", "overhead of a message", Unit::seconds, Part::overhead}, p.o);
  visit(FieldFacts{"g", "g", "gap between messages", Unit::seconds, Part::gap, true}, p.g);
  visit(FieldFacts{"mean_L", "mean L", "latency, over the pairs", Unit::seconds, Part::latency},
        p.mean_L);
  visit(FieldFacts{"mean_o", "mean o", "overhead of a message, over the pairs", Unit::seconds,
                   Part::overhead},
        p.mean_o);
  visit(FieldFacts{"mean_g", "mean g", "gap between messages, over the pairs", Unit::seconds,
                   Part::gap},
        p.mean_g);
}

/// LogGP (Alexandrov et al. 1995): G·k beside LogP's parameters, one line for all sizes.
struct LogGpParameters {
  Matrix L;  ///< [s]
  Matrix o;  ///< [s]
  Matrix g;  ///< [s]
  Matrix G;  ///< gap per byte of long messages [s/byte]
  double mean_L{};
  double mean_o{};
  double mean_g{};
  double mean_G{};
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, LogGpParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"L", "L", "latency", Unit::seconds, Part::latency, true}, p.L);
  visit(FieldFacts{"o", "o", "overhead of a message", Unit::seconds, Part::overhead}, p.o);
  visit(FieldFacts{"g", "g", "gap between messages", Unit::seconds, Part::gap}, p.g);
  visit(FieldFacts{"G", "G", "gap per byte", Unit::seconds_per_byte, Part::per_byte, true}, p.G);
  visit(FieldFacts{"mean_L", "mean L", "latency, over the pairs", Unit::seconds, Part::latency},
        p.mean_L);
  visit(FieldFacts{"mean_o", "mean o", "overhead of a message, over the pairs", Unit::seconds,
                   Part::overhead},
        p.mean_o);
  visit(FieldFacts{"mean_g", "mean g", "gap between messages, over the pairs", Unit::seconds,
                   Part::gap},
        p.mean_g);
  visit(FieldFacts{"mean_G", "mean G", "gap per byte, over the pairs", Unit::seconds_per_byte,
                   Part::per_byte},
        p.mean_G);
}

/// LogGPS (Ino, Fujimoto, Hagihara 2001), o(k) = o′ + O·k for each side, up to the eager limit S.
/// The gap of a message of k bytes is g + G′·k below s, and grows by G for each byte beyond s.
struct LogGpsParameters {
  Matrix L;          ///< [s]
  Matrix o_prime_s;  ///< sending [s]
  Matrix O_s;        ///< [s/byte]
  Matrix o_prime_r;  ///< receiving [s]
  Matrix O_r;        ///< [s/byte]
  Matrix g;          ///< [s]
  Matrix G_prime;    ///< G′, below s [s/byte]
  Matrix G;          ///< above s [s/byte]; G′ where there is no s
  double mean_L{};
  double mean_o_prime_s{};
  double mean_O_s{};
  double mean_o_prime_r{};
  double mean_O_r{};
  double mean_g{};
  double mean_G_prime{};
  double mean_G{};
  double s{};  ///< above it a message travels in several packets [bytes]; NaN: one gap for all
};

template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, LogGpsParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"L", "L", "latency", Unit::seconds, Part::latency, true}, p.L);
  visit(FieldFacts{"o_prime_s", "o′", "in sending", Unit::seconds, Part::overhead}, p.o_prime_s);
  visit(FieldFacts{"O_s", "O", "in sending, per byte", Unit::seconds_per_byte, Part::overhead},
        p.O_s);
  visit(FieldFacts{"o_prime_r", "o′", "in receiving", Unit::seconds, Part::overhead}, p.o_prime_r);
  visit(FieldFacts{"O_r", "O", "in receiving, per byte", Unit::seconds_per_byte, Part::overhead},
        p.O_r);
  visit(FieldFacts{"g", "g", "gap between messages", Unit::seconds, Part::gap}, p.g);
  visit(FieldFacts{"G_prime", "G′", "gap per byte of small messages", Unit::seconds_per_byte,
                   Part::per_byte},
        p.G_prime);
  visit(FieldFacts{"G", "G", "gap per byte", Unit::seconds_per_byte, Part::per_byte, true}, p.G);
  visit(FieldFacts{"mean_L", "mean L", "latency, over the pairs", Unit::seconds, Part::latency},
        p.mean_L);
  visit(FieldFacts{"mean_o_prime_s", "mean o′", "in sending, over the pairs", Unit::seconds,
                   Part::overhead},
        p.mean_o_prime_s);
  visit(FieldFacts{"mean_O_s", "mean O", "in sending, per byte, over the pairs",
                   Unit::seconds_per_byte, Part::overhead},
        p.mean_O_s);
  visit(FieldFacts{"mean_o_prime_r", "mean o′", "in receiving, over the pairs", Unit::seconds,
                   Part::overhead},
        p.mean_o_prime_r);
  visit(FieldFacts{"mean_O_r", "mean O", "in receiving, per byte, over the pairs",
                   Unit::seconds_per_byte, Part::overhead},
        p.mean_O_r);
  visit(FieldFacts{"mean_g", "mean g", "gap between messages, over the pairs", Unit::seconds,
                   Part::gap},
        p.mean_g);
  visit(FieldFacts{"mean_G_prime", "mean G′", "gap per byte of small messages, over the pairs",
                   Unit::seconds_per_byte, Part::per_byte},
        p.mean_G_prime);
  visit(FieldFacts{"mean_G", "mean G", "gap per byte, over the pairs", Unit::seconds_per_byte,
                   Part::per_byte},
        p.mean_G);
  visit(FieldFacts{"s", "s", "size beyond which a message travels in packets", Unit::bytes,
                   Part::none},
        p.s);
}

/// Parameterised LogP (Kielmann, Bal, Verstoep 2000): L constant, the others piecewise linear
/// between `sizes`, each as one matrix a size.
struct PLogPParameters {
  std::vector<Bytes> sizes;  ///< ascending, the first is 0
  Matrix L;                  ///< [s]
  std::vector<Matrix> o_s;   ///< [s]
  std::vector<Matrix> o_r;   ///< [s]
  std::vector<Matrix> g;     ///< [s]
};

/// `sizes` are given, not fitted: they are no field.
template <class P, class Visit>
requires std::is_same_v<std::remove_const_t<P>, PLogPParameters>
void visit_fields(P& p, Visit&& visit) {
  visit(FieldFacts{"L", "L", "latency", Unit::seconds, Part::latency, true}, p.L);
  visit(FieldFacts{"o_s", "o_s", "overhead of sending", Unit::seconds, Part::overhead}, p.o_s);
  visit(FieldFacts{"o_r", "o_r", "overhead of receiving", Unit::seconds, Part::overhead}, p.o_r);
  visit(FieldFacts{"g", "g", "gap between messages", Unit::seconds, Part::gap}, p.g);
}

}  // namespace commgauge
