#pragma once

#include <map>
#include <string>

#include "commgauge/schedule/schedule.hpp"

namespace commgauge::schedule {

/// Who decides how a collective operation is carried out.
enum class Deciders {
  mpich,  ///< as MPICH 4.0 does, each rank on a host of its own
  ompi,   ///< as Open MPI 4.1's component tuned does
  trees,  ///< binomial trees, rings; the same at all sizes
  flat,   ///< the root deals with everyone
};

/// Which algorithm carries out which operation.
struct Choice {
  Deciders by{Deciders::mpich};
  std::map<Operation, Algorithm> named;  ///< for certain operations, whatever `by` says
};

/// As --collectives has it: mpich, ompi, trees or flat, then OPERATION=ALGORITHM, all separated by
/// commas; the first may be left out.
/// @throws InputError  an unknown word, with those that are known; an operation twice
[[nodiscard]] Choice choice_from(const std::string& text);

/// The same for all ranks of the operation. Where a named algorithm can't do what is asked (a power
/// of two, a commutative operator), `by` decides.
[[nodiscard]] Algorithm algorithm_for(const Choice& choice, const Collective& what);

}  // namespace commgauge::schedule
