// Several threads of a rank that call MPI: data, statuses, and with an argument virtual times.
//
//   emulated-threads           checks what the standard says; also without the emulation
//   emulated-threads times     prints, for each rank and thread, when it was done
//   emulated-threads waits     prints how long each way to wait for another thread took
//   emulated-threads compute   prints what each thread computes [s of CPU], and what all take
//   emulated-threads compute-before-waits   prints what it computes [s of CPU]
//   emulated-threads costs-of-calls  prints what calls cost, as shares of reading the clock
//   emulated-threads deadlock  a thread waits for what never comes
//   emulated-threads windows   checks accesses of several threads, of which MPICH 4.0.2 loses some

#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

int own = 0;
int ranks = 0;
std::atomic<int> failures{0};

void check(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "rank %d of %d: WRONG: %s\n", own, ranks, what);
}

int next() { return (own + 1) % ranks; }
int before() { return (own - 1 + ranks) % ranks; }

template <class Work>
void in_threads(int count, Work&& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

/// Each thread has a tag of its own.
void tags() {
  in_threads(4, [](int t) {
    for (int turn = 0; turn < 20; ++turn) {
      int out = 1000 * own + 10 * t + turn;
      int in = -1;
      MPI_Status status;
      MPI_Sendrecv(&out, 1, MPI_INT, next(), t, &in, 1, MPI_INT, before(), t, MPI_COMM_WORLD,
                   &status);
      check(in == 1000 * before() + 10 * t + turn && status.MPI_TAG == t, "a thread's tag");
    }
  });
}

/// Each has a communicator of its own, with collective operations at once.
void communicators() {
  constexpr int count = 3;
  std::vector<MPI_Comm> comms(count);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  in_threads(count, [&](int t) {
    MPI_Comm comm = comms[static_cast<std::size_t>(t)];
    for (int turn = 0; turn < 10; ++turn) {
      int mine = own + t;
      int sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
      check(sum == ranks * (ranks - 1) / 2 + ranks * t, "Allreduce of a thread");
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(&mine, 1, MPI_INT, turn % ranks, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      check(mine == turn % ranks + t, "Ibcast of a thread");
      MPI_Barrier(comm);
    }
    MPI_Comm further = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &further);
    int mine = 1;
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, further);
    check(sum == ranks, "a communicator that a thread has made");
    MPI_Comm_free(&further);
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Each makes communicators of the same ranks, those with an odd number and the others, at once.
void two_groups() {
  if (ranks < 2) return;
  constexpr int count = 4;
  std::vector<MPI_Comm> comms(count);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  in_threads(count, [&](int t) {
    MPI_Comm comm = comms[static_cast<std::size_t>(t)];
    for (int turn = 0; turn < 3; ++turn) {
      MPI_Comm half = MPI_COMM_NULL;
      MPI_Comm both = MPI_COMM_NULL;
      MPI_Comm merged = MPI_COMM_NULL;
      MPI_Comm_split(comm, own % 2, own, &half);
      MPI_Intercomm_create(half, 0, comm, 1 - own % 2, 7, &both);
      MPI_Intercomm_merge(both, own % 2, &merged);
      int mine = 1 + t;
      int sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, merged);
      check(sum == ranks * (1 + t), "groups that a thread has brought together");
      for (MPI_Comm* made : {&merged, &both, &half}) MPI_Comm_free(made);
    }
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// What a thread makes of a communicator of its own, and what it does with it.
struct Maker {
  MPI_Comm comm;
  int number;
  std::minstd_rand random;

  int up_to(int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); }

  void use(MPI_Comm made) {
    int size = 0;
    MPI_Comm_size(made, &size);
    std::vector<char> data(static_cast<std::size_t>(up_to(2000)));
    const int root = up_to(1000) % size;
    MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, root, made);
    int mine = 1 + number;
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, made);
    check(sum == size * (1 + number), "a communicator that threads have made at once");
    MPI_Comm_free(&made);
  }

  void make_of_group(bool by_members_only) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_group(comm, &group);
    if (by_members_only) {
      MPI_Comm_create_group(comm, group, number, &made);
    } else {
      MPI_Comm_create(comm, group, &made);
    }
    MPI_Group_free(&group);
    use(made);
  }

  void make_of_halves() {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(comm, own % 2, own, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - own % 2, 5 + number, &inter);
    MPI_Intercomm_merge(inter, own % 2, &made);
    MPI_Comm_free(&inter);
    use(half);
    use(made);
  }

  void make_window() {
    std::vector<char> there(2000);
    std::vector<char> here(there.size(), static_cast<char>(1 + number));
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(there.data(), static_cast<MPI_Aint>(there.size()), 1, MPI_INFO_NULL, comm,
                   &window);
    const int bytes = 1 + up_to(static_cast<int>(there.size()) - 1);
    MPI_Win_fence(0, window);
    MPI_Put(here.data(), bytes, MPI_CHAR, next(), 0, bytes, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    check(there.front() == here.front(), "a window that threads have made at once");
  }

  void make(int what) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    switch (what) {
      case 0:
        MPI_Comm_dup(comm, &made);
        return use(made);
      case 1:
        MPI_Comm_split(comm, own % 2, own, &made);
        return use(made);
      case 2:
        MPI_Comm_idup(comm, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return use(made);
      case 3:
        return make_of_group(true);
      case 4:
        return make_of_group(false);
      case 5:
        return make_window();
      default:
        return make_of_halves();
    }
  }
};

/// Each thread makes communicators and windows of the same ranks, of other kinds at the same time.
/// All of a number do the same, by the same random numbers.
void makers() {
  if (ranks < 2) return;
  constexpr int count = 4;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::vector<MPI_Comm> comms(count);
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    in_threads(count, [&](int t) {
      Maker maker{comms[static_cast<std::size_t>(t)], t,
                  std::minstd_rand{77 * seed + static_cast<unsigned>(t)}};
      for (int turn = 0; turn < 4; ++turn) {
        maker.make(maker.up_to(6));
        usleep(static_cast<useconds_t>(10 * ((3 * turn + 7 * t + 5 * own) % 11)));
      }
    });
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  }
}

/// Started by one, waited for by another.
void requests_of_others() {
  int in = -1;
  int out = own;
  int mine = own;
  int sum = 0;
  MPI_Request requests[3];
  MPI_Irecv(&in, 1, MPI_INT, before(), 30, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, next(), 30, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
  std::thread waiter([&] { MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); });
  waiter.join();
  check(in == before() && sum == ranks * (ranks - 1) / 2, "a request waited for by another thread");
}

/// Threads take whatever comes, by probes.
void probes() {
  constexpr int count = 3;
  constexpr int each = 5;
  std::atomic<int> sum{0};
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<int> values(count * each);
  std::iota(values.begin(), values.end(), 0);
  std::vector<MPI_Request> requests(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    MPI_Isend(&values[i], 1, MPI_INT, next(), 40, MPI_COMM_WORLD, &requests[i]);
  }
  in_threads(count, [&](int) {
    for (int i = 0; i < each; ++i) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &message, &status);
      int value = 0;
      MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
      check(status.MPI_SOURCE == before(), "what a thread's probe found");
      sum += value;
    }
  });
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  check(sum == count * each * (count * each - 1) / 2, "each message once");
}

