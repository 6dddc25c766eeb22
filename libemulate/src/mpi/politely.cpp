#include "mpi/politely.hpp"

#include <algorithm>

#include "base/real_time.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "system/c_library.hpp"

namespace commgauge::emulate::politely {

namespace {

/// In a job that sessions have started MPICH 4.0.2 crashes in MPI_Test: there MPI itself waits.
bool may_test() { return world() == MPI_COMM_WORLD; }

void wait(MPI_Request request) {
  constexpr double first = 20e-6;   // [s]
  constexpr double longest = 5e-3;  // [s]
  int is_done = 0;
  for (double pause = first;; pause = std::min(2 * pause, longest)) {
    real::Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    sleep_until(real_time() + pause);
  }
}

}  // namespace

void broadcast(void* data, std::size_t bytes, int root) {
  const int size = static_cast<int>(bytes);
  if (!may_test()) {
    real::Bcast(data, size, MPI_BYTE, root, world());
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  real::Ibcast(data, size, MPI_BYTE, root, world(), &request);
  wait(request);
}

int least(int value) {
  if (!may_test()) {
    real::Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, world());
    return value;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  real::Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, world(), &request);
  wait(request);
  return value;
}

void gather(const void* own, std::size_t bytes, void* all) {
  const int size = static_cast<int>(bytes);
  if (!may_test()) {
    real::Gather(own, size, MPI_BYTE, all, size, MPI_BYTE, 0, world());
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  real::Igather(own, size, MPI_BYTE, all, size, MPI_BYTE, 0, world(), &request);
  wait(request);
}

}  // namespace commgauge::emulate::politely

extern "C" {

/// UCX's, by which an MPI library that waits asks again and again whether anything has come. Who
/// has asked unsuccessfully for a while lets others have the core: ranks that it waits for may need
/// it.
unsigned ucp_worker_progress(void* worker) {
  constexpr unsigned a_while = 64;
  constexpr double pause = 100e-6;  // [s]
  static constinit commgauge::preload::Next<unsigned(void*)> ask("ucp_worker_progress");
  [[gnu::tls_model("initial-exec")]] thread_local unsigned unsuccessful = 0;
  const unsigned found = ask(worker);
  unsuccessful = found > 0 ? 0 : unsuccessful + 1;
  if (unsuccessful % a_while == a_while - 1) {
    using namespace commgauge::emulate;
    sleep_until(real_time() + pause);
  }
  return found;
}

}  // extern "C"
