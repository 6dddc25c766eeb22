#include "measuring/watchdog.hpp"

#ifdef COMMGAUGE_SMPI

namespace commgauge::tools {

void start_watchdog(MPI_Comm) {}
void pause_watchdog() {}
void resume_watchdog() {}
void limit_the_rest(int, ExitCode, bool) {}
void believe_announcements_after(int) {}
StallWatch::StallWatch() {}
StallWatch::~StallWatch() {}
void limit_stalls(Seconds) {}

}  // namespace commgauge::tools

#else

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "commgauge/bench/base/activity.hpp"
#include "common/output/report.hpp"
#include "common/process/stop_request.hpp"

namespace commgauge::tools {

namespace {

/// Where a process lives: its number means something only within its machine and namespace.
struct Process {
  std::array<char, MPI_MAX_PROCESSOR_NAME> machine;
  std::array<char, 64> pid_namespace;
  pid_t pid;
};

struct Neighbour {
  int rank;
  pid_t pid;
};

/// What the signal handlers work on: filled in before they are armed.
struct State {
  std::vector<Neighbour> neighbours;  ///< by rank, this process among them
  int rank{};
  volatile sig_atomic_t watching{};
  volatile sig_atomic_t death_announced{};
  int ticks{};
  int ticks_since_death{};
  int ticks_since_announcement{};
  volatile sig_atomic_t patience{};
  volatile sig_atomic_t seconds_left{};
  ExitCode code{};
  bool speaks{};
  int launcher_fd{-1};  ///< PMI-1 connection, or −1
  volatile sig_atomic_t measuring{};
  volatile sig_atomic_t stall_limit{};  ///< [s]; 0: none
  int ticks_of_stall{};
  std::uint64_t steps{};  ///< of the last tick
};
State state;

/// A line of text put together within a signal handler: async-signal-safe.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const auto count = std::min(text.size(), text_.size() - length_);
    std::copy_n(text.data(), count, text_.data() + length_);
    length_ += count;
    return *this;
  }
  Line& operator<<(int number) {
    char digits[12];
    char* first = digits + sizeof digits;
    char* const last = first;
    do {
      *--first = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return *this << std::string_view{first, static_cast<std::size_t>(last - first)};
  }
  [[nodiscard]] const char* c_str() {
    text_[std::min(length_, text_.size() - 1)] = '\0';
    return text_.data();
  }
  void write() const {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_.data(), length_);
  }

 private:
  std::array<char, 512> text_{};
  std::size_t length_{};
};

/// A process that has ended stays there, as a zombie, until its launcher takes note of it.
bool is_zombie(pid_t pid) {
  Line path;
  path << "/proc/" << pid << "/stat";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 128> text{};
  const auto length = read(fd, text.data(), text.size());
  close(fd);
  const std::string_view stat{text.data(), static_cast<std::size_t>(std::max<long>(length, 0))};
  const auto name_end = stat.rfind(')');
  return name_end != stat.npos && stat.substr(name_end).starts_with(") Z");
}

/// Zombies cost more to find, so they are looked for now and then.
bool is_alive(pid_t pid, bool thoroughly) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return false;
  return !thoroughly || !is_zombie(pid);
}

void say_who_is_gone(const Neighbour* gone) {
  Line line;
  line << program_name << ": ";
  if (gone != nullptr) {
    line << "rank " << gone->rank << " is gone";
  } else {
    line << "a rank on another machine is gone, as SIGUSR1 from the launcher says";
  }
  line << " (killed or crashed): no file is half-written, start again\n";
  line.write();
}

