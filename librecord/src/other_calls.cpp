// Calls that a replay leaves out: one-sided, files, processes that come and go, counts beyond int,
// and what else libemulate refuses. A trace has when they begin and end. Calls of functions for
// such counts with others are those of the functions without.

#include <algorithm>
#include <cstddef>

#include "emulation.hpp"
#include "job.hpp"
#include "large_counts.hpp"
#include "mpi_library.hpp"

using namespace commgauge::record;

namespace {

/// A call's name as a template's argument.
template <std::size_t Size>
struct Text {
  constexpr Text(const char (&text)[Size]) { std::copy_n(text, Size, characters); }
  char characters[Size]{};
};

template <Text name, class Function>
struct Passing;
template <Text text, class... Arguments>
struct Passing<text, int (*)(Arguments...)> {
  static int pass(Arguments... arguments) {
    using Function = int (*)(Arguments...);
    static const auto real = reinterpret_cast<Function>(
        commgauge::preload::function_behind(text.characters, static_cast<bool>(emulation())));
    COMMGAUGE_RECORDED(text.characters + 1, real(arguments...));
    return call(
        *recorder, name, [&] { return real(arguments...); },
        [&](Recorder& r) { r.leave_out(name.text); });
  }
};

template <Text name, auto function, class Large>
struct WithLargeCounts;
template <Text name, auto function, class... Arguments>
struct WithLargeCounts<name, function, int (*)(Arguments...)> {
  static int call(Arguments... arguments) {
    using commgauge::preload::fits_an_int;
    if ((fits_an_int(arguments) && ...)) return function(commgauge::preload::as_int(arguments)...);
    return Passing<name, int (*)(Arguments...)>::pass(arguments...);
  }
};

}  // namespace

// The prototypes are those of mpi.h; the dynamic linker asks for the function's address.
#define UNCOVERED(NAME)                                         \
  extern "C" {                                                  \
  [[maybe_unused]] static decltype(&NAME) find_##NAME() {       \
    return &Passing<"P" #NAME, decltype(&NAME)>::pass;          \
  }                                                             \
  decltype(NAME) NAME __attribute__((ifunc("find_" #NAME)));    \
  decltype(NAME) P##NAME __attribute__((ifunc("find_" #NAME))); \
  }
#include "one_sided_calls.inc"
#include "uncovered_calls.inc"

#define LARGE_COUNTS(NAME)                                                     \
  extern "C" {                                                                 \
  [[maybe_unused]] static decltype(&NAME##_c) find_##NAME() {                  \
    return &WithLargeCounts<"P" #NAME "_c", &NAME, decltype(&NAME##_c)>::call; \
  }                                                                            \
  decltype(NAME##_c) NAME##_c __attribute__((ifunc("find_" #NAME)));           \
  decltype(NAME##_c) P##NAME##_c __attribute__((ifunc("find_" #NAME)));        \
  }
#include "large_counts.inc"
