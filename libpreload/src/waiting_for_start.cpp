#include "waiting_for_start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "c_library.hpp"
#include "commgauge/base/exit_code.hpp"
#include "end.hpp"

namespace commgauge::preload {

namespace {

/// What MPICH's launcher tells a process, by environment.
constexpr const char* rank_variable = "PMI_RANK";
constexpr const char* ranks_here_variable = "MPI_LOCALNRANKS";

std::string process_file(pid_t process, const char* name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// As it was when its program started. Nothing: it has none, or has ended.
std::optional<int> rank_of(pid_t process) {
  const std::string all = std::string(1, '\0') + process_file(process, "environ");
  const std::string wanted = std::string(1, '\0') + rank_variable + "=";
  const auto found = all.find(wanted);
  if (found == std::string::npos) return std::nullopt;
  return std::atoi(all.c_str() + found + wanted.size());
}

pid_t parent_of(pid_t process) {
  // The name in the second field may have spaces and parentheses.
  const std::string text = process_file(process, "stat");
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

/// The nearest process above this one that is no rank's. 0: can't be seen
pid_t launcher() {
  pid_t process = getppid();
  while (process > 1 && rank_of(process)) process = parent_of(process);
  return process > 1 ? process : 0;
}

/// Of this host, that haven't ended, in rising order.
std::vector<int> living_ranks(pid_t launcher) {
  const std::string number = std::to_string(launcher);
  std::istringstream children(process_file(launcher, ("task/" + number + "/children").c_str()));
  std::vector<int> ranks;
  for (pid_t child = 0; children >> child;) {
    if (const auto rank = rank_of(child)) ranks.push_back(*rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

/// @param number  of ranks that have ended
[[noreturn]] void end_job(int number, bool speaks) {
  if (speaks) {
    library().say(
        (number == 1 ? std::string{"a rank has"} : std::to_string(number) + " ranks have") +
        " ended without a call of MPI_Init (the others wait for it there): start a "
        "program of MPI on each rank, and see why it ended");
    wait_until_read(STDERR_FILENO);
  } else {
    pause({1, 0});
  }
  for (;;) syscall(SYS_exit_group, static_cast<int>(ExitCode::bad_input));
}

struct Watcher {
  std::array<int, 2> end{-1, -1};
  pthread_t thread{};
};

/// @return whether that was in time
bool ends_within(const Watcher& watcher, int milliseconds) {
  pollfd end{watcher.end[0], POLLIN, 0};
  return poll(&end, 1, milliseconds) != 0;
}

void* watch(void* given) {
  constexpr int first = 3000;  // [ms]
  constexpr int again = 1000;
  const Watcher& watcher = *static_cast<Watcher*>(given);
  const int started = std::atoi(std::getenv(ranks_here_variable));
  int seen = 0;
  for (int wait = first; !ends_within(watcher, wait); wait = again) {
    const pid_t above = launcher();
    const std::vector<int> living = living_ranks(above);
    const int ended = started - static_cast<int>(living.size());
    if (above == 0 || living.empty() || ended <= 0) continue;
    // Twice, for a process has no environment while it becomes another program.
    if (seen++ > 0) end_job(ended, living.front() == std::atoi(std::getenv(rank_variable)));
  }
  return nullptr;
}

}  // namespace

WaitingForStart::WaitingForStart() {
  if (std::getenv(rank_variable) == nullptr || std::getenv(ranks_here_variable) == nullptr) return;
  auto watcher = std::make_unique<Watcher>();
  if (pipe2(watcher->end.data(), O_CLOEXEC) != 0) return;
  // Past whoever follows the program's threads.
  const auto create = next<decltype(pthread_create)>("pthread_create");
  if (create(&watcher->thread, nullptr, watch, watcher.get()) == 0) watcher_ = watcher.release();
}

WaitingForStart::~WaitingForStart() {
  if (watcher_ == nullptr) return;
  const std::unique_ptr<Watcher> watcher(static_cast<Watcher*>(watcher_));
  close(watcher->end[1]);
  next<decltype(pthread_join)>("pthread_join")(watcher->thread, nullptr);
  close(watcher->end[0]);
}

}  // namespace commgauge::preload
