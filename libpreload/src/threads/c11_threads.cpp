// C11's threads, which in the C library are those of pthreads by other names, past which it calls
// itself.

#include <pthread.h>
#include <threads.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <memory>

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

pthread_mutex_t* as_mutex(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* as_condition(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

int as_c11_result(int code) {
  switch (code) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
    case EAGAIN:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

struct C11Work {
  thrd_start_t start;
  void* argument;

  static void* run(void* work) {
    const std::unique_ptr<C11Work> own(static_cast<C11Work*>(work));
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(own->start(own->argument)));
  }
};

}  // namespace

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  auto work = std::make_unique<C11Work>(C11Work{start, argument});
  const int code = pthread_create(thread, nullptr, C11Work::run, work.get());
  if (code == 0) (void)work.release();
  return as_c11_result(code);
}
int thrd_join(thrd_t thread, int* result) {
  void* ended_with = nullptr;
  const int code = pthread_join(thread, &ended_with);
  if (code == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(ended_with));
  }
  return as_c11_result(code);
}
int thrd_sleep(const timespec* pause, timespec* left) {
  if (nanosleep(pause, left) == 0) return 0;
  return errno == EINTR ? -1 : -2;
}

int mtx_lock(mtx_t* mutex) { return as_c11_result(pthread_mutex_lock(as_mutex(mutex))); }
int mtx_trylock(mtx_t* mutex) { return as_c11_result(pthread_mutex_trylock(as_mutex(mutex))); }
int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict time) {
  return as_c11_result(pthread_mutex_timedlock(as_mutex(mutex), time));
}
int mtx_unlock(mtx_t* mutex) { return as_c11_result(pthread_mutex_unlock(as_mutex(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(as_mutex(mutex)); }

int cnd_init(cnd_t* condition) {
  return as_c11_result(pthread_cond_init(as_condition(condition), nullptr));
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(as_condition(condition)); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return as_c11_result(pthread_cond_wait(as_condition(condition), as_mutex(mutex)));
}
int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex,
                  const timespec* __restrict time) {
  return as_c11_result(pthread_cond_timedwait(as_condition(condition), as_mutex(mutex), time));
}
int cnd_signal(cnd_t* condition) {
  return as_c11_result(pthread_cond_signal(as_condition(condition)));
}
int cnd_broadcast(cnd_t* condition) {
  return as_c11_result(pthread_cond_broadcast(as_condition(condition)));
}

int timespec_get(timespec* now, int base) noexcept {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

}  // extern "C"
