# Registers tests.

include(GoogleTest)

# Debian's own Python has the packages that the tests need, whichever comes first in PATH.
find_program(COMMGAUGE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(COMMGAUGE_PYTHON python3 REQUIRED)

add_custom_target(serial-tests COMMENT "The serial tests are built")
add_custom_target(memory-tests COMMENT "The serial tests of what handles memory are built")

# commgauge_test_target(<target> [sources]...): what is compiled of tests. The optimiser, and the sanitizers even
# more, take most of a test's compiling: they are for what is tested. So a test with sources of a library has both.
function(commgauge_test_target target)
  commgauge_target(${target})
  if(NOT "${ARGN}" MATCHES "${PROJECT_SOURCE_DIR}/lib")
    target_compile_options(${target} PRIVATE ${COMMGAUGE_TEST_OPTIONS})
    target_precompile_headers(${target} REUSE_FROM commgauge_test_headers)
  endif()
endfunction()
set(COMMGAUGE_TEST_OPTIONS -O1 -g0 -fno-sanitize=all)

# Google Test is read once, not by each of the programs.
add_library(commgauge_test_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/precompiled.cpp)
commgauge_target(commgauge_test_headers)
target_compile_options(commgauge_test_headers PRIVATE ${COMMGAUGE_TEST_OPTIONS})
target_link_libraries(commgauge_test_headers PRIVATE GTest::gmock GTest::gtest)
target_precompile_headers(commgauge_test_headers PRIVATE
  <algorithm> <cmath> <functional> <gmock/gmock.h> <map> <random> <span> <string> <vector>)

# What the programs that every rank runs have in common: main().
foreach(mpi IN LISTS COMMGAUGE_MPI_LIBRARIES)
  add_library(commgauge_mpi_main_${mpi} OBJECT ${PROJECT_SOURCE_DIR}/tests/libbench/mpi_main.cpp)
  commgauge_test_target(commgauge_mpi_main_${mpi})
  target_link_libraries(commgauge_mpi_main_${mpi} PUBLIC commgauge::mpi_${mpi} GTest::gmock GTest::gtest)
endforeach()
set(COMMGAUGE_OTHER_MPI ${COMMGAUGE_MPI_LIBRARIES})
list(POP_FRONT COMMGAUGE_OTHER_MPI)

# How Open MPI starts as many ranks as it is told to, root's too.
set(COMMGAUGE_OPENMPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1)

# commgauge_add_test(<name> SOURCES ... [LIBRARIES ...] [LABELS ...] [NUMBERS])
#
# A serial Google test program; each of its tests becomes one test of ctest, <name>.Suite.Test,
# with the label serial, and memory if not NUMBERS: what computes with numbers alone needs the sanitizers less
# than what reads foreign files, has buffers, threads, or memory that ranks share. With COMMGAUGE_FEW_PROCESSES
# a test of ctest is a quarter of the program's: under the sanitizers a process takes longer to start than most
# tests do.
function(commgauge_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NUMBERS" "" "SOURCES;LIBRARIES;LABELS")
  add_executable(${name} ${arg_SOURCES})
  commgauge_test_target(${name} ${arg_SOURCES})
  commgauge_in_batches(${name} 15)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  set(labels serial ${arg_LABELS})
  add_dependencies(serial-tests ${name})
  if(NOT arg_NUMBERS)
    list(APPEND labels memory)
    add_dependencies(memory-tests ${name})
  endif()
  if(NOT COMMGAUGE_FEW_PROCESSES)
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
      PROPERTIES LABELS "${labels}" TIMEOUT 300)
    return()
  endif()
  foreach(quarter RANGE 3)
    add_test(NAME ${name}.${quarter} COMMAND ${name})
    set_tests_properties(${name}.${quarter} PROPERTIES LABELS "${labels}" TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${quarter}")
  endforeach()
endfunction()

# commgauge_add_mpi_test(<name> RANKS n... [EMULATED_RANKS n...] [SOURCES ...] [LIBRARIES ...]
#                        [INCLUDES ...] [TIMEOUT s] [LABELS ...])
#
# A Google test program that every rank runs, at each number of ranks: <name>.np2, ... with the
# label mpi; with EMULATED_RANKS on an emulated machine. SOURCES defaults to <name>_test.cpp. The
# tests run alone: what they time must not share the cores with another test. A test of commgauge::bench
# or commgauge::c is one of each MPI library: <name>.openmpi.np3 beside <name>.np3, with the label long. The other
# libraries have one number of ranks, 3 where that is among them.
function(commgauge_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT"
    "RANKS;EMULATED_RANKS;SOURCES;LIBRARIES;INCLUDES;LABELS")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${name}_test.cpp)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  commgauge_add_mpi_program(test_${name} ${COMMGAUGE_FIRST_MPI} "${arg_LIBRARIES}" "${arg_SOURCES}" "${arg_INCLUDES}")
  foreach(n IN LISTS arg_RANKS)
    commgauge_add_mpi_run(${name}.np${n} RANKS ${n} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS}
      COMMAND $<TARGET_FILE:test_${name}>)
  endforeach()
  foreach(n IN LISTS arg_EMULATED_RANKS)
    commgauge_add_emulated_run(${name}.np${n} RANKS ${n} TIMEOUT ${arg_TIMEOUT}
      LABELS ${arg_LABELS} COMMAND $<TARGET_FILE:test_${name}>)
  endforeach()

  if(NOT arg_LIBRARIES MATCHES "commgauge::(bench|c)(;|$)")
    return()
  endif()
  set(ranks_of_others ${arg_RANKS})
  if(3 IN_LIST arg_RANKS)
    set(ranks_of_others 3)
  endif()
  foreach(mpi IN LISTS COMMGAUGE_OTHER_MPI)
    set(libraries ${arg_LIBRARIES})
    list(TRANSFORM libraries REPLACE "^commgauge::(bench|c)$" "commgauge::\\1_${mpi}")
    commgauge_add_mpi_program(test_${name}_${mpi} ${mpi} "${libraries}" "${arg_SOURCES}" "${arg_INCLUDES}")
    foreach(n IN LISTS ranks_of_others)
      commgauge_add_mpi_run(${name}.${mpi}.np${n} MPI ${mpi} RANKS ${n} TIMEOUT ${arg_TIMEOUT}
        LABELS long ${arg_LABELS} COMMAND $<TARGET_FILE:test_${name}_${mpi}>)
    endforeach()
  endforeach()
