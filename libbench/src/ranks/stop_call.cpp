#include "ranks/stop_call.hpp"

#include <utility>

#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

#ifdef COMMGAUGE_SMPI
// Every probe takes simulated time.
bool is_called(const Communicator&) { return false; }
#else
bool is_called(const Communicator& all) {
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, stop_tag, all.get(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return found != 0;
}
#endif

}  // namespace

StopCall::StopCall(const Communicator& all, std::function<bool()> is_cancelled)
    : all_{all}, is_cancelled_{std::move(is_cancelled)} {}

void StopCall::call_if_cancelled() {
  if (called_ != 0 || !is_cancelled_ || !is_cancelled_()) return;
  called_ = 1;
  check(MPI_Isend(nullptr, 0, MPI_BYTE, 0, stop_tag, all_.get(), &call_), "MPI_Isend");
}

bool StopCall::is_heard() {
  if (is_cancelled_ && is_cancelled_()) return true;
  if (all_.rank() != 0) return false;
  if (taken_ == 0 && is_called(all_)) take_call();
  return taken_ > 0;
}

void StopCall::end() {
  int calls = 0;
  check(MPI_Reduce(&called_, &calls, 1, MPI_INT, MPI_SUM, 0, all_.get()), "MPI_Reduce");
  if (all_.rank() == 0) {
    while (taken_ < calls) take_call();
  }
  check(MPI_Wait(&call_, MPI_STATUS_IGNORE), "MPI_Wait");
}

void StopCall::take_call() {
  check(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, stop_tag, all_.get(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  ++taken_;
}

}  // namespace commgauge::bench
