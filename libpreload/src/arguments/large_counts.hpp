#pragma once

#include <mpi.h>

#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Calls of MPI-4's functions for messages with large counts (MPI_Send_c) as calls of those
/// without: where a count isn't an int, with one element that holds them all.
namespace commgauge::preload {

/// Datatypes that last as long as a call: who needs one for longer keeps it.
class Rows {
 public:
  Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows() {
    for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
  }

  /// So many elements as one. @return what there is, where that can't be
  MPI_Datatype of(MPI_Count count, MPI_Datatype type) {
    MPI_Datatype row = MPI_DATATYPE_NULL;
    if (PMPI_Type_contiguous_c(count, type, &row) != MPI_SUCCESS) return type;
    PMPI_Type_commit(&row);
    return types_.emplace_back(row);
  }

 private:
  std::vector<MPI_Datatype> types_;
};

/// Takes a call's arguments in their order, in which a datatype comes behind its count.
class Shortened {
 public:
  int operator()(MPI_Count count) {
    count_ = count;
    if (count < 0) return -1;
    return is_large() ? 1 : static_cast<int>(count);
  }
  template <class Argument>
  Argument operator()(Argument argument) {
    if constexpr (std::is_same_v<Argument, MPI_Datatype>) {
      if (is_large()) return rows_.of(std::exchange(count_, 0), argument);
      count_ = 0;
    }
    return argument;
  }

 private:
  [[nodiscard]] bool is_large() const { return count_ > std::numeric_limits<int>::max(); }

  MPI_Count count_{};
  Rows rows_;
};

template <auto function, class Large>
struct WithLargeCounts;
template <auto function, class... Arguments>
struct WithLargeCounts<function, int (*)(Arguments...)> {
  static int call(Arguments... arguments) {
    Shortened shortened;
    const std::tuple shorter{shortened(arguments)...};
    return std::apply(function, shorter);
  }
};

}  // namespace commgauge::preload

/// Defines MPI_NAME_c. Its prototype is that of mpi.h; the dynamic linker asks for its address.
#define LARGE_COUNTS(NAME)                                                           \
  extern "C" {                                                                       \
  [[maybe_unused]] static decltype(&NAME##_c) find_##NAME() {                        \
    return &::commgauge::preload::WithLargeCounts<&NAME, decltype(&NAME##_c)>::call; \
  }                                                                                  \
  decltype(NAME##_c) NAME##_c __attribute__((ifunc("find_" #NAME)));                 \
  decltype(NAME##_c) P##NAME##_c __attribute__((ifunc("find_" #NAME)));              \
  }