/// A thread that talks to others hands work to workers, which never call MPI.
void workers() {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> work;
  std::vector<int> done;
  bool ends = false;
  const auto worker = [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return ends || !work.empty(); });
      if (work.empty()) return;
      const int one = work.back();
      work.pop_back();
      done.push_back(2 * one);
      changed.notify_all();
    }
  };
  std::thread first(worker);
  std::thread second(worker);
  for (int i = 0; i < 10; ++i) {
    int value = -1;
    MPI_Sendrecv(&i, 1, MPI_INT, next(), 50, &value, 1, MPI_INT, before(), 50, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    const std::lock_guard lock(mutex);
    work.push_back(value);
    changed.notify_all();
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done.size() == 10; });
    ends = true;
    changed.notify_all();
  }
  first.join();
  second.join();
  check(std::accumulate(done.begin(), done.end(), 0) == 90, "workers");
}

/// All ways in which threads wait for each other.
void waiting_outside() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::shared_mutex shared;
  std::atomic<int> value{0};
  std::promise<int> promised;
  std::future<int> future = promised.get_future();
  in_threads(3, [&](int t) {
    if (t == 0) {
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, before(), 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value = in;
      sem_post(&semaphore);
    } else if (t == 1) {
      sem_wait(&semaphore);
      check(value == before(), "a semaphore");
      promised.set_value(value);
    } else {
      MPI_Send(&own, 1, MPI_INT, next(), 60, MPI_COMM_WORLD);
      check(future.get() == before(), "a future");
    }
    pthread_barrier_wait(&barrier);
    {
      const std::unique_lock lock(shared);
      value = value + 1;
    }
    pthread_barrier_wait(&barrier);
    const std::shared_lock lock(shared);
    check(value == before() + 3, "a lock for reading and writing");
  });
  sem_destroy(&semaphore);
  pthread_barrier_destroy(&barrier);
}

