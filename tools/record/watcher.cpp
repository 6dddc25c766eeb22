#include "record/watcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "common/output/report.hpp"
#include "lifetime/given_up.hpp"

namespace commgauge::tools {

namespace {

constexpr char under_way = 1;

/// @param process  an open process descriptor
void wait_for_end(int process) {
  pollfd end{process, POLLIN, 0};
  while (poll(&end, 1, -1) < 0) continue;
}

/// Open MPI's launcher ends with the last rank, and reads nothing that comes behind: this process
/// takes its standard error, if it may, and if that is its parent's.
void speak_past_the_launcher(int launcher) {
  if (std::getenv("OMPI_COMM_WORLD_RANK") == nullptr) return;
  const auto error = static_cast<int>(syscall(SYS_pidfd_getfd, launcher, STDERR_FILENO, 0));
  if (error >= 0) dup2(error, STDERR_FILENO);
}

[[noreturn]] void watch(int process, int file, const std::string& output) {
  setsid();  // the launcher of the job ends the groups that it started
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  wait_for_end(process);
  char mark = 0;
  if (pread(file, &mark, 1, 0) == 1 && mark == under_way && !preload::is_given_up(output)) {
    say("the program ended before MPI_Finalize (" + output +
        " is unfinished, and can't be read): let it come to that");
  }
  _exit(0);
}

}  // namespace

void watch_the_end(int file, const std::string& output) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  const auto launcher = static_cast<int>(syscall(SYS_pidfd_open, getppid(), 0));
  if (process < 0) return;
  // Twice, so that the program has no child that it doesn't know.
  const pid_t child = fork();
  if (child == 0) {
    speak_past_the_launcher(launcher);
    if (fork() == 0) watch(process, file, output);
    _exit(0);
  }
  close(process);
  close(launcher);
  if (child > 0) waitpid(child, nullptr, 0);
}

}  // namespace commgauge::tools
