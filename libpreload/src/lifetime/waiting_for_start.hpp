#pragma once

#include <memory>

namespace commgauge::preload {

/// While this process waits in MPI_Init: looks whether a rank of its host has ended before it came
/// there, for MPICH's launcher lets the others wait for ever. Then this process says so, and ends
/// with ExitCode::bad_input, by which the launcher ends the job.
class WaitingForStart {
 public:
  WaitingForStart();
  WaitingForStart(const WaitingForStart&) = delete;
  WaitingForStart& operator=(const WaitingForStart&) = delete;
  /// MPI has started.
  ~WaitingForStart();

 private:
  struct Watcher;
  std::unique_ptr<Watcher> watcher_;  ///< nullptr: nobody looks, for the launcher isn't MPICH's
};

}  // namespace commgauge::preload
