// Several threads of a rank that call MPI: data, statuses, and with an argument virtual times.
//
//   emulated-threads           checks what the standard says; also without the emulation
//   emulated-threads times     prints, for each rank and thread, when it was done
//   emulated-threads compute   prints what each thread computes [s of CPU], and what all take
//   emulated-threads deadlock  a thread waits for what never comes

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
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

/// With stated times: each thread computes for so long, in parallel, and sends. The last one waits
/// for a future, of which the emulation doesn't know who makes it ready.
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
  } else if (what == "compute") {
    compute();
  } else if (what == "deadlock") {
    deadlock();
  } else {
    const std::pair<const char*, void (*)()> all[]{{"who", who_is_who},
                                                   {"tags", tags},
                                                   {"communicators", communicators},
                                                   {"requests", requests_of_others},
                                                   {"probes", probes},
                                                   {"workers", workers},
                                                   {"outside", waiting_outside}};
    for (const auto& [name, test] : all) {
      if (what.empty() || what == name) test();
    }
  }
  int total = failures;
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
