#include "sites.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <unwind.h>

#include <algorithm>
#include <filesystem>

#include "symbols.hpp"

namespace commgauge::record {

namespace {

const link_map* file_of(const void* address) {
  Dl_info about{};
  link_map* file = nullptr;
  const int found = dladdr1(address, &about, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP);
  return found != 0 ? file : nullptr;
}

bool is_program(const link_map& file) { return *file.l_name == '\0'; }

std::string path_of(const link_map& file) {
  std::error_code unknown;
  const std::filesystem::path name = is_program(file) ? "/proc/self/exe" : file.l_name;
  const auto path = std::filesystem::canonical(name, unknown);
  return unknown ? name.string() : path.string();
}

}  // namespace

/// MPI's functions that no preloaded library replaces, or their names in Fortran.
Sites::Sites(trace::Writer& writer) : writer_{&writer} {
  of_mpi_ = {file_of(reinterpret_cast<const void*>(&file_of)),
             file_of(reinterpret_cast<const void*>(&PMPI_Get_version))};
  for (const char* name : {"mpi_get_version_", "mpi_get_version_f08_"}) {
    const void* const function = dlsym(RTLD_DEFAULT, name);
    const link_map* const file = function != nullptr ? file_of(function) : nullptr;
    if (file != nullptr) of_mpi_.push_back(file);
  }
  std::erase_if(of_mpi_, [](const link_map* file) { return is_program(*file); });
}

std::uint32_t Sites::number(const void* address) {
  const Place& direct = place(address);
  return direct.is_of_mpi ? nearest_caller().number : direct.number;
}

const Sites::Place& Sites::place(const void* address) {
  const auto found = known_.find(address);
  return found != known_.end() ? found->second
                               : known_.emplace(address, find(address)).first->second;
}

Sites::Place Sites::find(const void* address) {
  const link_map* const file = file_of(address);
  if (file == nullptr) return {};
  if (std::ranges::find(of_mpi_, file) != of_mpi_.end()) return {.is_of_mpi = true};
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - file->l_addr;
  return {.number = writer_->site(place_in(path_of(*file), offset))};
}

const Sites::Place& Sites::nearest_caller() {
  struct Search {
    Sites& sites;
    const Place* found;
  };
  static constexpr Place none;
  Search search{*this, &none};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* user) {
        auto& [sites, found] = *static_cast<Search*>(user);
        const Place& place = sites.place(reinterpret_cast<const void*>(_Unwind_GetIP(context)));
        if (place.is_of_mpi) return _URC_NO_REASON;
        found = &place;
        return _URC_END_OF_STACK;
      },
      &search);
  return *search.found;
}

}  // namespace commgauge::record
