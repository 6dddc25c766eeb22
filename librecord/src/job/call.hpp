#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "job/communicator.hpp"
#include "job/threads.hpp"
#include "recorder/recorder.hpp"
#include "recorder/session.hpp"
#include "recorder/thread_lock.hpp"

/// A call of the program's, from its beginning to its end.
namespace commgauge::record {

/// Whether this is a call of the program on a thread that is recorded: not before MPI_Init, not
/// after MPI_Finalize, not one that MPI makes within another call. Its beginning is timed then.
/// @return nullptr if not
[[nodiscard]] inline Recorder* entered(const CalledFrom& from) {
  Recorder* const own = threads::own();
  if (own == nullptr || own->is_inside()) return nullptr;
  own->set_inside(true);
  own->enter(from);
  return own;
}
/// The call is over; maybe the recording, too.
inline void left() {
  if (Recorder* const own = threads::own()) own->set_inside(false);
  threads::let_go();
}

/// Does one call. A replay leaves out one that fails, which is said.
/// @param work  () → MPI's code
/// @param note  (Recorder&): writes what the call did, if it did it
template <class Work, class Note>
int call(Recorder& recorder, const Name& name, Work&& work, Note&& note) {
  const int code = work();
  recorder.begin(name);
  if (code == MPI_SUCCESS) {
    note(recorder);
  } else {
    recorder.leave_out(std::string{name.text} + " that failed");
  }
  recorder.leave(name);
  left();
  return code;
}

/// The same at the end of a test or probe.
/// @param note  (Recorder&, unsuccessful attempts before it)
template <class Note>
void end_attempt(Recorder& recorder, const Name& name, int code, bool found, Note&& note) {
  if (code == MPI_SUCCESS && !found) {
    recorder.leave_unsuccessful(name);
  } else {
    const std::uint64_t attempts = recorder.begin_poll(name);
    if (code != MPI_SUCCESS) recorder.leave_out(std::string{name.text} + " that failed");
    note(recorder, attempts);
    recorder.leave(name);
  }
  left();
}

}  // namespace commgauge::record

/// Leads a call that isn't recorded to MPI; otherwise `recorder` and `name` are there.
#define COMMGAUGE_RECORDED(NAME, REAL)                     \
  ::commgauge::record::Recorder* const recorder =          \
      ::commgauge::record::entered(COMMGAUGE_CALLED_FROM); \
  if (recorder == nullptr) return REAL;                    \
  static const ::commgauge::record::Name name = ::commgauge::record::name_of(NAME)
