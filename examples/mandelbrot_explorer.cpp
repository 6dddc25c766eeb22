// Explores the Mandelbrot set with masters that hand out tasks of some points each, and workers
// that ask for them (after Mizutani, Ino, Hagihara 2003). In three variations: one master; several,
// each with its own share of points and workers; dynamic, where a master whose workers wait too
// long makes one of them a master of almost half of its workers, and of their share of its points,
// until these are done.
//
//   mpiexec -n 8 mandelbrot-explorer --masters one|several|dynamic [--number 2] [--side 256]
//                                    [--task 64] [--cost SECONDS] [--result 4] [--serve SECONDS]
//                                    [--iteration SECONDS] [--wait SECONDS] [--yields 0]
//   mandelbrot-explorer --tasks FILE --times FILE [--side 256] [--cost SECONDS]
//                                    [--iteration SECONDS]
//
// With --cost a point is not computed: its worker sleeps that long, and with --iteration that long
// for each of its iterations, so that the time does not depend on the processor. --result is how
// many bytes a worker sends back for a point, --serve how long a master is busy with each request
// (it sleeps). --yields 1 is for more ranks than processors: ranks that wait let others go on.
// Prints the time, a sum by which all variations can be compared, and how often a master made
// another.
//
// With --tasks one process runs the points that are in a file of lines row,column (from 1 on, below
// a header), and writes row,column,time_s,result_bytes: for `estimate-model tasks run`.

#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct Options {
  std::string masters{"one"};
  int number{2};        ///< of masters, if several
  int side{256};        ///< of the square image [points]
  int task{64};         ///< [points]
  double wait{250e-6};  ///< of a worker for a task, that makes a dynamic master split [s]
  double cost{-1};      ///< of a point [s]; below 0: it is computed
  double iteration{};   ///< more of a point for each of its iterations [s]
  double serve{};       ///< what a master does for each request [s]
  int result{4};        ///< of a point [bytes], in whole ints
  bool yields{};        ///< while it waits for a message
  std::string tasks;    ///< file of points to run; empty: all, with masters and workers
  std::string times;    ///< file of their times
  [[nodiscard]] bool computes() const { return cost < 0 && iteration <= 0; }
};

/// A master's answer. Points of the image are numbered row by row.
struct Answer {
  int first;  ///< first point; or whom to ask from now on
  int count;  ///< number of points, or one of:
};
constexpr int stop = 0;
constexpr int ask_another = -1;
constexpr int become_master = -2;

/// What a worker sends with its request, followed by the results of its points.
struct Request {
  int first;
  float waited;  ///< for this task [s]
};

constexpr int tag = 1;

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--masters") options.masters = argv[i + 1];
    if (name == "--number") options.number = std::atoi(argv[i + 1]);
    if (name == "--side") options.side = std::atoi(argv[i + 1]);
    if (name == "--task") options.task = std::atoi(argv[i + 1]);
    if (name == "--wait") options.wait = std::atof(argv[i + 1]);
    if (name == "--cost") options.cost = std::atof(argv[i + 1]);
    if (name == "--iteration") options.iteration = std::atof(argv[i + 1]);
    if (name == "--tasks") options.tasks = argv[i + 1];
    if (name == "--times") options.times = argv[i + 1];
    if (name == "--serve") options.serve = std::atof(argv[i + 1]);
    if (name == "--result") options.result = std::atoi(argv[i + 1]);
    if (name == "--yields") options.yields = std::atoi(argv[i + 1]) != 0;
  }
  return options;
}

bool is_valid(const Options& o, int ranks) {
  const bool known = o.masters == "one" || o.masters == "several" || o.masters == "dynamic";
  int least = o.masters == "several" ? 2 * o.number : 2;
  if (!o.tasks.empty()) least = 1;
  return known && o.tasks.empty() == o.times.empty() && ranks >= least && o.side > 0 &&
         o.side <= 46340 && o.task > 0 && o.number > 0 && o.result > 0 &&
         o.result % static_cast<int>(sizeof(int)) == 0;
}

int iterations(int point, int side) {
  constexpr int most = 255;
  const std::complex<double> c(-2.0 + 2.5 * (point % side) / side,
                               -1.25 + 2.5 * (point / side) / side);
  std::complex<double> z;
  int count = 0;
  while (count < most && std::norm(z) < 4) {
    z = z * z + c;
    ++count;
  }
  return count;
}

/// Of points that are slept [s].
double stated_cost(const Options& options, int first, int count) {
  double cost = std::max(options.cost, 0.0) * count;
  for (int i = 0; i < count && options.iteration > 0; ++i) {
    cost += options.iteration * iterations(first + i, options.side);
  }
  return cost;
}

/// Sleeps as long as stated, on the average: what a sleep is too long the next is shorter.
class Sleeper {
 public:
  void sleep_for(double seconds) {
    owed_ += seconds;
    if (owed_ <= 0) return;
    const double start = MPI_Wtime();
    const auto whole = static_cast<time_t>(owed_);
    const timespec pause{whole, static_cast<long>((owed_ - static_cast<double>(whole)) * 1e9)};
    nanosleep(&pause, nullptr);
    owed_ -= MPI_Wtime() - start;
  }

