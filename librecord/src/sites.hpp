#pragma once

#include <link.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "commgauge/trace/writer.hpp"

namespace commgauge::record {

/// Where the program calls MPI: addresses of its code, which the writer has numbers for. They stand
/// in the archive as places in files, which are the same at each rank wherever it has loaded them.
class Sites {
 public:
  explicit Sites(trace::Writer& writer);

  /// @param address  that the recorder's function returns to. Where that is MPI's, as when Fortran
  ///   calls, the nearest caller outside of MPI is taken.
  /// @return a number of the writer's; no_site: the address is in no file
  [[nodiscard]] std::uint32_t number(const void* address);

 private:
  struct Place {
    std::uint32_t number{trace::no_site};
    bool is_of_mpi{};  ///< or of the recorder
  };
  [[nodiscard]] const Place& place(const void* address);
  [[nodiscard]] Place find(const void* address);
  [[nodiscard]] const Place& nearest_caller();

  trace::Writer* writer_;
  std::vector<const link_map*> of_mpi_;
  std::unordered_map<const void*, Place> known_;
};

}  // namespace commgauge::record
