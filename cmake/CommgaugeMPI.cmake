# The MPI library, as targets MPI::MPI_CXX and MPI::MPI_C, and its launcher, as MPIEXEC_EXECUTABLE.
# Where Open MPI is installed beside it, that is commgauge::openmpi, for programs that are recorded.

if(COMMGAUGE_SMPI)
  # What smpicxx would do, but only to what uses MPI: the rest is compiled as for any machine. Programs
  # are shared libraries, which smpirun loads. The macros that smpicxx forces into every source, `exit`,
  # `malloc`, ..., break other libraries' headers: SMPI_HELPERS_H leaves them out.
  find_path(COMMGAUGE_SMPI_INCLUDE_DIR smpi_helpers.h PATH_SUFFIXES smpi REQUIRED)
  find_library(COMMGAUGE_SIMGRID simgrid REQUIRED)
  add_library(commgauge_smpi INTERFACE)
  target_compile_definitions(commgauge_smpi INTERFACE SMPI_HELPERS_H COMMGAUGE_SMPI)
  target_compile_options(commgauge_smpi INTERFACE -fPIC)
  target_include_directories(commgauge_smpi SYSTEM INTERFACE ${COMMGAUGE_SMPI_INCLUDE_DIR})
  target_link_options(commgauge_smpi INTERFACE -shared -Wl,-z,defs)
  target_link_libraries(commgauge_smpi INTERFACE ${COMMGAUGE_SIMGRID})
  add_library(MPI::MPI_CXX ALIAS commgauge_smpi)
else()
  find_program(MPI_C_COMPILER NAMES mpicc.mpich mpicc)
  find_program(MPI_CXX_COMPILER NAMES mpicxx.mpich mpicxx)
  find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.mpich mpiexec)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI 3.0 REQUIRED COMPONENTS C CXX)

  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(OPENMPI QUIET IMPORTED_TARGET GLOBAL ompi-c>=4 ompi-c<5)
  endif()
  if(OPENMPI_FOUND)
    find_file(COMMGAUGE_OPENMPI_HEADER mpi.h HINTS ${OPENMPI_INCLUDE_DIRS} NO_DEFAULT_PATH REQUIRED)
    add_library(commgauge_openmpi INTERFACE)
    add_library(commgauge::openmpi ALIAS commgauge_openmpi)
    target_compile_definitions(commgauge_openmpi INTERFACE OMPI_SKIP_MPICXX)
    target_link_libraries(commgauge_openmpi INTERFACE PkgConfig::OPENMPI)
  endif()
endif()
