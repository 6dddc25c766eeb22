# What every target of the project has in common.

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  # Unless ccache is told so it keeps nothing that a precompiled header has to do with.
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime)
  endif()
endif()

# commgauge_library(<target>): what becomes part of the C interface's shared library. Hidden
# symbols leave the compiler as free as it is in a program.
function(commgauge_library target)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# commgauge_c_target(<target>): C99 without extensions, and the project's warnings.
function(commgauge_c_target target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    $<$<BOOL:${COMMGAUGE_WERROR}>:-Werror>)
endfunction()

# commgauge_target(<target>): C++20 without extensions, and the project's warnings.
function(commgauge_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${COMMGAUGE_WERROR}>:-Werror>)
endfunction()

# commgauge_in_batches(<target> [size]): thirty of its sources are compiled at once, or as many as told, in less than
# half of the time. Names in unnamed namespaces must differ then. Whoever changes one source again and
# again turns it off: COMMGAUGE_UNITY_BUILD.
function(commgauge_in_batches target)
  set(size 30)
  if(ARGC GREATER 1)
    set(size ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${COMMGAUGE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE ${size})
  if(COMMGAUGE_UNITY_BUILD)
    # What is said there of types in unnamed namespaces is true of headers, which these aren't.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# commgauge_unity_build(<target>): in batches. Names differ in all of the library then, for another source changes
# which of them stand together. scripts/lint, which reads the library as one file, tells where they don't.
function(commgauge_unity_build target)
  commgauge_in_batches(${target})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL commgauge_compile_as_one ${target})")
endfunction()

# All sources of a library in one, once they are known: for scripts/lint, never compiled.
function(commgauge_compile_as_one target)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  set(one ${target}_as_one)
  add_library(${one} OBJECT EXCLUDE_FROM_ALL ${sources})
  commgauge_target(${one})
  set_target_properties(${one} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(${one} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${one} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  target_link_libraries(${one} PRIVATE ${libraries})
endfunction()

# commgauge_add_library(<name>): commgauge_<name>, which is installed, and commgauge::<name> everywhere.
function(commgauge_add_library name)
  set(target commgauge_${name})
  add_library(${target} STATIC)
  add_library(commgauge::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  commgauge_target(${target})
  commgauge_library(${target})
  commgauge_unity_build(${target})
endfunction()
