#include "mpi_code.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace commgauge::preload {

namespace {

using Parts = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;

int add_if_of_mpi(dl_phdr_info* object, std::size_t, void* parts) {
  constexpr std::array<std::string_view, 19> names{"/libmpi",
                                                   "/libuc",
                                                   "/libfabric",
                                                   "/libpmi",
                                                   "/libopen-",
                                                   "/libhwloc",
                                                   "/libpsm",
                                                   "/libib",
                                                   "/openmpi",
                                                   "/libjemalloc",
                                                   "/libtcmalloc",
                                                   "/libmimalloc",
                                                   "/libtbbmalloc",
                                                   "/libevent",
                                                   "/libotf2",
                                                   "/libdw",
                                                   "/libelf",
                                                   "/libcommgauge_record.so",
                                                   "/libcommgauge_record_openmpi.so"};
  const std::string_view name = object->dlpi_name;
  if (std::ranges::none_of(names, [&](auto part) { return name.find(part) != name.npos; })) {
    return 0;
  }
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t start = object->dlpi_addr + part.p_vaddr;
    static_cast<Parts*>(parts)->emplace_back(start, start + part.p_memsz);
  }
  return 0;
}

}  // namespace

void MpiCode::find() {
  parts_.clear();
  dl_iterate_phdr(add_if_of_mpi, &parts_);
}

bool MpiCode::has(const void* place) const {
  const auto here = reinterpret_cast<std::uintptr_t>(place);
  return std::ranges::any_of(
      parts_, [&](const auto& part) { return part.first <= here && here < part.second; });
}

}  // namespace commgauge::preload
