// MPI-4's functions for messages with large counts.

#include "arguments/large_counts.hpp"

#include "arguments/large_counts.inc"
