// Puts, gets, and what combines: messages that nobody receives.

#include "arguments/accesses.hpp"
#include "job/call.hpp"
#include "job/windows.hpp"
#include "mpi/real_calls.hpp"

namespace commgauge::record::real {

#define ACCESS(NAME, ...) COMMGAUGE_BEHIND(NAME);
#define REQUEST_ACCESS(NAME, ...) COMMGAUGE_BEHIND(NAME);
#include "arguments/access_calls.inc"

}  // namespace commgauge::record::real

using namespace commgauge::record;

namespace {

using Arguments = commgauge::preload::AccessArguments;

/// @param request  by which the program waits for it, or nullptr
void note_access(Recorder& r, const Name& name, MPI_Win handle, const Arguments& what,
                 MPI_Request* request) {
  Window* const accessed = window(r, handle, name);
  if (accessed == nullptr) return;
  const auto sizes = sizes_of(what);
  if (sizes.reached > 0) {
    const std::uint32_t number = start_access(
        r, *accessed, what.target.rank, commgauge::trace::Effect::access, sizes.there, sizes.back);
    accessed->open.push_back({number, accessed->peer(what.target.rank), sizes.back > 0});
    request_at(number).open = &accessed->open;
    if (request != nullptr && sizes.back > 0) {
      request_at(number).real = *request;
      *request = to_handle(number);
      return;
    }
  }
  if (request == nullptr) return;
  // One whose data have been taken is over for the program.
  Request over;
  over.real = *request;
  *request = to_handle(add(std::move(over)));
}

}  // namespace

#define RECORDED_ACCESS(NAME, PARAMETERS, ARGUMENTS, REQUEST, ...)                      \
  int MPI_##NAME PARAMETERS {                                                           \
    const auto work = [&] { return real::NAME ARGUMENTS; };                             \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                                           \
    return call(*recorder, name, work,                                                  \
                [&](Recorder& r) { note_access(r, name, win, __VA_ARGS__, REQUEST); }); \
  }                                                                                     \
  int PMPI_##NAME PARAMETERS __attribute__((alias("MPI_" #NAME)));
#define ACCESS(NAME, PARAMETERS, ARGUMENTS, ...) \
  RECORDED_ACCESS(NAME, PARAMETERS, ARGUMENTS, nullptr, __VA_ARGS__)
#define REQUEST_ACCESS(NAME, PARAMETERS, ARGUMENTS, ...) \
  RECORDED_ACCESS(NAME, PARAMETERS, ARGUMENTS, request, __VA_ARGS__)

extern "C" {
#include "arguments/access_calls.inc"
}
