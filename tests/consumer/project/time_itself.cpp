#include <mpi.h>

#include <cstdlib>
#include <iostream>

#include "commgauge/bench/clock/clock.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const commgauge::bench::Clock clock;
  const double resolution = clock.resolution().value;
  std::cout << "resolution of the clock: " << resolution << " s\n";
  MPI_Finalize();
  return resolution > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
