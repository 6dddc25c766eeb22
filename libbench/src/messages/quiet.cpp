#include "messages/quiet.hpp"

#include <time.h>

#include <algorithm>

#include "messages/communicator.hpp"

namespace commgauge::bench {

namespace {

void sleep_for(double seconds) {
  timespec pause{0, static_cast<long>(seconds * 1e9)};
  nanosleep(&pause, nullptr);
}

}  // namespace

void sleep_briefly() { sleep_for(1e-4); }

#ifdef COMMGAUGE_SMPI
// In simulated time a blocked rank takes no core from others, and every MPI_Test costs 1e-4 s.
void wait_quietly(MPI_Request& request, const std::function<void()>&) {
  check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}
#else
void wait_quietly(MPI_Request& request, const std::function<void()>& meanwhile) {
  constexpr double shortest = 20e-6;
  constexpr double longest = 1e-3;
  const double start = MPI_Wtime();
  for (int done = 0;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    if (meanwhile) meanwhile();
    sleep_for(std::clamp((MPI_Wtime() - start) / 8, shortest, longest));
  }
}
#endif

int agree_quietly(MPI_Comm comm, int flag,
                  [[maybe_unused]] const std::function<void()>& meanwhile) {
  int largest = flag;
#ifdef COMMGAUGE_SMPI
  // Its nonblocking one sends a message from each rank to each.
  check(MPI_Allreduce(&flag, &largest, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
#else
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&flag, &largest, 1, MPI_INT, MPI_MAX, comm, &request), "MPI_Iallreduce");
  wait_quietly(request, meanwhile);
#endif
  return largest;
}

}  // namespace commgauge::bench
