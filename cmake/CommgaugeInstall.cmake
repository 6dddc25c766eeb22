# Installs libraries, headers and tools, and what find_package(commgauge) needs.

include(CMakePackageConfigHelpers)

if(COMMGAUGE_SMPI OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/commgauge)

install(TARGETS
  commgauge_estimate commgauge_bench commgauge_simulate commgauge_predict commgauge_tasks commgauge_c
  EXPORT commgaugeTargets FILE_SET HEADERS)
if(COMMGAUGE_BUILD_TOOLS)
  install(TARGETS emulate estimate-model thresholds)
  install(TARGETS commgauge_emulate)
  if(TARGET record)
    install(TARGETS record replay commgauge_record commgauge_record_threads)
    if(TARGET commgauge_record_openmpi)
      install(TARGETS commgauge_record_openmpi)
    endif()
  endif()
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

# For C: what pkg-config says.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PKGCONFIG_TO_PREFIX /${pkgconfig_dir} /)
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE mpi_cflags)
list(JOIN mpi_cflags " " MPI_CFLAGS)
list(JOIN MPI_C_LIBRARIES " " MPI_LIBS)
configure_file(cmake/commgauge.pc.in ${PROJECT_BINARY_DIR}/commgauge.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/commgauge.pc DESTINATION ${pkgconfig_dir})

install(FILES examples/calibrates_itself.c examples/calibrates_itself.cpp
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
