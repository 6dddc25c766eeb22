#pragma once

namespace commgauge {

/// The decision tree built into MPICH 4.0, JSON; the order of keys counts.
extern const char* const mpich_selection;

}  // namespace commgauge