 private:
  double owed_{};  ///< [s]
};

class Explorer {
 public:
  explicit Explorer(const Options& options) : options_{options} {
    MPI_Comm_rank(MPI_COMM_WORLD, &own_);
  }

  /// Of all points, and how often a master made another.
  [[nodiscard]] std::array<long long, 2> results() const { return {sum_, splits_}; }

  /// Hands out points [first, end) until all workers have been sent away.
  /// @param parent  whom they ask next; −1: they stop
  void be_master(int first, int end, std::vector<int> workers, int parent) {
    std::vector<int> promised(static_cast<std::size_t>(ranks()), -1);
    Waiting waiting;
    for (auto left = workers.size(); left > 0;) {
      const int worker = take_result(waiting);
      sleeper_.sleep_for(options_.serve);
      int& other = promised[static_cast<std::size_t>(worker)];
      if (other >= 0) {
        answer(worker, {other, ask_another});
        other = -1;
      } else if (first >= end) {
        answer(worker, parent < 0 ? Answer{0, stop} : Answer{parent, ask_another});
        --left;
      } else if (may_split(end - first, static_cast<int>(workers.size()), waiting)) {
        end = split(first, end, worker, workers, promised);
        waiting = {};
      } else {
        const int count = std::min(options_.task, end - first);
        answer(worker, {first, count});
        first += count;
      }
    }
  }

  void be_worker(int master) {
    std::vector<int> values;
    Request request{};
    for (;;) {
      const double start = MPI_Wtime();
      const Answer task = ask(master, request, values);
      request.waited = static_cast<float>(MPI_Wtime() - start);
      request.first = task.first;
      values.clear();
      if (task.count == stop) return;
      if (task.count == ask_another) {
        master = task.first;
      } else if (task.count == become_master) {
        rule_for(master);
      } else {
        values = explore(task);
      }
    }
  }

 private:
  struct Waiting {
    double sum{};
    int tasks{};
  };

  /// Of a point's result.
  [[nodiscard]] int ints() const { return options_.result / static_cast<int>(sizeof(int)); }

  static int ranks() {
    int number = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    return number;
  }

  static void answer(int worker, const Answer& what) {
    MPI_Send(&what, sizeof what, MPI_BYTE, worker, tag, MPI_COMM_WORLD);
  }

  void receive(void* data, int count, MPI_Datatype type, int from, MPI_Status* status) const {
    if (!options_.yields) {
      MPI_Recv(data, count, type, from, tag, MPI_COMM_WORLD, status);
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(data, count, type, from, tag, MPI_COMM_WORLD, &request);
    for (;;) {
      int is_over = 0;
      MPI_Test(&request, &is_over, status);
      if (is_over != 0) return;
      sched_yield();
    }
  }

  /// @return who asks for more
  int take_result(Waiting& waiting) {
    std::vector<int> message(static_cast<std::size_t>(options_.task * ints()) + 2);
    MPI_Status status;
    receive(message.data(), static_cast<int>(message.size()), MPI_INT, MPI_ANY_SOURCE, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    sum_ = std::accumulate(message.begin() + 2, message.begin() + count, sum_);
    if (count > 2) {
      Request request{};
      std::copy_n(reinterpret_cast<const char*>(message.data()), sizeof request,
                  reinterpret_cast<char*>(&request));
      waiting.sum += request.waited;
      ++waiting.tasks;
    }
    return status.MPI_SOURCE;
  }

  [[nodiscard]] Answer ask(int master, const Request& request,
                           const std::vector<int>& values) const {
    std::vector<int> message(values.size() + 2);
    std::copy_n(reinterpret_cast<const char*>(&request), sizeof request,
                reinterpret_cast<char*>(message.data()));
    std::copy(values.begin(), values.end(), message.begin() + 2);
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_INT, master, tag,
             MPI_COMM_WORLD);
    Answer task{};
    receive(&task, sizeof task, MPI_BYTE, master, MPI_STATUS_IGNORE);
    return task;
  }

  [[nodiscard]] std::vector<int> explore(const Answer& task) {
    std::vector<int> values(static_cast<std::size_t>(task.count * ints()));
    if (!options_.computes()) {
      sleeper_.sleep_for(stated_cost(options_, task.first, task.count));
    }
    for (int i = 0; i < task.count; ++i) {
      values[static_cast<std::size_t>(i * ints())] =
          options_.computes() ? iterations(task.first + i, options_.side) : 1;
    }
    return values;
  }

  /// Where workers wait too long, on the average.
  [[nodiscard]] bool may_split(int points, int workers, const Waiting& waiting) const {
    if (options_.masters != "dynamic" || workers < 4 || waiting.tasks < 4 * workers) return false;
    return points > 4 * workers * options_.task && waiting.sum / waiting.tasks > options_.wait;
  }

  /// @return where this master's own points end now
  int split(int first, int end, int chosen, std::vector<int>& workers, std::vector<int>& promised) {
    std::vector<int> others;
    for (const int worker : workers) {
      const bool is_free = worker != chosen && promised[static_cast<std::size_t>(worker)] < 0;
      if (is_free && others.size() < workers.size() / 2 - 1) others.push_back(worker);
    }
    const auto theirs = static_cast<long long>(end - first) * static_cast<long long>(others.size());
    const int middle = end - static_cast<int>(theirs / static_cast<long long>(workers.size() - 1));
    ++splits_;
    answer(chosen, {0, become_master});
    std::vector<int> message{middle, end};
    message.insert(message.end(), others.begin(), others.end());
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_INT, chosen, tag,
             MPI_COMM_WORLD);
    for (const int worker : others) promised[static_cast<std::size_t>(worker)] = chosen;
    return middle;
  }

