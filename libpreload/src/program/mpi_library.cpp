#include "program/mpi_library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "program/program_file.hpp"

namespace commgauge::preload {

namespace {

/// Of the library that has a function.
template <class Function>
const char* file_of(Function* function) {
  Dl_info about{};
  return dladdr(reinterpret_cast<void*>(function), &about) != 0 ? about.dli_fname : "";
}

/// PMPI_Get_version is one of the functions that no preloaded library replaces.
void* mpi_library() {
  const char* const file = file_of(&PMPI_Get_version);
  return *file != '\0' ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

std::string known_mpi() { return mpi_library_of(file_of(&known_mpi)); }

std::string running_mpi() {
  return std::filesystem::path{file_of(&PMPI_Get_version)}.filename().string();
}

void* function_of_mpi(const char* name) {
  static void* const library = mpi_library();
  return library != nullptr ? dlsym(library, name) : dlsym(RTLD_NEXT, name);
}

void* function_behind(const char* name, bool is_behind) {
  return is_behind ? dlsym(RTLD_NEXT, name) : function_of_mpi(name);
}

}  // namespace commgauge::preload