timespec in_20_ms(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  time.tv_nsec += 20'000'000;
  if (time.tv_nsec < 1'000'000'000) return time;
  return {time.tv_sec + 1, time.tv_nsec - 1'000'000'000};
}

/// @param wait  (deadline) → what it says, ETIMEDOUT
template <class Wait>
void takes_20_ms(const char* what, clockid_t clock, Wait&& wait) {
  const timespec end = in_20_ms(clock);
  const double start = MPI_Wtime();
  check(wait(end) == ETIMEDOUT && MPI_Wtime() - start > 19e-3, what);
}

/// Waits that have an end in time, on each clock, of what another thread has meanwhile.
void deadlines() {
  usleep(300'000);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  std::promise<void> are_taken;
  std::promise<void> may_go;
  std::thread owner([&] {
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    are_taken.set_value();
    may_go.get_future().wait();
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
  });
  are_taken.get_future().wait();
  pthread_mutex_t own_mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&own_mutex);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const auto as_code = [](int result) { return result == 0 ? 0 : errno; };
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, clock);
    pthread_cond_t condition;
    pthread_cond_init(&condition, &attributes);
    takes_20_ms("pthread_cond_timedwait", clock, [&](const timespec& end) {
      return pthread_cond_timedwait(&condition, &own_mutex, &end);
    });
    pthread_cond_destroy(&condition);
    pthread_condattr_destroy(&attributes);
    takes_20_ms("pthread_mutex_clocklock", clock,
                [&](const timespec& end) { return pthread_mutex_clocklock(&mutex, clock, &end); });
    takes_20_ms("pthread_rwlock_clockrdlock", clock, [&](const timespec& end) {
      return pthread_rwlock_clockrdlock(&lock, clock, &end);
    });
    takes_20_ms("pthread_rwlock_clockwrlock", clock, [&](const timespec& end) {
      return pthread_rwlock_clockwrlock(&lock, clock, &end);
    });
    takes_20_ms("sem_clockwait", clock, [&](const timespec& end) {
      return as_code(sem_clockwait(&semaphore, clock, &end));
    });
    takes_20_ms("pthread_clockjoin_np", clock, [&](const timespec& end) {
      return pthread_clockjoin_np(owner.native_handle(), nullptr, clock, &end);
    });
  }
  takes_20_ms("pthread_mutex_timedlock", CLOCK_REALTIME,
              [&](const timespec& end) { return pthread_mutex_timedlock(&mutex, &end); });
  takes_20_ms("pthread_rwlock_timedrdlock", CLOCK_REALTIME,
              [&](const timespec& end) { return pthread_rwlock_timedrdlock(&lock, &end); });
  takes_20_ms("pthread_rwlock_timedwrlock", CLOCK_REALTIME,
              [&](const timespec& end) { return pthread_rwlock_timedwrlock(&lock, &end); });
  takes_20_ms("sem_timedwait", CLOCK_REALTIME,
              [&](const timespec& end) { return as_code(sem_timedwait(&semaphore, &end)); });
  takes_20_ms("pthread_timedjoin_np", CLOCK_REALTIME, [&](const timespec& end) {
    return pthread_timedjoin_np(owner.native_handle(), nullptr, &end);
  });
  takes_20_ms("std::condition_variable::wait_for", CLOCK_REALTIME, [&](const timespec&) {
    std::mutex other;
    std::unique_lock held(other);
    std::condition_variable never;
    return never.wait_for(held, std::chrono::milliseconds(20)) == std::cv_status::timeout
               ? ETIMEDOUT
               : 0;
  });
  may_go.set_value();
  owner.join();
  pthread_mutex_unlock(&own_mutex);
  sem_destroy(&semaphore);
}

