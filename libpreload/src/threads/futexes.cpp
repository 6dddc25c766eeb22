// Words of memory that threads wait for by the system itself: a std::future, std::atomic's wait(),
// and what is made of these. Who finds the word changed doesn't wait, and isn't seen.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>

#include "system/c_library.hpp"
#include "threads/following.hpp"

using namespace commgauge::preload;
using threads::Following;
using threads::Wakes;

namespace {

/// As the system has them.
struct Call {
  threads::Called called;
  std::array<long, 6> arguments;

  [[nodiscard]] std::uint32_t* word() const {
    return reinterpret_cast<std::uint32_t*>(arguments[0]);
  }
  [[nodiscard]] int operation() const { return static_cast<int>(arguments[1]); }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(arguments[2]); }
  [[nodiscard]] const timespec* time() const {
    return reinterpret_cast<const timespec*>(arguments[3]);
  }
};

long pass(long number, const std::array<long, 6>& a) {
  return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
/// @return 0 or what errno says
int wait(const std::array<long, 6>& arguments) {
  return pass(SYS_futex, arguments) == 0 ? 0 : errno;
}

/// @return 0 or what errno says
int wait_for_change(const Call& call) {
  const Awaited change{call.word(), true};
  if (const Following own{call.called}) {
    if (std::atomic_ref(*call.word()).load(std::memory_order_acquire) != call.value()) {
      change.end(*own);
      return EAGAIN;
    }
    change.begin(*own);
    threads::sleep_on(*own, call.word());
  }
  const int code = wait(call.arguments);
  if (const Following own{call.called, threads::Before::sleeping}) change.end(*own);
  return code;
}

/// @return 0 or what errno says
int wait_for_change_until(const Call& call) {
  if (!threads::is_of_program(call.called.from)) return wait(call.arguments);
  const bool is_real = (call.operation() & FUTEX_CLOCK_REALTIME) != 0;
  const clockid_t clock = is_real ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  timespec end = *call.time();
  const bool is_length = (call.operation() & FUTEX_CMD_MASK) == FUTEX_WAIT;
  if (is_length) {
    constexpr long second = 1'000'000'000;
    timespec now{};
    clock_gettime(clock, &now);
    const long part = now.tv_nsec + end.tv_nsec;
    end = {now.tv_sec + end.tv_sec + part / second, part % second};
  }
  return wait_until(call.called, {call.word(), true}, clock, &end, [&](const timespec* real_end) {
    auto arguments = call.arguments;
    if (!is_length) arguments[3] = reinterpret_cast<long>(real_end);
    return wait(arguments);
  });
}

long wake(const Call& call, Wakes wakes) {
  long count = 0;
  let_go(call.called, call.word(), wakes, [&] {
    count = pass(SYS_futex, call.arguments);
    return 0;
  });
  return count;
}

long follow(const Call& call) {
  switch (call.operation() & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
      const int code = call.time() == nullptr ? wait_for_change(call) : wait_for_change_until(call);
      if (code == 0) return 0;
      errno = code;
      return -1;
    }
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return wake(call, call.value() == 1 ? Wakes::first : Wakes::all);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_WAKE_OP:
      return wake(call, Wakes::all);
    default:
      return pass(SYS_futex, call.arguments);
  }
}

}  // namespace

extern "C" long syscall(long number, ...) noexcept {
  Call call{{"futex", __builtin_return_address(0)}, {}};
  va_list all;
  va_start(all, number);
  for (long& argument : call.arguments) argument = va_arg(all, long);
  va_end(all);
  return number == SYS_futex ? follow(call) : pass(number, call.arguments);
}
