#pragma once

#include <mpi.h>

#include "commgauge/base/exit_code.hpp"
#include "commgauge/base/units.hpp"

namespace commgauge::tools {

/// Starts to look once a second whether the ranks on this machine are alive. Where the launcher
/// was told not to clean up, a rank that died would leave the others waiting for ever; this one
/// then ends with ExitCode::mpi_failed within ten seconds, and the lowest surviving rank of the
/// machine says why. By SIGUSR1 MPICH's launcher tells of a death elsewhere, and a batch system of
/// the end of a job's time: it asks to stop, and is taken for a death if nothing comes of that.
/// Uses SIGALRM. Collective; does nothing under SMPI.
void start_watchdog(MPI_Comm comm);

/// How long a SIGUSR1 waits from now on until it is taken for a death. Forgets those that have
/// come: called where everybody is known to be alive.
void believe_announcements_after(int seconds);

/// While it lives, libbench measures. A rank that stands still in an experiment for a minute says
/// so in a line, and again each minute; rank 0 does after ten minutes between two experiments.
class StallWatch {
 public:
  StallWatch();
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;
};
/// In place of that minute a rank ends after so long, as Session::end_stalls_after() says.
void limit_stalls(Seconds limit);

/// While a rank does something that must come to its end, whoever died.
void pause_watchdog();
void resume_watchdog();

/// Ends the watch. If the process has not ended in `seconds`, it ends with `code`, having told the
/// user so if it `speaks`.
void limit_the_rest(int seconds, ExitCode code, bool speaks);

}  // namespace commgauge::tools