/// C11's threads, mutexes and conditions.
void c11() {
  struct Shared {
    mtx_t mutex;
    cnd_t changed;
    bool is_ready;
    std::atomic<bool> has_tried;
  } shared{};
  mtx_init(&shared.mutex, mtx_timed);
  cnd_init(&shared.changed);
  mtx_lock(&shared.mutex);
  thrd_t thread{};
  const auto work = [](void* argument) -> int {
    auto& seen = *static_cast<Shared*>(argument);
    const timespec soon = in_20_ms(CLOCK_REALTIME);
    check(mtx_trylock(&seen.mutex) == thrd_busy, "a C11 mutex of another");
    check(mtx_timedlock(&seen.mutex, &soon) == thrd_timedout, "a C11 mutex, in vain");
    seen.has_tried = true;
    mtx_lock(&seen.mutex);
    const timespec pause{0, 10'000'000};
    const double start = MPI_Wtime();
    check(thrd_sleep(&pause, nullptr) == 0 && MPI_Wtime() - start > 9e-3, "thrd_sleep");
    seen.is_ready = true;
    cnd_signal(&seen.changed);
    mtx_unlock(&seen.mutex);
    thrd_exit(7);
  };
  check(thrd_create(&thread, work, &shared) == thrd_success, "a C11 thread");
  cnd_t never{};
  cnd_init(&never);
  while (!shared.has_tried) poll(nullptr, 0, 1);
  while (!shared.is_ready) cnd_wait(&shared.changed, &shared.mutex);
  const timespec soon = in_20_ms(CLOCK_REALTIME);
  check(cnd_timedwait(&never, &shared.mutex, &soon) == thrd_timedout, "a C11 condition, in vain");
  mtx_unlock(&shared.mutex);
  int result = 0;
  check(thrd_join(thread, &result) == thrd_success && result == 7, "a C11 thread's result");
  cnd_destroy(&never);
  cnd_destroy(&shared.changed);
  mtx_destroy(&shared.mutex);
  timespec c11_time{};
  timespec posix_time{};
  check(timespec_get(&c11_time, TIME_UTC) == TIME_UTC, "timespec_get");
  clock_gettime(CLOCK_REALTIME, &posix_time);
  check(posix_time.tv_sec - c11_time.tv_sec < 5, "C11's clock is POSIX's");
}

