// Calls that a replay leaves out: processes that come and go, and what else libemulate refuses; and
// those of which it knows how long they took: files. A trace has when they begin and end. And
// messages with counts beyond int, which are those of the functions without.

#include <algorithm>

#include "job/call.hpp"
#include "mpi/emulation.hpp"
#if MPI_VERSION >= 4
#include "arguments/large_counts.hpp"
#endif
#include "arguments/text.hpp"
#include "program/mpi_library.hpp"

using namespace commgauge::record;
using commgauge::preload::Text;

namespace {

/// What a replay makes of a call.
enum class Replayed { not_at_all, as_long_as_it_took };

void note(Recorder& recorder, const Name& name, Replayed how) {
  if (how == Replayed::not_at_all) {
    recorder.leave_out(name.text);
    return;
  }
  const auto taken = static_cast<std::uint64_t>(std::max<std::int64_t>(recorder.taken(), 0));
  recorder.write(event::Sleep{taken});
  recorder.leave_out("file operations, as long as they took");
}

template <Text name, Replayed how, class Function>
struct Passing;
template <Text text, Replayed how, class... Arguments>
struct Passing<text, how, int (*)(Arguments...)> {
  static int pass(Arguments... arguments) {
    using Function = int (*)(Arguments...);
    static const auto real = reinterpret_cast<Function>(
        commgauge::preload::function_behind(text.characters, static_cast<bool>(emulation())));
    COMMGAUGE_RECORDED(text.characters + 1, real(arguments...));
    return call(
        *recorder, name, [&] { return real(arguments...); },
        [&](Recorder& r) { note(r, name, how); });
  }
};

}  // namespace

// The prototypes are those of mpi.h; the dynamic linker asks for the function's address.
#define PASSING(NAME, HOW)                                      \
  extern "C" {                                                  \
  [[maybe_unused]] static decltype(&NAME) find_##NAME() {       \
    return &Passing<"P" #NAME, HOW, decltype(&NAME)>::pass;     \
  }                                                             \
  decltype(NAME) NAME __attribute__((ifunc("find_" #NAME)));    \
  decltype(NAME) P##NAME __attribute__((ifunc("find_" #NAME))); \
  }
#define FILE_CALL(NAME) PASSING(NAME, Replayed::as_long_as_it_took)
#include "arguments/file_calls.inc"
#define UNCOVERED(NAME) PASSING(NAME, Replayed::not_at_all)
#include "arguments/uncovered_calls.inc"
#include "arguments/unrecorded_calls.inc"

#include "arguments/large_counts.inc"
