#pragma once

#include "recorder/recorder.hpp"
#include "recorder/session.hpp"

/// What the calling thread knows of itself.
namespace commgauge::record::threads {

/// Of which session its recorder is, and which of the rank's threads it is.
struct OwnThread {
  const Session* session{};
  Recorder* recorder{};
  int slot{};
};
[[nodiscard]] OwnThread& own_thread();

/// Of the calling thread, from 0: another one's that lives at the same time is another.
[[nodiscard]] int own_slot();

}  // namespace commgauge::record::threads