/// Who would wait for itself is told so.
void itself() {
  std::thread([] {}).join();
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  for (const int kind : {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE}) {
    pthread_mutex_t mutex;
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&mutex, &attributes);
    const bool is_checked = kind == PTHREAD_MUTEX_ERRORCHECK;
    check(pthread_mutex_lock(&mutex) == 0, "a mutex");
    check(pthread_mutex_lock(&mutex) == (is_checked ? EDEADLK : 0), "a mutex locked twice");
    std::thread([&] {
      check(pthread_mutex_trylock(&mutex) == EBUSY, "a mutex of another");
      check(pthread_mutex_unlock(&mutex) == EPERM, "a mutex of another, unlocked");
    }).join();
    check(pthread_mutex_unlock(&mutex) == 0, "a mutex unlocked");
    check(pthread_mutex_unlock(&mutex) == (is_checked ? EPERM : 0), "a mutex unlocked twice");
    pthread_mutex_destroy(&mutex);
  }
  pthread_mutexattr_destroy(&attributes);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock);
  check(pthread_rwlock_wrlock(&lock) == EDEADLK, "a lock for writing, taken twice");
  check(pthread_rwlock_rdlock(&lock) == EDEADLK, "a lock for reading that one writes under");
  pthread_rwlock_unlock(&lock);
  std::thread([] {
    check(pthread_join(pthread_self(), nullptr) == EDEADLK, "a thread joined by itself");
  }).join();
}

/// One says that a generalised request is over, for which another waits.
void generalised() {
  const auto start = [](MPI_Request* request) {
    MPI_Grequest_start(
        [](void*, MPI_Status* status) {
          MPI_Status_set_elements(status, MPI_INT, 3);
          MPI_Status_set_cancelled(status, 0);
          return MPI_SUCCESS;
        },
        [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr,
        request);
  };
  const auto completing = [](MPI_Request request) {
    return std::thread([request] {
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, before(), 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(in == before(), "what comes before a generalised request is over");
      MPI_Grequest_complete(request);
    });
  };
  MPI_Request alone = MPI_REQUEST_NULL;
  start(&alone);
  std::thread first = completing(alone);
  MPI_Send(&own, 1, MPI_INT, next(), 80, MPI_COMM_WORLD);
  MPI_Status status;
  MPI_Wait(&alone, &status);
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  check(alone == MPI_REQUEST_NULL && count == 3, "a generalised request of another thread");
  first.join();

  // A message that others send only when it is over.
  int in = -1;
  MPI_Request both[2];
  MPI_Irecv(&in, 1, MPI_INT, before(), 81, MPI_COMM_WORLD, &both[0]);
  start(&both[1]);
  std::thread second = completing(both[1]);
  MPI_Send(&own, 1, MPI_INT, next(), 80, MPI_COMM_WORLD);
  int which = -1;
  MPI_Waitany(2, both, &which, MPI_STATUS_IGNORE);
  check(which == 1, "Waitany finds the generalised request");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&own, 1, MPI_INT, next(), 81, MPI_COMM_WORLD);
  MPI_Wait(&both[0], MPI_STATUS_IGNORE);
  check(in == before(), "a message beside a generalised request");
  second.join();
}

