# The MPI library, as targets MPI::MPI_CXX and MPI::MPI_C, and its launcher, as MPIEXEC_EXECUTABLE.

if(COMMGAUGE_SMPI)
  # smpicxx brings MPI along. The macros that it forces into every source, `exit`, `malloc`, ...,
  # break other libraries' headers: SMPI_HELPERS_H leaves them out.
  add_compile_definitions(SMPI_HELPERS_H COMMGAUGE_SMPI)
  add_library(commgauge_smpi INTERFACE)
  add_library(MPI::MPI_CXX ALIAS commgauge_smpi)
else()
  find_program(MPI_C_COMPILER NAMES mpicc.mpich mpicc)
  find_program(MPI_CXX_COMPILER NAMES mpicxx.mpich mpicxx)
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.mpich mpiexec)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI 3.0 REQUIRED COMPONENTS C CXX)
endif()
