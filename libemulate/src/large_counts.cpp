// MPI-4's functions for messages with large counts.

#include "large_counts.hpp"

#include "large_counts.inc"
