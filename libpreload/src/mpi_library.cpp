#include "mpi_library.hpp"

#include <dlfcn.h>

namespace commgauge::preload {

namespace {

/// The library that has PMPI_Get_version, one of the functions that no preloaded library replaces.
void* mpi_library() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<void*>(&PMPI_Get_version), &about) == 0) return nullptr;
  return dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

void* function_of_mpi(const char* name) {
  static void* const library = mpi_library();
  return library != nullptr ? dlsym(library, name) : dlsym(RTLD_NEXT, name);
}

void* function_behind(const char* name, bool is_behind) {
  return is_behind ? dlsym(RTLD_NEXT, name) : function_of_mpi(name);
}

}  // namespace commgauge::preload
