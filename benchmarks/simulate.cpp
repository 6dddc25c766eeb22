// What messages cost in one thread: a ring, a master with workers, an all-to-all, and with ports
// that messages share fairly.
//
//   benchmark-simulate [RANKS...]
//
// Prints for each number of ranks the messages a second of the processor's and the memory of the
// process. A program for itself, for memory is what the process had at most.

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/simulate/run/simulation.hpp"

namespace {

using namespace commgauge::simulate;

Machine uniform_machine(int ranks) {
  commgauge::Model model;
  model.ranks = 2;
  model.launches.emplace_back();
  for (int i = 0; i < 2; ++i)
    model.launches.front().ranks.push_back({"h" + std::to_string(i), {0}});
  commgauge::Fitted<commgauge::HockneyParameters> fitted;
  fitted.value = {commgauge::Matrix(2, 20e-6), commgauge::Matrix(2, 1e-9), 0, 0};
  fitted.low = fitted.high = fitted.value;
  model.hockney = fitted;
  return machine_of(extended(model, ranks, 1), "hockney");
}

Task ring(CoroutineProcess& process, int rounds, Mode mode) {
  const int n = process.machine().ranks;
  Request in;
  Request out;
  Request* const both[]{&in, &out};
  for (int round = 0; round < rounds; ++round) {
    process.describe_receive(in, (process.rank() + n - 1) % n, 64);
    process.start(in);
    process.describe_send(out, (process.rank() + 1) % n, 64, 0, mode);
    process.start(out);
    co_await process.all(both);
  }
}

Task master_and_workers(CoroutineProcess& process, int tasks) {
  const int n = process.machine().ranks;
  if (process.rank() == 0) {
    for (int left = tasks + n - 1; left > 0; --left) {
      Request asked;
      process.describe_receive(asked, wildcard, 64);
      process.start(asked);
      co_await process.one(asked);
      co_await process.send(asked.source, left >= n ? 64 : 0);
    }
    co_return;
  }
  for (bool has_task = true; has_task;) {
    co_await process.send(0, 64);
    Request task;
    process.describe_receive(task, 0, 64);
    process.start(task);
    co_await process.one(task);
    has_task = task.bytes > 0;
    process.compute(1e-3);
  }
}

Task all_to_all(CoroutineProcess& process) {
  const int n = process.machine().ranks;
  Request in;
  Request out;
  Request* const both[]{&in, &out};
  for (int step = 1; step < n; ++step) {
    process.describe_receive(in, (process.rank() + n - step) % n, 64);
    process.start(in);
    process.describe_send(out, (process.rank() + step) % n, 64);
    process.start(out);
    co_await process.all(both);
  }
}

void measure(const char* name, const Machine& machine, double messages,
             const std::function<Task(CoroutineProcess&)>& program) {
  const std::clock_t start = std::clock();
  Simulation simulation(machine);
  simulation.run(program);
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  std::printf("%-13s %6d ranks %10.0f messages %8.3f M/s %8.1f MiB at most so far\n", name,
              machine.ranks, messages, messages / took * 1e-6,
              static_cast<double>(use.ru_maxrss) / 1024);
}

void measure_all(int ranks) {
  const Machine machine = uniform_machine(ranks);
  const double n = ranks;
  constexpr int rounds = 1000;
  const int ring_rounds = std::max(10, rounds * 1024 / ranks);
  measure("ring", machine, n * ring_rounds,
          [=](CoroutineProcess& p) { return ring(p, ring_rounds, Mode::standard); });
  measure("rendezvous", machine, n * ring_rounds / 10,
          [=](CoroutineProcess& p) { return ring(p, ring_rounds / 10, Mode::synchronous); });
  const int tasks = 100 * ranks;
  measure("master", machine, 2.0 * (tasks + n - 1),
          [=](CoroutineProcess& p) { return master_and_workers(p, tasks); });
  if (ranks <= 2048) measure("all-to-all", machine, n * (n - 1), all_to_all);
  Machine shared = machine;
  shared.sharing = Sharing::rendezvous;
  measure("ring shared", shared, n * ring_rounds,
          [=](CoroutineProcess& p) { return ring(p, ring_rounds, Mode::standard); });
  measure("rendezvous s.", shared, n * ring_rounds / 10,
          [=](CoroutineProcess& p) { return ring(p, ring_rounds / 10, Mode::synchronous); });
  if (ranks <= 512) measure("all-to-all s.", shared, n * (n - 1), all_to_all);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {64, 256, 1024};
  for (const int ranks : sizes) measure_all(ranks);
}
