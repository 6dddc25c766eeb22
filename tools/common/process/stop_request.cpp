#include "common/process/stop_request.hpp"

#include <signal.h>

#include <initializer_list>

namespace commgauge::tools {

namespace {

volatile sig_atomic_t requested = 0;

#ifndef COMMGAUGE_SMPI
void note_request(int) { request_stop(); }
#endif

}  // namespace

void accept_stop_requests() {
#ifndef COMMGAUGE_SMPI
  struct sigaction action {};
  action.sa_handler = note_request;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGXCPU, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    const bool is_nohup = signal == SIGHUP && before.sa_handler == SIG_IGN;
    if (!is_nohup) sigaction(signal, &action, nullptr);
  }
  // A reader that is gone is an error of the write, not the end of a measurement.
  ::signal(SIGPIPE, SIG_IGN);
#endif
}

void request_stop() { requested = 1; }

bool stop_requested() { return requested != 0; }

}  // namespace commgauge::tools
