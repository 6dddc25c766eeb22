// The clocks that a program may look at beside MPI_Wtime, and sleeping. By sleeping a program says
// how long something takes: virtual time goes on by that much, and nothing waits in real time.

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/emulation_variables.hpp"
#include "base/real_time.hpp"
#include "job/call.hpp"
#include "rank/session.hpp"
#include "rank/threads.hpp"
#include "system/c_library.hpp"
#include "threads/following.hpp"

using namespace commgauge::emulate;
namespace preload = commgauge::preload;
using preload::Next;
using preload::real_clock_gettime;

namespace {

/// What MPI itself and threads that aren't the program's ask for is real time: MPI's own time-outs
/// depend on it.
bool is_virtual() {
  static const bool follows_real_time = *variable::value_of(variable::real_time) != '\0';
  return threads::outside_of_mpi() != nullptr && !follows_real_time;
}
/// Whether the reading is the program's own. Those after MPI_Finalize are, too: a clock must not
/// jump back to real time then.
bool is_programs_clock() {
  return is_virtual() || (session().was_active && !is_active() && threads::is_of_program());
}

timespec later(const timespec& start, double seconds) {
  constexpr long second = 1'000'000'000;
  const auto whole = static_cast<time_t>(seconds);
  const long part = start.tv_nsec + static_cast<long>((seconds - static_cast<double>(whole)) * 1e9);
  return {start.tv_sec + whole + part / second, part % second};
}

/// CPU time of this rank's thread on the emulated machine [s].
double cpu_clock() {
  (void)MPI_Wtime();
  return emulator().use().got;
}

/// A clock as the program sees it: real until its first reading on the emulated machine, from there
/// on virtual time is added to that reading.
class VirtualClock {
 public:
  /// @param tell  virtual time [s] while MPI runs
  VirtualClock(clockid_t clock, double (*tell)()) : clock_{clock}, tell_{tell} {}

  /// After MPI_Finalize it goes on with real time, from where virtual time left it: never
  /// backwards.
  int read(timespec* now) {
    const threads::Inside here;
    if (const int code = real_clock_gettime(clock_, now); code != 0) return code;
    if (!is_active()) {
      *now = later(*now, ahead_);
      return 0;
    }
    const double virtual_now = tell_();
    threads::tell_of_clock();
    if (!is_started_) {
      is_started_ = true;
      start_ = *now;
      offset_ = virtual_now;
    }
    const timespec shown = later(start_, virtual_now - offset_);
    ahead_ = std::max(0.0, seconds_of(shown) - seconds_of(*now));
    *now = shown;
    return 0;
  }

 private:
  clockid_t clock_;
  double (*tell_)();
  bool is_started_{};
  timespec start_{};  ///< at the first reading on the emulated machine
  double offset_{};   ///< virtual time of that [s]
  double ahead_{};    ///< of the real clock at the last reading [s]
};

VirtualClock& realtime() {
  static VirtualClock clock(CLOCK_REALTIME, MPI_Wtime);
  return clock;
}
VirtualClock& monotonic() {
  static VirtualClock clock(CLOCK_MONOTONIC, MPI_Wtime);
  return clock;
}
VirtualClock& thread_cpu() {
  thread_local VirtualClock clock(CLOCK_THREAD_CPUTIME_ID, cpu_clock);
  return clock;
}

/// @return whether; else MPI has ended meanwhile
bool sleep_virtually(double seconds) {
  const threads::Inside here;
  Emulator* const own = threads::outside_of_mpi();
  if (own == nullptr) return false;
  own->enter("sleep");
  own->sleep(seconds);
  own->show_memory();
  own->leave();
  return true;
}

bool is_valid(const timespec* pause) {
  return pause != nullptr && pause->tv_sec >= 0 && pause->tv_nsec >= 0 &&
         pause->tv_nsec < 1'000'000'000;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
      return is_programs_clock() ? realtime().read(now) : real_clock_gettime(clock, now);
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return is_programs_clock() ? monotonic().read(now) : real_clock_gettime(clock, now);
    case CLOCK_THREAD_CPUTIME_ID:
      return is_programs_clock() ? thread_cpu().read(now) : real_clock_gettime(clock, now);
    default:
      return real_clock_gettime(clock, now);
  }
}

int gettimeofday(timeval* __restrict now, void* __restrict) noexcept {
  timespec time{};
  const int code = clock_gettime(CLOCK_REALTIME, &time);
  if (code == 0) *now = {time.tv_sec, time.tv_nsec / 1000};
  return code;
}

time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

/// RUSAGE_THREAD tells of the rank's processor on the emulated machine; others are this machine's.
int getrusage(__rusage_who_t who, rusage* use) noexcept {
  static constinit Next<int(__rusage_who_t, rusage*)> real("getrusage");
  const int code = real(who, use);
  if (code != 0 || who != RUSAGE_THREAD || !is_virtual()) return code;
  timespec cpu{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  use->ru_utime = {cpu.tv_sec, cpu.tv_nsec / 1000};
  use->ru_stime = {};
  use->ru_nvcsw = emulator().use().sleeps;
  use->ru_nivcsw = emulator().use().losses;
  return code;
}

int nanosleep(const timespec* pause, timespec* left) {
  if (is_virtual() && is_valid(pause) && sleep_virtually(seconds_of(*pause))) return 0;
  static constinit Next real(nanosleep, "nanosleep");
  return real(pause, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* pause, timespec* left) {
  static constinit Next real(clock_nanosleep, "clock_nanosleep");
  if (!is_valid(pause)) return real(clock, flags, pause, left);
  const bool is_deadline = (flags & TIMER_ABSTIME) != 0;
  const auto deadline = is_deadline ? preload::deadline_of(clock, *pause) : preload::Deadline{};
  const double seconds = is_deadline ? deadline.left : seconds_of(*pause);
  if (is_virtual() && sleep_virtually(seconds)) return 0;
  return real(clock, flags, is_deadline ? &deadline.real : pause, left);
}

int usleep(useconds_t microseconds) {
  const timespec pause{microseconds / 1'000'000, (microseconds % 1'000'000) * 1000L};
  return nanosleep(&pause, nullptr);
}

unsigned sleep(unsigned seconds) {
  timespec pause{seconds, 0};
  if (nanosleep(&pause, &pause) == 0) return 0;
  return static_cast<unsigned>(pause.tv_sec);
}

}  // extern "C"
