#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "commgauge/trace/write/writer.hpp"

namespace commgauge::record {

/// What a function returns to.
struct CalledFrom {
  const void* address{};
  const char* stack{};  ///< where its frame begins, just above the address on the stack
};

/// Where the program calls MPI: addresses of its code, which the writer has numbers for. They stand
/// in the archive as places in files, which are the same at each rank wherever it has loaded them.
class Sites {
 public:
  explicit Sites(trace::Writer& writer);

  /// @param from  of the recorder's function. Where that is MPI, as for a program in Fortran, the
  ///   nearest one outside of MPI is taken.
  /// @return a number of the writer's; no_site: the address is in no file
  [[nodiscard]] std::uint32_t number(CalledFrom from);

 private:
  struct Place {
    std::uint32_t number{trace::no_site};
    bool is_of_mpi{};       ///< or of the recorder
    std::ptrdiff_t size{};  ///< of the frame of a function of MPI; 0: not known
  };
  [[nodiscard]] Place& place(const void* address);
  [[nodiscard]] Place find(const void* address);
  [[nodiscard]] std::uint32_t unwind();

  trace::Writer* writer_;
  std::vector<const link_map*> of_mpi_;
  std::unordered_map<const void*, Place> known_;
};

}  // namespace commgauge::record

/// Of the function that it stands in.
#define COMMGAUGE_CALLED_FROM                                                    \
  ::commgauge::record::CalledFrom {                                              \
    __builtin_return_address(0), static_cast<const char*>(__builtin_dwarf_cfa()) \
  }
