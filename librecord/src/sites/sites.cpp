#include "sites/sites.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <unwind.h>

#include <algorithm>
#include <filesystem>

#include "sites/symbols.hpp"

namespace commgauge::record {

namespace {

/// A call leaves what it returns to just below where the frame of its function begins.
#ifdef __x86_64__
constexpr bool has_addresses_on_stack = true;
#else
constexpr bool has_addresses_on_stack = false;
#endif

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
    if (function != nullptr) of_mpi_.push_back(file_of(function));
  }
  std::erase_if(of_mpi_, [](const link_map* file) { return file == nullptr || is_program(*file); });
}

/// Frames of MPI's functions have always the same size, and unwinding takes long. What stands
/// behind one and hasn't been found by unwinding isn't trusted.
std::uint32_t Sites::number(CalledFrom from) {
  const Place* here = &place(from.address);
  while (here->is_of_mpi) {
    if (here->size == 0) return unwind();
    from.stack += here->size;
    const auto found = known_.find(*(reinterpret_cast<const void* const*>(from.stack) - 1));
    if (found == known_.end()) return unwind();
    here = &found->second;
  }
  return here->number;
}

Sites::Place& Sites::place(const void* address) {
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

/// From here to the nearest caller outside of MPI.
std::uint32_t Sites::unwind() {
  struct Walk {
    Sites& sites;
    Place* place;
    std::uintptr_t stack;
  };
  Place start;
  Walk walk{*this, &start, 0};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* user) {
        auto& [sites, place, stack] = *static_cast<Walk*>(user);
        const std::uintptr_t next = _Unwind_GetCFA(context);
        if (has_addresses_on_stack) place->size = static_cast<std::ptrdiff_t>(next - stack);
        stack = next;
        place = &sites.place(reinterpret_cast<const void*>(_Unwind_GetIP(context)));
        return place->is_of_mpi ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &walk);
  return walk.place->number;
}

}  // namespace commgauge::record
