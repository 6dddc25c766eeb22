#include "common/stop_request.hpp"

#include <signal.h>

#include <initializer_list>

namespace commgauge::tools {

namespace {

volatile sig_atomic_t requested = 0;

#ifndef COMMGAUGE_SMPI
void note_request(int) { requested = 1; }
#endif

}  // namespace

void accept_stop_requests() {
#ifndef COMMGAUGE_SMPI
  struct sigaction action {};
  action.sa_handler = note_request;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR2}) sigaction(signal, &action, nullptr);
#endif
}

bool stop_requested() { return requested != 0; }

}  // namespace commgauge::tools
