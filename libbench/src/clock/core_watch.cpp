#include "clock/core_watch.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "clock/system_clock.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "messages/quiet.hpp"

namespace commgauge::bench {

namespace {

#ifdef COMMGAUGE_SMPI
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

enum Reason : int { none, other_clock, sleeping_waits };

/// The kernel's clock itself, also where a library that is loaded before the C library's, as
/// `emulate`'s, has a clock_gettime() of its own.
double read_past_library(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return seconds_of(now);
}

/// Voluntary context switches of this thread: those of waits that sleep; sched_yield() isn't
/// counted.
long voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

/// Names of machines may differ between containers that share cores.
std::uint64_t machine_number() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  if (text.empty()) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    text = name;
  }
  return std::hash<std::string>{}(text);
}

bool is_little(double drift_s, double elapsed_s) {
  constexpr double tolerance = 0.01;
  constexpr double slack = 50e-6;  // [s]
  return std::abs(drift_s) <= tolerance * elapsed_s + slack;
}

}  // namespace

/// Within 10 us of each other, unless the core is lost between the readings every time.
CoreWatch::Clocks CoreWatch::read_clocks() {
  constexpr int tries = 100;
  constexpr double at_once = 10e-6;  // [s]
  Clocks clocks{};
  for (int i = 0; i < tries; ++i) {
    clocks.kernels_wall_s = read_past_library(CLOCK_MONOTONIC);
    clocks.mpis_wall_s = Clock::now();
    clocks.kernels_cpu_s = read_past_library(CLOCK_THREAD_CPUTIME_ID);
    clocks.librarys_cpu_s = read(CLOCK_THREAD_CPUTIME_ID);
    if (read_past_library(CLOCK_MONOTONIC) - clocks.kernels_wall_s < at_once) break;
  }
  return clocks;
}

CoreWatch::CoreWatch() : machine_{machine_number()}, start_{read_clocks()} {}

void CoreWatch::open() {
  if (!watching()) return;
  core_ = sched_getcpu();
  cpu_s_ = read(CLOCK_THREAD_CPUTIME_ID);
  wall_s_ = read(CLOCK_MONOTONIC);
}

CoreUse CoreWatch::close() {
  if (!watching()) return {};
  const CoreUse before{wall_s_, cpu_s_, machine_, core_, 0};
  open();
  return {wall_s_ - before.wall_s, cpu_s_ - before.cpu_s, machine_, before.first_core, core_};
}

void CoreWatch::begin_batch() {
  if (state_ == State::learning) switches_ = voluntary_switches();
}

void CoreWatch::end_batch(long repetitions) {
  if (state_ != State::learning) return;
  learnt_switches_ += voluntary_switches() - switches_;
  learnt_repetitions_ += repetitions;
}

void CoreWatch::learn(const Communicator& comm) {
  if (state_ != State::learning) return;
  Reason reason = none;
  if (2 * learnt_switches_ > learnt_repetitions_) reason = sleeping_waits;
  const Clocks now = read_clocks();
  const double wall_s = now.kernels_wall_s - start_.kernels_wall_s;
  const bool wall_is_real = is_little(now.mpis_wall_s - start_.mpis_wall_s - wall_s, wall_s);
  const double cpu_s = now.kernels_cpu_s - start_.kernels_cpu_s;
  const bool cpu_is_real = is_little(now.librarys_cpu_s - start_.librarys_cpu_s - cpu_s, cpu_s);
  if (simulated || (!wall_is_real && cpu_is_real)) reason = other_clock;
  // An emulated machine gives each rank a core of its own, wherever the rank really runs.
  if (!cpu_is_real) machine_ = static_cast<std::uint64_t>(comm.rank());
  switch (static_cast<Reason>(agree_quietly(comm.get(), reason))) {
    case none:
      state_ = State::watching;
      return;
    case other_clock:
      why_not_ = "MPI's clock is not the one of the CPU (time is simulated)";
      break;
    case sleeping_waits:
      why_not_ = "MPI sleeps while it waits, so that a rank has no core to lose";
      break;
  }
  state_ = State::off;
}

StolenTime::StolenTime(std::vector<int> cores) : cores_{std::move(cores)}, start_{read()} {}

double StolenTime::share() const {
  const Reading now = read();
  const double all = now.all - start_.all;
  return all > 0 ? std::clamp((now.stolen - start_.stolen) / all, 0.0, 1.0) : 0;
}

// cpuN user nice system idle iowait irq softirq steal guest guest_nice (proc(5))
StolenTime::Reading StolenTime::read() const {
  constexpr int fields = 8;  // the last two, guests' time, are part of user's and nice's
  Reading sum;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (!name.starts_with("cpu")) break;
    const bool counts =
        std::ranges::any_of(cores_, [&](int core) { return name == "cpu" + std::to_string(core); });
    if (!counts) continue;
    double value = 0;
    for (int field = 0; field < fields && words >> value; ++field) {
      sum.all += value;
      if (field == fields - 1) sum.stolen += value;
    }
  }
  return sum;
}

}  // namespace commgauge::bench
