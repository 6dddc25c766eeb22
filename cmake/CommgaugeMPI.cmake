# The MPI libraries that measuring and recording are built for, COMMGAUGE_MPI_LIBRARIES: mpich, openmpi, or
# smpi alone. Of each there is a target commgauge::mpi_<library>. The first one, COMMGAUGE_FIRST_MPI, is
# MPI::MPI_CXX and MPI::MPI_C, and its launcher MPIEXEC_EXECUTABLE. A library counts as MPICH if it isn't Open MPI.

include(CheckCXXSymbolExists)

set(COMMGAUGE_MPI auto CACHE STRING "MPI libraries to build for: mpich, openmpi, both, or auto, what there is")
set_property(CACHE COMMGAUGE_MPI PROPERTY STRINGS auto mpich openmpi both)
if(NOT COMMGAUGE_MPI MATCHES "^(auto|mpich|openmpi|both)$")
  message(FATAL_ERROR "COMMGAUGE_MPI is ${COMMGAUGE_MPI}: give mpich, openmpi, both or auto")
endif()

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
  add_library(commgauge::mpi_smpi ALIAS commgauge_smpi)
  set(COMMGAUGE_FIRST_MPI smpi)
  set(COMMGAUGE_MPI_LIBRARIES smpi)
  return()
endif()

# Debian's names first: without them the name is that of whichever library its alternative is.
if(COMMGAUGE_MPI STREQUAL openmpi)
  set(suffixes .openmpi)
else()
  set(suffixes .mpich)
endif()
find_program(MPI_C_COMPILER NAMES mpicc${suffixes} mpicc)
find_program(MPI_CXX_COMPILER NAMES mpicxx${suffixes} mpicxx)
find_program(MPIEXEC_EXECUTABLE NAMES mpiexec${suffixes} mpiexec)
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.0 REQUIRED COMPONENTS C CXX)
unset(COMMGAUGE_IS_OPENMPI CACHE)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_symbol_exists(OPEN_MPI mpi.h COMMGAUGE_IS_OPENMPI)
unset(CMAKE_REQUIRED_LIBRARIES)
set(COMMGAUGE_FIRST_MPI mpich)
if(COMMGAUGE_IS_OPENMPI)
  set(COMMGAUGE_FIRST_MPI openmpi)
endif()
set(COMMGAUGE_MPI_LIBRARIES ${COMMGAUGE_FIRST_MPI})
add_library(commgauge::mpi_${COMMGAUGE_FIRST_MPI} ALIAS MPI::MPI_CXX)

if(COMMGAUGE_IS_OPENMPI)
  find_file(COMMGAUGE_OPENMPI_HEADER mpi.h HINTS ${MPI_C_INCLUDE_DIRS} NO_DEFAULT_PATH)
  set(COMMGAUGE_OPENMPI_MPIEXEC ${MPIEXEC_EXECUTABLE})
elseif(COMMGAUGE_MPI MATCHES "auto|both" AND PROJECT_IS_TOP_LEVEL)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(OPENMPI QUIET IMPORTED_TARGET GLOBAL ompi-c>=4 ompi-c<5)
  endif()
  find_program(COMMGAUGE_OPENMPI_MPIEXEC NAMES mpiexec.openmpi)
  if(OPENMPI_FOUND AND COMMGAUGE_OPENMPI_MPIEXEC)
    find_file(COMMGAUGE_OPENMPI_HEADER mpi.h HINTS ${OPENMPI_INCLUDE_DIRS} NO_DEFAULT_PATH REQUIRED)
    add_library(commgauge_openmpi INTERFACE)
    target_compile_definitions(commgauge_openmpi INTERFACE OMPI_SKIP_MPICXX)
    target_link_libraries(commgauge_openmpi INTERFACE PkgConfig::OPENMPI)
    add_library(commgauge::mpi_openmpi ALIAS commgauge_openmpi)
    list(APPEND COMMGAUGE_MPI_LIBRARIES openmpi)
  endif()
endif()

foreach(library mpich openmpi)
  if(COMMGAUGE_MPI MATCHES "^(${library}|both)$" AND NOT library IN_LIST COMMGAUGE_MPI_LIBRARIES)
    message(FATAL_ERROR "COMMGAUGE_MPI is ${COMMGAUGE_MPI}, and there is no ${library} (found: "
      "${COMMGAUGE_MPI_LIBRARIES}): install it, or name its mpicc by -DMPI_C_COMPILER and -DMPI_CXX_COMPILER; "
      "in a new build directory, and not as another project's subdirectory for both")
  endif()
endforeach()