/// They access one window at once, and wait for their accesses, of which each flush finds others'.
void windows() {
  constexpr int count = 3;
  constexpr int each = 10;
  int* counters = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(2 * count * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   static_cast<void*>(&counters), &window);
  std::fill_n(counters, 2 * count, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  in_threads(count, [&](int t) {
    const int one = 1;
    for (int i = 0; i < each; ++i) {
      int was = -1;
      MPI_Fetch_and_op(&one, &was, MPI_INT, next(), t, MPI_SUM, window);
      const int so_far = i + 1;
      MPI_Put(&so_far, 1, MPI_INT, before(), count + t, 1, MPI_INT, window);
      MPI_Win_flush(before(), window);
      MPI_Win_flush(next(), window);
      check(was == i, "what a thread fetches");
      if (i % 3 == 0) MPI_Win_flush_all(window);
    }
    int there = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rget(&there, 1, MPI_INT, next(), t, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(there == each, "what a thread gets");
  });
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2 * count; ++i) check(counters[i] == each, "each thread's accesses");
  MPI_Win_free(&window);
}

/// One takes part in collective operations of a file, another one writes to another file, others
/// exchange messages.
void files() {
  const std::string name = "threads-" + std::to_string(ranks);
  const std::string other = name + "-" + std::to_string(own);
  constexpr int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_File whole = MPI_FILE_NULL;
  MPI_File part = MPI_FILE_NULL;
  const bool is_open =
      MPI_File_open(comm, name.c_str(), mode, MPI_INFO_NULL, &whole) == MPI_SUCCESS &&
      MPI_File_open(MPI_COMM_SELF, other.c_str(), mode, MPI_INFO_NULL, &part) == MPI_SUCCESS;
  check(is_open, "files of threads");
  in_threads(4, [&](int t) {
    for (int turn = 0; turn < 5; ++turn) {
      const MPI_Offset place = 4 * turn;
      int out = 100 * own + turn;
      int in = -1;
      if (t == 0) {
        MPI_File_write_at_all(whole, 20 * own + place, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at_all(whole, 20 * own + place, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
        check(in == out, "a file of all");
      } else if (t == 1) {
        MPI_File_write_at(part, place, &out, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_read_at(part, place, &in, 1, MPI_INT, MPI_STATUS_IGNORE);
        check(in == out, "a file of one");
      } else {
        MPI_Sendrecv(&out, 1, MPI_INT, next(), 90 + t, &in, 1, MPI_INT, before(), 90 + t,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in == 100 * before() + turn, "a message beside files");
      }
    }
  });
  MPI_File_close(&part);
  MPI_File_close(&whole);
  MPI_Comm_free(&comm);
}

/// Each makes a partition ready.
void partitions() {
#if MPI_VERSION >= 4
  constexpr int count = 4;
  std::vector<int> out(count);
  std::vector<int> in(count, -1);
  MPI_Request requests[2];
  MPI_Psend_init(out.data(), count, 1, MPI_INT, next(), 95, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in.data(), count, 1, MPI_INT, before(), 95, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Startall(2, requests);
    in_threads(count, [&](int t) {
      out[static_cast<std::size_t>(t)] = 100 * own + 10 * t + turn;
      MPI_Pready(t, requests[0]);
    });
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int t = 0; t < count; ++t) {
      check(in[static_cast<std::size_t>(t)] == 100 * before() + 10 * t + turn,
            "a thread's partition");
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#endif
}

void who_is_who() {
  int level = -1;
  MPI_Query_thread(&level);
  check(level == MPI_THREAD_MULTIPLE, "Query_thread");
  int is_main = 0;
  MPI_Is_thread_main(&is_main);
  check(is_main != 0, "Is_thread_main");
  in_threads(2, [](int) {
    int is = 1;
    MPI_Is_thread_main(&is);
    check(is == 0, "Is_thread_main of another");
  });
}

/// With stated times: each thread computes for so long, in parallel, and sends. One waits for
/// another.
void print_times() {
  std::vector<double> ends(5);
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  in_threads(4, [&](int t) {
    usleep(static_cast<useconds_t>(1000 * (t + 1)));
    std::vector<char> data(t == 3 ? 100000 : 1000);
    if (t == 2) {
      // Behind another thread's message.
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return is_ready; });
    } else {
      MPI_Sendrecv_replace(data.data(), static_cast<int>(data.size()), MPI_CHAR, next(), t,
                           before(), t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (t == 3) {
      const std::lock_guard lock(mutex);
      is_ready = true;
      changed.notify_one();
    }
    ends[static_cast<std::size_t>(t)] = MPI_Wtime();
  });
  ends[4] = MPI_Wtime();
  for (int r = 0; r < ranks; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (r != own) continue;
    for (std::size_t t = 0; t < ends.size(); ++t) {
      std::printf("%d %zu %.12f\n", own, t, ends[t]);
    }
    std::fflush(stdout);
  }
}

/// @param wait  returns when another thread, 5 ms of virtual time later, has called `let_go`
template <class Wait, class LetGo>
void print_wait(const char* name, Wait&& wait, LetGo&& let_go) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  std::thread other([&] {
    poll(nullptr, 0, 50);  // in real time: the other waits by then
    usleep(5000);
    let_go();
  });
  wait();
  const double end = MPI_Wtime();
  other.join();
  std::printf("%d %s %.9f\n", own, name, end - start);
}

/// Of a lock whose memory was another's, which a thread had 5 ms later.
void print_new_lock() {
  pthread_rwlock_t lock;
  pthread_rwlock_init(&lock, nullptr);
  std::atomic<bool> is_new{false};
  std::thread other([&] {
    usleep(5000);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_init(&lock, nullptr);
    is_new = true;
  });
  usleep(1000);  // past the other's turn
  while (!is_new) poll(nullptr, 0, 1);
  const double start = MPI_Wtime();
  pthread_rwlock_rdlock(&lock);
  std::printf("%d new-lock %.9f\n", own, MPI_Wtime() - start);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_destroy(&lock);
  other.join();
}

/// Of waits that aren't the C library's.
void print_waits() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  print_wait(
      "future", [&] { future.wait(); }, [&] { promise.set_value(1); });
  std::atomic<int> word{0};
  const auto change = [](auto& value) {
    value = 1;
    value.notify_one();
  };
  print_wait(
      "atomic", [&] { word.wait(0); }, [&] { change(word); });
  std::atomic<char> character{0};
  print_wait(
      "character", [&] { character.wait(0); }, [&] { change(character); });
  std::latch latch(1);
  print_wait(
      "latch", [&] { latch.wait(); }, [&] { latch.count_down(); });
  static mtx_t mutex;
  static cnd_t changed;
  static bool is_ready = false;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  const auto wait = [] {
    mtx_lock(&mutex);
    while (!is_ready) cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
  };
  const auto let_go = [] {
    mtx_lock(&mutex);
    is_ready = true;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
  };
  print_wait("c11", wait, let_go);
  std::packaged_task<int()> task([] { return 1; });
  std::future<int> of_task = task.get_future();
  print_wait(
      "task", [&] { of_task.get(); }, [&] { task(); });
  std::promise<void> late;
  std::future<void> of_late = late.get_future();
  print_wait(
      "in-time", [&] { of_late.wait_for(std::chrono::milliseconds(5)); }, [] {});
  print_new_lock();
  std::fflush(stdout);
}

/// Others that wait for what comes from outside of the process, if anything does.
void helpers() {
  int pipe_ends[2];
  check(pipe(pipe_ends) == 0, "a pipe");
  const int events = epoll_create1(0);
  std::thread([=] {
    char text = 0;
    (void)!read(pipe_ends[0], &text, 1);
  }).detach();
  std::thread([] { pause(); }).detach();
  std::thread([=] {
    epoll_event event{};
    epoll_wait(events, &event, 1, -1);
  }).detach();
  tags();
}

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec);
}

void compute() {
  const double cpu = cpu_seconds();
  const double start = MPI_Wtime();
  in_threads(4, [](int) {
    volatile double x = 1;
    for (int i = 0; i < 50'000'000; ++i) x = x * 1.0000001;
  });
  const double end = MPI_Wtime();
  std::printf("%.6f %.6f\n", (cpu_seconds() - cpu) / 4, end - start);
}

double thread_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Computes before each way to wait, where it has to wait for another, and where it comes last. The
/// other doesn't compute, and takes its time.
void compute_before_waits() {
  const auto compute_for = [](double seconds) {
    const double start = thread_cpu_seconds();
    while (thread_cpu_seconds() - start < seconds) continue;
  };
  const auto start = thread_cpu_seconds();
  std::timed_mutex mutex;
  std::promise<void> never;
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  const auto soon = [] {
    timespec end{};
    clock_gettime(CLOCK_REALTIME, &end);
    ++end.tv_sec;
    return end;
  };
  std::thread other([&] {
    mutex.lock();
    pthread_barrier_wait(&barrier);  // the other comes later
    poll(nullptr, 0, 200);
    mutex.unlock();
    pthread_barrier_wait(&barrier);
    poll(nullptr, 0, 200);
    pthread_barrier_wait(&barrier);  // the other has come before
    sem_post(&semaphore);
    poll(nullptr, 0, 200);
  });
  constexpr double piece = 0.02;
  compute_for(piece);
  pthread_barrier_wait(&barrier);
  compute_for(piece);
  if (mutex.try_lock_for(std::chrono::milliseconds(1))) mutex.unlock();
  compute_for(piece);
  mutex.lock();
  compute_for(piece);
  mutex.unlock();
  pthread_barrier_wait(&barrier);
  compute_for(piece);
  pthread_barrier_wait(&barrier);
  compute_for(piece);
  timespec end = soon();
  sem_timedwait(&semaphore, &end);
  compute_for(piece);
  timespec past{};
  sem_timedwait(&semaphore, &past);
  compute_for(piece);
  pthread_mutex_lock(&plain);
  pthread_cond_timedwait(&changed, &plain, &past);
  pthread_mutex_unlock(&plain);
  compute_for(piece);
  never.get_future().wait_for(std::chrono::milliseconds(1));
  compute_for(piece);
  other.join();
  compute_for(piece);
  std::printf("%.6f\n", thread_cpu_seconds() - start);
}

/// Least time of one call of many.
template <class Call>
double least_time(Call&& call) {
  constexpr int calls = 1000;
  double least = 1;
  for (int turn = 0; turn < 10; ++turn) {
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; ++i) call();
    least = std::min(least, (MPI_Wtime() - start) / calls);
  }
  return least;
}

