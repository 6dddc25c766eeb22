#include "base/system_waiting.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace commgauge::emulate {

namespace {

/// A call of the system's that a thread is in.
struct SystemCall {
  long number{-1};
  std::array<unsigned long, 5> arguments{};
};

/// Whether it waits for another thread to change a word, without an end in time.
bool waits_for_word(const SystemCall& call) {
  constexpr unsigned long commands = FUTEX_CMD_MASK;
  const unsigned long what = call.arguments[1] & commands;
  return call.number == SYS_futex && (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) &&
         call.arguments[3] == 0;
}

/// Whether it waits for something from outside of the process, or from a thread of it.
bool waits_for_outside(const SystemCall& call, Waits which) {
  const bool any = which == Waits::all;
  const auto is_endless = [&](std::size_t argument) {
    return any || static_cast<int>(call.arguments[argument]) == -1;
  };
  const auto has_no_end = [&](std::size_t argument) {
    return any || call.arguments[argument] == 0;
  };
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_flock:
    case SYS_msgrcv:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_wait4:
    case SYS_waitid:
      return true;
    case SYS_poll:
      return is_endless(2);
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return is_endless(3);
    case SYS_ppoll:
    case SYS_rt_sigtimedwait:
      return has_no_end(2);
    case SYS_epoll_pwait2:
      return has_no_end(3);
    case SYS_select:
    case SYS_pselect6:
      return has_no_end(4);
    default:
      return false;
  }
}

}  // namespace

bool waits_for_another(pid_t thread, Waits which) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/task/%d/syscall", thread);
  const int fd = open(name.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 256> text{};
  const ssize_t size = read(fd, text.data(), text.size() - 1);
  close(fd);
  SystemCall call;
  auto& a = call.arguments;
  if (size <= 0 || std::sscanf(text.data(), "%ld %lx %lx %lx %lx %lx", &call.number, &a[0], &a[1],
                               &a[2], &a[3], &a[4]) != 6) {
    return false;
  }
  return waits_for_word(call) || waits_for_outside(call, which);
}

}  // namespace commgauge::emulate
