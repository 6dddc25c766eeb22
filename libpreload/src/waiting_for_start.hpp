#pragma once

namespace commgauge::preload {

/// Looks, while this process waits in MPI_Init, whether a rank of its host has ended before it came
/// there: MPICH's launcher lets the others wait for ever. Then this process says so, and ends with
/// ExitCode::bad_input, by which the launcher ends the job.
class WaitingForStart {
 public:
  WaitingForStart();
  WaitingForStart(const WaitingForStart&) = delete;
  WaitingForStart& operator=(const WaitingForStart&) = delete;
  /// MPI has started.
  ~WaitingForStart();

 private:
  void* watcher_{};  ///< nullptr: nobody looks, for the launcher isn't MPICH's
};

}  // namespace commgauge::preload
