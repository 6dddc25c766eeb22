// A run of masters and workers with 1 048 576 tasks: by a heap of requests, on the virtual machine,
// and by a sorted list of events as in Mizutani, Ino and Hagihara (2003).
//
//   benchmark-tasks [TASKS]
//
// Prints for each number of processes seconds of the processor's time, and how often as much the
// others take. The times that are predicted are the same by the first two. The list knows one
// worker's time between two requests alone, no ports and no order of messages: it is a peer in cost
// only.

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/tasks/master_worker.hpp"

namespace {

using namespace commgauge;
using tasks::Work;

simulate::Machine uniform_machine(int ranks) {
  Model model;
  model.ranks = 2;
  model.launches.emplace_back();
  for (int i = 0; i < 2; ++i) {
    model.launches.front().ranks.push_back({"h" + std::to_string(i), {0}});
  }
  Fitted<AdditiveParameters> fitted;
  fitted.value.C.assign(2, 8e-6);
  fitted.value.t.assign(2, 1e-9);
  fitted.value.L = Matrix(2, 30e-6);
  fitted.value.inverse_beta = Matrix(2, 8e-9);
  fitted.low = fitted.high = fitted.value;
  model.lmo = fitted;
  return simulate::machine_of(extended(model, ranks, 1), "lmo");
}

/// Mandelbrot tasks of a square, 1 820 s in all, as the paper's.
Work mandelbrot(int tasks) {
  int side = 1;
  while (side * side < tasks) ++side;
  Work work;
  double sum = 0;
  for (int i = 0; i < tasks; ++i) {
    const std::complex<double> c(-2 + 2.5 * (i % side) / side, -1.25 + 2.5 * (i / side) / side);
    std::complex<double> z;
    int count = 0;
    while (count < 255 && std::norm(z) < 4) {
      z = z * z + c;
      ++count;
    }
    work.times_s.push_back(count);
    sum += count;
  }
  for (double& time : work.times_s) time *= 1820 / sum;
  return work;
}

/// Requests in the order of time, each put where it belongs by shifting those behind it.
double by_sorted_list(const Work& work, int ranks) {
  constexpr double at_master = 16e-6;
  constexpr double round_trip = 92e-6;
  std::vector<double> events(static_cast<std::size_t>(ranks - 1), 0.0);  // the last is the first
  double clock = 0;
  for (const double time : work.times_s) {
    clock = std::max(clock, events.back()) + at_master;
    events.pop_back();
    const double next = clock + round_trip + time;
    events.insert(std::ranges::lower_bound(events, next, std::greater{}), next);
  }
  return events.front();
}

double processor_seconds(const std::function<double()>& run, double& result) {
  const std::clock_t start = std::clock();
  result = run();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void compare(const Work& work, int ranks) {
  const simulate::Machine machine = uniform_machine(ranks);
  double heap = 0;
  double whole = 0;
  double list = 0;
  const double by_heap =
      processor_seconds([&] { return tasks::run_quickly(machine, work, {}).time; }, heap);
  const double by_whole = processor_seconds(
      [&] { return tasks::run_on_virtual_machine(machine, work, {}).time; }, whole);
  const double by_list = processor_seconds([&] { return by_sorted_list(work, ranks); }, list);
  std::printf("%6d %10.2f %9.3f s %9.1f x %9.2f x%s\n", ranks, heap, by_heap, by_whole / by_heap,
              by_list / by_heap, heap == whole ? "" : "  NOT THE SAME TIME");
}

}  // namespace

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? std::atoi(argv[1]) : 1048576;
  const Work work = mandelbrot(tasks);
  std::printf("%d tasks\n%6s %12s %9s %13s %13s\n", tasks, "ranks", "predicted, s", "heap",
              "virtual mach.", "sorted list");
  for (const int ranks : {8, 16, 32, 64, 128, 256, 512, 1024}) compare(work, ranks);
  const std::clock_t start = std::clock();
  double sum = 0;
  for (int ranks = 8; ranks <= 128; ranks += 8) {
    sum += tasks::run_quickly(uniform_machine(ranks), work, {}).time;
  }
  std::printf("16 values of P from 8 to 128: %.2f s (predicted in all: %.0f s)\n",
              static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, sum);
}
