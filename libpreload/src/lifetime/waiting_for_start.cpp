#include "lifetime/waiting_for_start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "commgauge/base/exit_code.hpp"
#include "lifetime/end.hpp"
#include "system/c_library.hpp"

namespace commgauge::preload {

namespace {

std::string process_file(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Of a process, as the system tells it.
struct State {
  char letter{'X'};  ///< Z: it has ended, X: it is gone
  pid_t parent{};
};

State state_of(pid_t process) {
  // The name in the second field may have spaces and parentheses.
  const std::string text = process_file(process, "stat");
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  State state;
  fields >> state.letter >> state.parent;
  return state;
}

/// The process of MPICH's launcher that has started this host's ranks. 0: there is none
pid_t launcher() {
  pid_t process = getppid();
  while (process > 1 && process_file(process, "comm") != "hydra_pmi_proxy\n") {
    process = state_of(process).parent;
  }
  return process > 1 ? process : 0;
}

int living_children(pid_t parent) {
  std::istringstream children(process_file(parent, "task/" + std::to_string(parent) + "/children"));
  int living = 0;
  for (pid_t child = 0; children >> child;) {
    const char letter = state_of(child).letter;
    living += letter != 'Z' && letter != 'X' ? 1 : 0;
  }
  return living;
}

int number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? std::atoi(value) : 0;
}

[[noreturn]] void end_job(int ended) {
  library().say((ended == 1 ? std::string{"a rank"} : std::to_string(ended) + " ranks") +
                " ended before MPI_Init, and the others wait there: start a program of MPI on each "
                "rank, and see why it ended");
  wait_until_read(STDERR_FILENO);
  for (;;) syscall(SYS_exit_group, static_cast<int>(ExitCode::bad_input));
}

}  // namespace

struct WaitingForStart::Watcher {
  pid_t launcher{};
  int started{};    ///< ranks on this host
  int own_place{};  ///< among them
  std::array<int, 2> end{-1, -1};
  pthread_t thread{};

  /// @return whether that was in time
  [[nodiscard]] bool ends_within(int milliseconds) const {
    pollfd ending{end[0], POLLIN, 0};
    return poll(&ending, 1, milliseconds) > 0;
  }

  void watch() const {
    constexpr int first = 3000;  // [ms]
    constexpr int again = 1000;
    constexpr int apart = 100;
    for (int wait = first; !ends_within(wait); wait = again) {
      const int ended = started - living_children(launcher);
      // The first to say so ends the job: the others needn't.
      if (ended > 0 && !ends_within(apart * own_place)) end_job(ended);
    }
  }
};

WaitingForStart::WaitingForStart() {
  auto watcher = std::make_unique<Watcher>();
  watcher->launcher = launcher();
  watcher->started = number_in("MPI_LOCALNRANKS");
  watcher->own_place = number_in("MPI_LOCALRANKID");
  if (watcher->launcher == 0 || watcher->started == 0) return;
  if (pipe2(watcher->end.data(), O_CLOEXEC) != 0) return;
  // Signals are the program's. And past whoever follows its threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto work = [](void* given) -> void* {
    static_cast<const Watcher*>(given)->watch();
    return nullptr;
  };
  const auto create = next<decltype(pthread_create)>("pthread_create");
  if (create(&watcher->thread, nullptr, work, watcher.get()) == 0) watcher_ = std::move(watcher);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WaitingForStart::~WaitingForStart() {
  if (!watcher_) return;
  close(watcher_->end[1]);
  next<decltype(pthread_join)>("pthread_join")(watcher_->thread, nullptr);
  close(watcher_->end[0]);
}

}  // namespace commgauge::preload
