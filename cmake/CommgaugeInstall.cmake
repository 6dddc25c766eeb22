# Installs libraries, headers and tools, and what find_package(commgauge) needs.

include(CMakePackageConfigHelpers)

if(COMMGAUGE_SMPI OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/commgauge)

set(libraries commgauge_estimate commgauge_simulate commgauge_predict commgauge_tasks commgauge_bench_serial)
foreach(mpi IN LISTS COMMGAUGE_MPI_LIBRARIES)
  list(APPEND libraries commgauge_bench_${mpi} commgauge_c_${mpi})
endforeach()
install(TARGETS ${libraries} EXPORT commgaugeTargets FILE_SET HEADERS)
if(COMMGAUGE_BUILD_TOOLS)
  foreach(program emulate estimate-model record replay thresholds
      commgauge_emulate commgauge_record commgauge_record_openmpi commgauge_record_threads)
    if(TARGET ${program})
      install(TARGETS ${program})
    endif()
  endforeach()
  foreach(mpi IN LISTS COMMGAUGE_MPI_LIBRARIES)
    install(TARGETS estimate-model-${mpi} thresholds-${mpi}
      RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/commgauge/${mpi})
  endforeach()
endif()
install(EXPORT commgaugeTargets NAMESPACE commgauge:: DESTINATION ${package_dir})

configure_package_config_file(cmake/commgaugeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/commgaugeConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/commgaugeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/commgaugeConfig.cmake
  ${PROJECT_BINARY_DIR}/commgaugeConfigVersion.cmake
  DESTINATION ${package_dir})

# For C: what pkg-config says. For each library but the first there is a file of its own.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX /${pkgconfig_dir} /)
foreach(mpi IN LISTS COMMGAUGE_MPI_LIBRARIES)
  get_target_property(PKGCONFIG_NAME commgauge_c_${mpi} OUTPUT_NAME)
  if(mpi STREQUAL COMMGAUGE_FIRST_MPI)
    list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE mpi_cflags)
    list(JOIN mpi_cflags " " MPI_CFLAGS)
    list(JOIN MPI_C_LIBRARIES " " MPI_LIBS)
  else()
    list(JOIN OPENMPI_CFLAGS " " MPI_CFLAGS)
    list(JOIN OPENMPI_LDFLAGS " " MPI_LIBS)
  endif()
  set(file ${PROJECT_BINARY_DIR}/${PKGCONFIG_NAME}.pc)
  configure_file(cmake/commgauge.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${pkgconfig_dir})
endforeach()

install(FILES examples/calibrates_itself.c examples/calibrates_itself.cpp
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
