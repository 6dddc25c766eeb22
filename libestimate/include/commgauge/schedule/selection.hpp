#pragma once

namespace commgauge {

/// The decision tree built into MPICH 4.0, JSON; the order of keys counts.
extern const char* const mpich_selection;
/// What Open MPI 4.1's component tuned takes, in the same form.
extern const char* const ompi_selection;

}  // namespace commgauge
