// How many threads the process has: one of them is recorded.

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>

#include "c_library.hpp"
#include "session.hpp"

namespace commgauge::record {

namespace {

std::atomic<int> at_first{0};  ///< 0: they aren't counted yet
std::atomic<int> most{0};

int threads_now() {
  std::error_code ignored;
  const std::filesystem::directory_iterator tasks("/proc/self/task", ignored);
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

void note_threads() {
  if (at_first == 0) return;
  const int now = threads_now();
  for (int before = most; before < now && !most.compare_exchange_weak(before, now);) continue;
}

}  // namespace

void begin_to_count_threads() {
  at_first = threads_now();
  note_threads();
}

int most_threads() {
  note_threads();
  return 1 + std::max(0, most - at_first);
}

}  // namespace commgauge::record

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) noexcept {
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const real = commgauge::preload::next<Create>("pthread_create");
  const int code = real(thread, attributes, work, argument);
  if (code == 0) commgauge::record::note_threads();
  return code;
}
