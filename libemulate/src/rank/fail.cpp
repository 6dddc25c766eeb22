#include "rank/fail.hpp"

#include <mpi.h>
#include <unistd.h>

#include "base/real_time.hpp"
#include "base/say.hpp"
#include "lifetime/end.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "rank/session.hpp"
#include "shared/live_world.hpp"

namespace commgauge::emulate {

void fail(ExitCode code, const std::string& text) {
  preload::mpi_is_called();
  preload::mpi_is_done();
  LiveWorld* const live = session().live;
  const bool says = live == nullptr || live->is_first_to_fail();
  if (says) {
    say(text);
    preload::wait_until_read(STDERR_FILENO);
    if (live != nullptr) live->has_told();
  } else {
    live->wait_until_told();
  }
  // Until the launcher has passed it on; the one that has said it ends the job, if it can. Past the
  // C library's sleep, which is virtual where a refused call comes from.
  sleep_until(real_time() + (says ? 0.1 : 3));
  int running = 0;
  PMPI_Initialized(&running);
  if (running != 0 || is_active()) real::Abort(world(), static_cast<int>(code));
  _exit(static_cast<int>(code));
}

}  // namespace commgauge::emulate
