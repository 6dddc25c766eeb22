# Programs of which a part is built for each MPI library.

include(CommgaugeToolPages)

# commgauge_measuring_program(<name> SOURCES ... [LIBRARIES ...])
#
# bin/<name>, which needs no MPI library, and of the same sources libexec/commgauge/<mpi>/<name>, as
# which it goes on where it measures. Under SMPI one program for smpirun.
function(commgauge_measuring_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  set(objects commgauge_${name}_objects)
  add_library(${objects} OBJECT ${arg_SOURCES})
  commgauge_target(${objects})
  commgauge_unity_build(${objects})
  target_link_libraries(${objects} PUBLIC commgauge_tools_common ${arg_LIBRARIES})
  target_precompile_headers(${objects} REUSE_FROM commgauge_tools_headers)

  add_executable(${name})
  if(COMMGAUGE_SMPI)
    target_link_libraries(${name} PRIVATE ${objects} commgauge_tools_session)
    return()
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  target_link_libraries(${name} PRIVATE ${objects} commgauge_tools_launched)
  foreach(mpi IN LISTS COMMGAUGE_MPI_LIBRARIES)
    set(program ${name}-${mpi})
    add_executable(${program})
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBEXECDIR}/commgauge/${mpi})
    target_link_libraries(${program} PRIVATE ${objects} commgauge_tools_session_${mpi})
  endforeach()
  # The first library's is enough to try it.
  add_dependencies(${name} ${name}-${COMMGAUGE_FIRST_MPI})
  commgauge_tool_pages(${name})
endfunction()