endfunction()

function(commgauge_add_mpi_program program mpi libraries sources includes)
  add_executable(${program} ${sources})
  commgauge_test_target(${program} ${sources})
  commgauge_in_batches(${program} 15)
  target_include_directories(${program} PRIVATE ${includes})
  target_link_libraries(${program} PRIVATE ${libraries} commgauge_mpi_main_${mpi})
endfunction()

# commgauge_add_emulated_run(<name> RANKS n COMMAND ... [TIMEOUT s] [LABELS ...])
#
# The same on an emulated machine of made parameters; for real where emulate isn't built.
function(commgauge_add_emulated_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "COMMAND")
  if(NOT TARGET emulate)
    commgauge_add_mpi_run(${name} RANKS ${arg_RANKS} COMMAND ${arg_COMMAND}
      ${arg_UNPARSED_ARGUMENTS})
    return()
  endif()
  set(machine ${CMAKE_CURRENT_BINARY_DIR}/${name}.json)
  add_test(NAME ${name}.machine COMMAND sh -c "\"$1\" loggps $2 1 > \"$3\"" write
    $<TARGET_FILE:write-machine> ${arg_RANKS} ${machine})
  set_tests_properties(${name}.machine PROPERTIES FIXTURES_SETUP ${name}.machine LABELS mpi)
  commgauge_add_mpi_run(${name} RANKS ${arg_RANKS} ${arg_UNPARSED_ARGUMENTS}
    COMMAND $<TARGET_FILE:emulate> --model ${machine} --compute none ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${name}.machine)
endfunction()

# commgauge_add_mpi_run(<name> RANKS n COMMAND ... [MPI library] [TIMEOUT s] [PREFLAGS ...] [LABELS ...])
#
# Any program under the launcher of an MPI library, the first one if none is named, as one test.
function(commgauge_add_mpi_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MPI;RANKS;TIMEOUT" "COMMAND;PREFLAGS;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NOT arg_MPI)
    set(arg_MPI ${COMMGAUGE_FIRST_MPI})
  endif()
  set(launcher ${MPIEXEC_EXECUTABLE})
  if(arg_MPI STREQUAL openmpi)
    set(launcher ${COMMGAUGE_OPENMPI_MPIEXEC})
  endif()
  add_test(NAME ${name} COMMAND ${launcher} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS}
    ${MPIEXEC_PREFLAGS} ${arg_PREFLAGS} ${arg_COMMAND} ${MPIEXEC_POSTFLAGS})
  set(labels mpi ${arg_LABELS})
  set_tests_properties(${name} PROPERTIES
    PROCESSORS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT} LABELS "${labels}" RUN_SERIAL ON)
  if(arg_MPI STREQUAL openmpi)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${COMMGAUGE_OPENMPI_ENVIRONMENT}")
  endif()
endfunction()