/// One look, each second. A process counts as dead when several looks in a row miss it: one that
/// ended well is missed as well, but then the whole job is over before the next look. The ranks
/// that see a death stay a second longer than it takes to report it, lest one's own end be reported
/// as the death. A death that is only announced (SIGUSR1) may be a batch system's warning instead:
/// it is believed if the job, which the signal also asks to stop, doesn't stop in time.
void look_around() {
  const Neighbour* gone = nullptr;
  const Neighbour* lowest = nullptr;
  constexpr int ticks_between_thorough_looks = 5;
  state.ticks = (state.ticks + 1) % ticks_between_thorough_looks;
  constexpr int ticks_until_sure = 2;
  const bool thoroughly = state.ticks == 0 || state.death_announced || state.ticks_since_death > 0;
  for (const Neighbour& neighbour : state.neighbours) {
    if (is_alive(neighbour.pid, thoroughly)) {
      if (lowest == nullptr) lowest = &neighbour;
    } else if (gone == nullptr) {
      gone = &neighbour;
    }
  }
  state.ticks_since_death = gone != nullptr ? state.ticks_since_death + 1 : 0;
  state.ticks_since_announcement = state.death_announced ? state.ticks_since_announcement + 1 : 0;
  const int since_sure = std::max(state.ticks_since_death - ticks_until_sure,
                                  state.ticks_since_announcement - state.patience);
  const bool speaks =
      gone != nullptr ? lowest != nullptr && lowest->rank == state.rank : state.rank == 0;
  if (since_sure == 0 && speaks) say_who_is_gone(gone);
  if (since_sure > 0) _exit(static_cast<int>(ExitCode::mpi_failed));
}

void say_that_mpi_hangs() {
  Line line;
  line << program_name
       << ": MPI_Finalize does not return (a known fault of some MPI libraries): all work is "
          "done, leaving without it\n";
  line.write();
}

/// MPICH's launcher takes a rank that ends without this message for crashed, and kills the others.
/// It fails itself if its answer, which may come after other messages, isn't read.
void tell_launcher_of_the_end(int connection) {
  constexpr std::string_view message = "cmd=finalize\n";
  if (send(connection, message.data(), message.size(), MSG_NOSIGNAL) < 0) return;
  constexpr int limit_ms = 1000;
  constexpr int most_messages = 10;
  for (int k = 0; k < most_messages; ++k) {
    pollfd waiting{connection, POLLIN, 0};
    std::array<char, 1024> text{};
    if (poll(&waiting, 1, limit_ms) <= 0) return;
    const auto length = read(connection, text.data(), text.size());
    if (length <= 0) return;
    const std::string_view answer{text.data(), static_cast<std::size_t>(length)};
    if (answer.find("finalize_ack") != answer.npos) return;
  }
}

/// First stands still for a second. Every rank does, so that none enters the launcher's barrier
/// after another has left it, which the launcher does not survive. After a failure the others are
/// to be killed.
[[noreturn]] void leave_without_mpi() {
  timespec rest{1, 0};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
  const bool failed = state.code == ExitCode::mpi_failed;
  if (state.launcher_fd >= 0 && !failed) tell_launcher_of_the_end(state.launcher_fd);
  _exit(static_cast<int>(state.code));
}

void count_down() {
  state.seconds_left = state.seconds_left - 1;
  if (state.seconds_left > 0) return;
  if (state.speaks) say_that_mpi_hangs();
  leave_without_mpi();
}

/// Ranks that stand still in an experiment judge. Between two one waits for the longest that others
/// are in: rank 0 judges that after ten times as long.
int patience_in(const bench::Activity& activity) {
  constexpr int never = 1 << 30;
  if (activity.is_asleep) return never;
  if (*activity.experiment != '\0') return 1;
  return state.rank == 0 ? 10 : never;
}

void say_what_stands_still(const bench::Activity& activity, bool ends) {
  Line line;
  line << program_name << ": rank " << state.rank << ": nothing has been done for "
       << state.ticks_of_stall << " s (";
  if (*activity.experiment != '\0') {
    line << "it waits in a " << activity.experiment;
  } else {
    line << "it waits for other ranks between two experiments";
  }
  line << "): see whether those hosts and their links are up; ";
  if (!ends) {
    line << (state.stall_limit > 0 ? "--stall-limit will end the job\n"
                                   : "--stall-limit ends such a job\n");
  } else if (activity.is_kept) {
    line << "that is the --stall-limit: what was measured is kept, go on with --resume\n";
  } else {
    line << "that is the --stall-limit: nothing is kept, start again\n";
  }
  line.write();
}

