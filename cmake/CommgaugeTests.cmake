# Registers tests.

include(GoogleTest)

# Debian's own Python has the packages that the tests need, whichever comes first in PATH.
find_program(COMMGAUGE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(COMMGAUGE_PYTHON python3 REQUIRED)

add_custom_target(serial-tests COMMENT "The serial tests are built")

# Google Test is read once, not by each of the programs.
add_library(commgauge_test_headers OBJECT ${PROJECT_SOURCE_DIR}/tests/precompiled.cpp)
commgauge_target(commgauge_test_headers)
target_link_libraries(commgauge_test_headers PRIVATE GTest::gmock GTest::gtest)
target_precompile_headers(commgauge_test_headers PRIVATE
  <algorithm> <cmath> <functional> <gmock/gmock.h> <map> <random> <span> <string> <vector>)

# What the programs that every rank runs have in common: main().
add_library(commgauge_mpi_main OBJECT ${PROJECT_SOURCE_DIR}/tests/libbench/mpi_main.cpp)
commgauge_target(commgauge_mpi_main)
target_link_libraries(commgauge_mpi_main PUBLIC MPI::MPI_CXX GTest::gmock GTest::gtest)
target_precompile_headers(commgauge_mpi_main REUSE_FROM commgauge_test_headers)

# commgauge_add_test(<name> SOURCES ... [LIBRARIES ...] [LABELS ...])
#
# A serial Google test program; each of its tests becomes one test of ctest, <name>.Suite.Test,
# with the label serial. With COMMGAUGE_FEW_PROCESSES a test of ctest is a quarter of the program's:
# under the sanitizers a process takes longer to start than most tests do.
function(commgauge_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;LABELS")
  add_executable(${name} ${arg_SOURCES})
  commgauge_target(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM commgauge_test_headers)
  set(labels serial ${arg_LABELS})
  add_dependencies(serial-tests ${name})
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
#                        [TIMEOUT s] [LABELS ...])
#
# A Google test program that every rank runs, at each number of ranks: <name>.np2, ... with the
# label mpi; with EMULATED_RANKS on an emulated machine. SOURCES defaults to <name>_test.cpp. The
# tests run alone: what they time must not share the cores with another test.
function(commgauge_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT"
    "RANKS;EMULATED_RANKS;SOURCES;LIBRARIES;LABELS")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${name}_test.cpp)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set(program test_${name})
  add_executable(${program} ${arg_SOURCES})
  commgauge_target(${program})
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} commgauge_mpi_main)
  target_precompile_headers(${program} REUSE_FROM commgauge_test_headers)
  foreach(n IN LISTS arg_RANKS)
    commgauge_add_mpi_run(${name}.np${n} RANKS ${n} TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS}
      COMMAND $<TARGET_FILE:${program}>)
  endforeach()
  foreach(n IN LISTS arg_EMULATED_RANKS)
    commgauge_add_emulated_run(${name}.np${n} RANKS ${n} TIMEOUT ${arg_TIMEOUT}
      LABELS ${arg_LABELS} COMMAND $<TARGET_FILE:${program}>)
  endforeach()
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

# commgauge_add_mpi_run(<name> RANKS n COMMAND ... [TIMEOUT s] [PREFLAGS ...] [LABELS ...])
#
# Any program under the MPI launcher, as one test.
function(commgauge_add_mpi_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS;TIMEOUT" "COMMAND;PREFLAGS;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS}
    ${MPIEXEC_PREFLAGS} ${arg_PREFLAGS} ${arg_COMMAND} ${MPIEXEC_POSTFLAGS})
  set(labels mpi ${arg_LABELS})
  set_tests_properties(${name} PROPERTIES
    PROCESSORS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT} LABELS "${labels}" RUN_SERIAL ON)
endfunction()
