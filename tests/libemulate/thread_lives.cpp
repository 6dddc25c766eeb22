// Threads that live longer than MPI does: from before MPI_Init to after MPI_Finalize.
//
//   emulated-thread-lives          checks; also without the emulation
//   emulated-thread-lives times    prints, for each rank, when it had its answers

#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Does work that others ask for; never calls MPI.
class Helper {
 public:
  ~Helper() {
    tell(true, ends_);
    thread_.join();
  }

  /// @return what it had been asked for so far
  int ask() {
    tell(true, is_asked_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !is_asked_; });
    return answers_;
  }

 private:
  void tell(bool value, bool& what) {
    const std::lock_guard lock(mutex_);
    what = value;
    changed_.notify_all();
  }

  void work() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_asked_ || ends_; });
        if (ends_) return;
        ++answers_;
      }
      usleep(5000);
      volatile double x = 1;
      for (int i = 0; i < 10'000'000; ++i) x = x * 1.0000001;
      tell(false, is_asked_);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_asked_{};
  bool ends_{};
  int answers_{};
  std::thread thread_{[this] { work(); }};
};

/// Threads that wait for the end of the program.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void start(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_{};
  std::vector<std::thread> threads_;
};

/// Sleeps again and again.
class Pulse {
 public:
  ~Pulse() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_{};
  std::thread thread_{[this] {
    while (!ends_) usleep(1000);
  }};
};

Pool pool;

/// Asks from another thread, too. @return whether the helper has answered each time
bool ask(Helper& helper, bool tells) {
  bool is_right = helper.ask() == 2;
  std::thread other([&] { is_right = helper.ask() == 3 && is_right; });
  other.join();
  if (!tells) return is_right;
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  std::printf("%d answers %.9f\n", own, MPI_Wtime());
  std::fflush(stdout);
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  Helper helper;
  const Pulse pulse;
  bool is_right = helper.ask() == 1;
  std::thread([] {}).join();
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  is_right = level == MPI_THREAD_MULTIPLE && is_right;
  pool.start(3);
  is_right = ask(helper, argc > 1 && std::string{argv[1]} == "times") && is_right;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  // Over what is free by now.
  const std::vector<std::vector<char>> all(1000, std::vector<char>(100, '\xee'));
  is_right = helper.ask() == 4 && is_right;
  if (!is_right) std::fprintf(stderr, "WRONG: threads that outlive MPI\n");
  return is_right && all.back().front() == '\xee' ? 0 : 1;
}
