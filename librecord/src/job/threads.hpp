#pragma once

#include <cstdint>
#include <memory>

#include "recorder/recorder.hpp"
#include "recorder/session.hpp"
#include "threads/thread_events.hpp"

/// The threads of this process, each with a recorder. What they have in common is guarded by the
/// lock of recorder/thread_lock.hpp.
namespace commgauge::record::threads {

/// The calling thread's, from the session's first one on; nullptr: it isn't recorded.
[[nodiscard]] Recorder* own();

/// The calling thread starts the recording, with a recorder of its own.
void begin(Recorder& first);
/// The recording has ended.
void end();
/// Threads that go on may still be in calls of that session: it stays, and nothing is written.
void retire(std::unique_ptr<Session> ended);

/// A number for what threads may wait for, from 1.
[[nodiscard]] std::uint32_t new_object();

/// MPI is ended by the calling thread, which goes on as the one that has started it.
void act_as_first();
/// Writes what is left of all; from here on nothing is written.
void finish();
/// That the process had at most, beside those that MPI had started at its beginning; 0: all that
/// there were are recorded.
[[nodiscard]] int unrecorded();
/// Whether threads have called MPI that nobody follows, which a replay leaves out.
[[nodiscard]] bool have_others_called();

}  // namespace commgauge::record::threads

extern "C" {
/// For who follows threads.
void commgauge_record_thread_event(const commgauge::preload::ThreadEvent& event);
}