  void rule_for(int parent) {
    std::vector<int> message(static_cast<std::size_t>(ranks()) + 2);
    MPI_Status status;
    receive(message.data(), static_cast<int>(message.size()), MPI_INT, parent, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    be_master(message[0], message[1], {message.begin() + 2, message.begin() + count}, parent);
  }

  Options options_;
  int own_{};
  long long sum_{};
  int splits_{};
  Sleeper sleeper_;
};

/// Master m of n has the m-th part of the points and of the ranks, and is the first of these.
void explore(Explorer& explorer, const Options& options, int rank, int ranks) {
  const int masters = options.masters == "several" ? options.number : 1;
  const int points = options.side * options.side;
  const auto share = [&](int whole, int master) {
    return static_cast<int>(static_cast<long long>(whole) * master / masters);
  };
  int master = 0;
  while (share(ranks, master + 1) <= rank) ++master;
  const int first_rank = share(ranks, master);
  if (rank != first_rank) {
    explorer.be_worker(first_rank);
    return;
  }
  std::vector<int> workers(static_cast<std::size_t>(share(ranks, master + 1) - first_rank - 1));
  std::iota(workers.begin(), workers.end(), first_rank + 1);
  explorer.be_master(share(points, master), share(points, master + 1), workers, -1);
}

/// This thread's [s]: what others take of the processor isn't the task's.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A point computed so often [s].
double time_of_some(const Options& options, int point, int times) {
  volatile int again = point;  // each time anew
  volatile int sum = 0;
  const double start = processor_time();
  for (int i = 0; i < times; ++i) sum = sum + iterations(again, options.side);
  return processor_time() - start;
}

/// What a point takes [s]: the least of three, each so often that the clock can tell.
double time_of_computing(const Options& options, int point) {
  constexpr double least = 20e-6;
  int times = 1;
  double time = time_of_some(options, point, times);
  while (time < least) time = time_of_some(options, point, times *= 2);
  for (int i = 0; i < 2; ++i) time = std::min(time, time_of_some(options, point, times));
  return time / times;
}

double time_of(const Options& options, int point, Sleeper& sleeper) {
  if (options.computes()) return time_of_computing(options, point);
  const double start = MPI_Wtime();
  sleeper.sleep_for(stated_cost(options, point, 1));
  return MPI_Wtime() - start;
}

/// @return whether all of the file could be run
bool run_tasks(const Options& options) {
  std::ifstream tasks(options.tasks);
  std::ofstream times(options.times);
  std::string header;
  if (!std::getline(tasks, header) || !times) return false;
  times.precision(12);
  times << header << ",time_s,result_bytes\n";
  Sleeper sleeper;
  int row = 0;
  int column = 0;
  char comma = 0;
  while (tasks >> row) {
    if (!(tasks >> comma >> column) || row < 1 || row > options.side || column < 1 ||
        column > options.side)
      return false;
    const int point = (row - 1) * options.side + column - 1;
    times << row << ',' << column << ',' << time_of(options, point, sleeper) << ','
          << options.result << '\n';
  }
  return tasks.eof() && times.flush().good();
}

/// MPI opens them at the first message, which takes long.
void open_connections(int ranks) {
  std::vector<int> out(static_cast<std::size_t>(ranks));
  std::vector<int> in(out.size());
  for (int i = 0; i < 3; ++i) {
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Options options = read_options(argc, argv);
  if (!is_valid(options, ranks)) {
    if (rank == 0) {
      std::fprintf(stderr,
                   "mandelbrot-explorer: an option is wrong (two ranks for each master, numbers "
                   "above zero): see the top of its source\n");
    }
    MPI_Finalize();
    return 2;
  }
  prctl(PR_SET_TIMERSLACK, 1);  // a stated cost is slept as stated
  if (!options.tasks.empty()) {
    const bool is_done = rank != 0 || run_tasks(options);
    if (!is_done)
      std::fprintf(stderr,
                   "mandelbrot-explorer: --tasks or --times: not a list of points, or no room\n");
    MPI_Finalize();
    return is_done ? 0 : 2;
  }
  Explorer explorer(options);
  open_connections(ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  explore(explorer, options, rank, ranks);
  const auto own = explorer.results();
  std::array<long long, 2> all{};
  MPI_Reduce(own.data(), all.data(), 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("time_s %.9f sum %lld splits %lld\n", MPI_Wtime() - start, all[0], all[1]);
  }
  MPI_Finalize();
}
