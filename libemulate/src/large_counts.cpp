// MPI-4's functions with large counts: where these are ints the call is one of the function
// without.

#include "large_counts.hpp"

#include <string>

#include "job.hpp"

using namespace commgauge::emulate;
using namespace commgauge::preload;

namespace {

[[noreturn]] void refuse(const char* name) {
  fail(commgauge::ExitCode::bad_input,
       std::string{name} +
           "_c with a count above 2 147 483 647 is not emulated: use fewer elements of a larger "
           "datatype");
}

template <auto function, class Large>
struct WithLargeCounts;
template <auto function, class... Arguments>
struct WithLargeCounts<function, int (*)(Arguments...)> {
  template <const char* name>
  static int call(Arguments... arguments) {
    if (!(fits_an_int(arguments) && ...)) refuse(name);
    return function(as_int(arguments)...);
  }
};

}  // namespace

// The prototypes are those of mpi.h; the dynamic linker asks for the function's address.
#define LARGE_COUNTS(NAME)                                                     \
  extern "C" {                                                                 \
  static constexpr char name_of_##NAME[] = #NAME;                              \
  [[maybe_unused]] static decltype(&NAME##_c) find_##NAME() {                  \
    return &WithLargeCounts<&NAME, decltype(&NAME##_c)>::call<name_of_##NAME>; \
  }                                                                            \
  decltype(NAME##_c) NAME##_c __attribute__((ifunc("find_" #NAME)));           \
  decltype(NAME##_c) P##NAME##_c __attribute__((ifunc("find_" #NAME)));        \
  }
#include "large_counts.inc"
