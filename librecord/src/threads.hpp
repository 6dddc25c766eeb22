#pragma once

#include <cstdint>
#include <memory>

#include "recorder.hpp"

/// The threads of this process, each with a recorder. What they have in common is guarded by one
/// lock, which a call holds from Recorder::begin() to left().
namespace commgauge::record {
struct Session;
}

namespace commgauge::record::threads {

/// The calling thread's, from the session's first one on; nullptr: it isn't recorded.
[[nodiscard]] Recorder* own();

/// The calling thread starts the recording, with a recorder of its own.
void begin(Recorder& first);
/// In a process that was forked off: nobody else is there who had the lock.
void begin_again_in_child();
/// The recording has ended.
void end();
/// Threads that go on may still be in calls of that session: it stays, and nothing is written.
void retire(std::unique_ptr<Session> ended);

/// For the calling thread, up to let_go(). Nothing if it has it.
void hold();
void let_go();
/// As long as it lives, for what a call looks up before it goes to MPI.
class Held {
 public:
  Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held();

 private:
  bool had_;
};

/// Of the calling thread, from 0: another one's that lives at the same time is another.
[[nodiscard]] int own_slot();

/// A number for what threads may wait for, from 1.
[[nodiscard]] std::uint32_t new_object();

/// MPI is ended by the calling thread, which goes on as the one that has started it.
void act_as_first();
/// Writes what is left of all; from here on nothing is written.
void finish();
/// That the process had at most, beside those that MPI had started at its beginning; 0: all that
/// there were are recorded.
[[nodiscard]] int unrecorded();

}  // namespace commgauge::record::threads