/// The launcher ends the other ranks, wherever they are: this one leaves as if it had crashed,
/// after others had time to say where they stand.
[[noreturn]] void end_stall(const bench::Activity& activity) {
  state.watching = 0;  // the next tick may come in another thread
  timespec rest{1, 0};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
  _exit(static_cast<int>(activity.is_kept ? ExitCode::not_precise : ExitCode::mpi_failed));
}

/// One look, each second.
void look_for_stall() {
  const bench::Activity activity = bench::activity();
  const bool goes_on = activity.steps != state.steps;
  state.steps = activity.steps;
  state.ticks_of_stall = goes_on ? 0 : state.ticks_of_stall + 1;
  const int patience = patience_in(activity);
  constexpr int between_lines = 60;
  const bool ends = state.stall_limit > 0 && state.ticks_of_stall / patience >= state.stall_limit;
  const bool is_told =
      state.ticks_of_stall / patience >= between_lines && state.ticks_of_stall % between_lines == 0;
  if (ends || is_told) say_what_stands_still(activity, ends);
  if (ends) end_stall(activity);
}

void tick(int) {
  const int saved = errno;
  if (state.seconds_left > 0) {
    count_down();
  } else if (state.watching) {
    look_around();
    if (state.measuring) look_for_stall();
  }
  errno = saved;
}

void note_announcement(int) {
  request_stop();
  state.death_announced = 1;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

Process this_process() {
  Process self{};
  int length = 0;
  MPI_Get_processor_name(self.machine.data(), &length);
  [[maybe_unused]] const auto read =
      readlink("/proc/self/ns/pid", self.pid_namespace.data(), self.pid_namespace.size() - 1);
  self.pid = getpid();
  return self;
}

std::vector<Neighbour> find_neighbours(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const Process self = this_process();
  std::vector<Process> all(static_cast<std::size_t>(size));
  MPI_Allgather(&self, sizeof self, MPI_BYTE, all.data(), sizeof self, MPI_BYTE, comm);
  std::vector<Neighbour> neighbours;
  for (int rank = 0; rank < size; ++rank) {
    const Process& other = all[static_cast<std::size_t>(rank)];
    if (other.machine == self.machine && other.pid_namespace == self.pid_namespace) {
      neighbours.push_back({rank, other.pid});
    }
  }
  return neighbours;
}

void start_ticking() {
  handle(SIGALRM, tick);
  const itimerval every_second{{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &every_second, nullptr);
}

}  // namespace

void start_watchdog(MPI_Comm comm) {
  state.neighbours = find_neighbours(comm);
  MPI_Comm_rank(comm, &state.rank);
  if (const char* fd = std::getenv("PMI_FD")) state.launcher_fd = std::atoi(fd);
  handle(SIGUSR1, note_announcement);
  resume_watchdog();
  start_ticking();
}

StallWatch::StallWatch() {
  state.ticks_of_stall = 0;
  state.measuring = 1;
}

StallWatch::~StallWatch() { state.measuring = 0; }

void limit_stalls(Seconds limit) {
  state.stall_limit = std::max(1, static_cast<int>(std::min(limit.value, 1e9)));
}

void pause_watchdog() { state.watching = 0; }

void believe_announcements_after(int seconds) {
  state.patience = seconds;
  state.death_announced = 0;
}

void resume_watchdog() { state.watching = 1; }

void limit_the_rest(int seconds, ExitCode code, bool speaks) {
  state.code = code;
  state.speaks = speaks;
  state.watching = 0;
  state.seconds_left = seconds;
  start_ticking();
}

}  // namespace commgauge::tools

#endif
