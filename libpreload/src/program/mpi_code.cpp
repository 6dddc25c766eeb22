#include "program/mpi_code.hpp"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace commgauge::preload {

namespace {

using Parts = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;

constexpr std::array<std::string_view, 19> of_mpi{"/libmpi",
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
constexpr std::array<std::string_view, 2> of_openmp{"/libomp.so", "/libiomp5.so"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::any_of(names, [&](auto part) { return name.find(part) != name.npos; });
}

void add(const dl_phdr_info& object, Parts& parts) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t start = object.dlpi_addr + part.p_vaddr;
    parts.emplace_back(start, start + part.p_memsz);
  }
}

struct Found {
  Parts& mpi;
  Parts& openmp;
};

int look_at(dl_phdr_info* object, std::size_t, void* found) {
  const std::string_view name = object->dlpi_name;
  auto& [mpi, openmp] = *static_cast<Found*>(found);
  if (is_one_of(of_mpi, name)) add(*object, mpi);
  if (is_one_of(of_openmp, name)) add(*object, openmp);
  return 0;
}

}  // namespace

void MpiCode::find() {
  parts_.clear();
  openmp_.clear();
  Found found{parts_, openmp_};
  dl_iterate_phdr(look_at, &found);
}

bool MpiCode::has(const Parts& parts, const void* place) {
  const auto here = reinterpret_cast<std::uintptr_t>(place);
  return std::ranges::any_of(
      parts, [&](const auto& part) { return part.first <= here && here < part.second; });
}

}  // namespace commgauge::preload