/// What calls cost that have nothing to do, as shares of reading the thread's CPU clock.
void costs_of_calls() {
  std::thread([] {}).join();
  std::mutex mutex;
  const double reading = least_time([] {
    timespec now{};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  });
  const double barrier = least_time([] { MPI_Barrier(MPI_COMM_SELF); });
  const double lock = least_time([&] { const std::lock_guard held(mutex); }) / 2;
  std::printf("%.6f %.6f\n", barrier / reading, lock / reading);
}

void deadlock() {
  std::mutex mutex;
  std::unique_lock held(mutex);
  std::thread locked([&] { const std::lock_guard lock(mutex); });
  std::thread receiving([] {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, next(), 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  receiving.join();
  held.unlock();
  locked.join();
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level < MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "MPI gives only thread level %d\n", level);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "times") {
    print_times();
  } else if (what == "waits") {
    print_waits();
  } else if (what == "compute") {
    compute();
  } else if (what == "compute-before-waits") {
    compute_before_waits();
  } else if (what == "costs-of-calls") {
    costs_of_calls();
  } else if (what == "deadlock") {
    deadlock();
  } else if (what == "windows") {
    windows();
  } else {
    const std::pair<const char*, void (*)()> all[]{{"who", who_is_who},
                                                   {"tags", tags},
                                                   {"communicators", communicators},
                                                   {"groups", two_groups},
                                                   {"makers", makers},
                                                   {"requests", requests_of_others},
                                                   {"probes", probes},
                                                   {"workers", workers},
                                                   {"outside", waiting_outside},
                                                   {"deadlines", deadlines},
                                                   {"c11", c11},
                                                   {"itself", itself},
                                                   {"generalised", generalised},
                                                   {"partitions", partitions},
                                                   {"helpers", helpers},
                                                   {"files", files}};
    for (const auto& [name, test] : all) {
      if (what.empty() || what == name) test();
    }
  }
  int total = failures;
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
