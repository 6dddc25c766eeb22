// Masters and workers as ranks of the virtual machine: examples/mandelbrot_explorer.cpp does the
// same with MPI.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "commgauge/base/index.hpp"
#include "commgauge/simulate/run/simulation.hpp"
#include "commgauge/tasks/master_worker.hpp"
#include "teams.hpp"

namespace commgauge::tasks {

namespace {

using simulate::CoroutineProcess;
using simulate::Request;
using simulate::Task;

/// What is in an answer: tasks, or what else a worker is to do.
struct Answer {
  enum class Kind { stop, tasks, ask_another, become_master };
  Kind kind{};
  std::uint64_t first{};
  std::uint64_t end{};
  int other{};  ///< whom to ask from now on
};

/// What is in the message that makes a worker a master.
struct Promotion {
  std::uint64_t first{};
  std::uint64_t end{};
  std::vector<int> workers;
};

/// What a rank has written to the others; messages of the virtual machine have no data.
struct Rank {
  Answer answer;
  Promotion promotion;
  std::uint64_t done_first{};  ///< of the tasks whose results its request brings
  std::uint64_t done_end{};
  double waited{};  ///< for the tasks that it has done [s]
  double computing{};
  double busy{};  ///< as a master [s]
};

/// Of the tasks whose results a master has got: how long their workers waited for them.
struct Waiting {
  double sum{};  ///< [s]
  std::uint64_t requests{};
};

class Job {
 public:
  Job(const simulate::Machine& machine, const Work& work, const Protocol& protocol)
      : machine_{machine},
        protocol_{protocol},
        chunk_{work, protocol},
        chunk_size_{chunk_of(work, protocol)},
        teams_{teams_of(machine.ranks, work, protocol)},
        ranks_(at(machine.ranks)) {}

  [[nodiscard]] Run run() {
    simulate::Simulation simulation(machine_);
    simulation.run([this](CoroutineProcess& process) { return play(process); });
    Run all;
    for (int rank = 0; rank < machine_.ranks; ++rank) {
      all.time = std::max(all.time, simulation.process(rank).clock());
    }
    for (const Team& team : teams_) all.masters += ranks_[at(team.first_rank)].busy;
    for (const Rank& rank : ranks_) all.workers += rank.computing;
    const auto masters = static_cast<double>(teams_.size());
    all.masters /= all.time * masters;
    all.workers /= all.time * (machine_.ranks - masters);
    all.splits = splits_;
    return all;
  }

 private:
  Task play(CoroutineProcess& process) {
    const auto behind = [&](const Team& team) { return team.end_rank > process.rank(); };
    const Team team = *std::ranges::find_if(teams_, behind);
    if (process.rank() != team.first_rank) {
      co_await work_for(process, team.first_rank);
      co_return;
    }
    std::vector<int> workers(at(team.end_rank - team.first_rank - 1));
    std::iota(workers.begin(), workers.end(), team.first_rank + 1);
    const Promotion job{team.first_task, team.end_task, std::move(workers)};
    co_await rule(process, job, -1);
    const simulate::Shares& shares = process.shares();
    ranks_[at(process.rank())].busy =
        shares.sending + shares.receiving + shares.computing + shares.sleeping;
  }

  /// @param parent  whom the workers ask next; -1: they stop
  Task rule(CoroutineProcess& process, Promotion job, int parent) {
    std::vector<int> promised(ranks_.size(), -1);
    Waiting waiting;
    for (auto left = job.workers.size(); left > 0;) {
      Request request;
      CoroutineProcess::describe_receive(request, simulate::wildcard, most_bytes);
      process.start(request);
      co_await process.one(request);
      const int worker = request.source;
      note_waiting(worker, waiting);
      process.sleep(protocol_.serve.value);
      int& other = promised[at(worker)];
      Answer& answer = ranks_[at(worker)].answer;
      if (other >= 0) {
        answer = {Answer::Kind::ask_another, 0, 0, other};
        other = -1;
        co_await process.send(worker, protocol_.task.value);
      } else if (job.first >= job.end) {
        answer = parent < 0 ? Answer{} : Answer{Answer::Kind::ask_another, 0, 0, parent};
        --left;
        co_await process.send(worker, protocol_.task.value);
      } else if (may_split(job, waiting)) {
        co_await split(process, worker, job, promised);
        waiting = {};
      } else {
        const std::uint64_t end = std::min(job.end, job.first + chunk_size_);
        answer = {Answer::Kind::tasks, job.first, end, 0};
        job.first = end;
        co_await process.send(worker, protocol_.task.value);
      }
    }
  }

  void note_waiting(int worker, Waiting& waiting) {
    const Rank& rank = ranks_[at(worker)];
    if (rank.done_end == rank.done_first) return;
    waiting.sum += rank.waited;
    ++waiting.requests;
  }

  Task work_for(CoroutineProcess& process, int master) {
    Rank& own = ranks_[at(process.rank())];
    const double ratio = machine_.time_ratios[at(process.rank())].value;
    for (;;) {
      const double start = process.clock();
      co_await process.send(master, chunk_.request(own.done_first, own.done_end));
      co_await process.receive(master, protocol_.task.value);
      const Answer answer = own.answer;
      own.waited = process.clock() - start;
      own.done_first = own.done_end = 0;
      switch (answer.kind) {
        case Answer::Kind::stop:
          co_return;
        case Answer::Kind::ask_another:
          master = answer.other;
          break;
        case Answer::Kind::become_master:
          co_await process.receive(master, most_bytes);
          co_await rule(process, own.promotion, master);
          break;
        case Answer::Kind::tasks: {
          const double before = process.shares().computing;
          process.compute(chunk_.time(answer.first, answer.end) * ratio);
          own.computing += process.shares().computing - before;
          own.done_first = answer.first;
          own.done_end = answer.end;
          break;
        }
      }
    }
  }

  /// Where workers wait too long, on the average, and there are enough of them and of tasks.
  [[nodiscard]] bool may_split(const Promotion& job, const Waiting& waiting) const {
    const std::uint64_t workers = job.workers.size();
    if (!(protocol_.split_after.value > 0) || workers < 4 || waiting.requests < 4 * workers) {
      return false;
    }
    return job.end - job.first > 4 * workers * chunk_size_ &&
           waiting.sum / static_cast<double>(waiting.requests) > protocol_.split_after.value;
  }

  Task split(CoroutineProcess& process, int chosen, Promotion& job, std::vector<int>& promised) {
    std::vector<int> others;
    for (const int worker : job.workers) {
      const bool is_free = worker != chosen && promised[at(worker)] < 0;
      if (is_free && others.size() < job.workers.size() / 2 - 1) others.push_back(worker);
    }
    const std::uint64_t middle =
        job.end - (job.end - job.first) * others.size() / (job.workers.size() - 1);
    ++splits_;
    ranks_[at(chosen)].answer = {Answer::Kind::become_master, 0, 0, 0};
    co_await process.send(chosen, protocol_.task.value);
    const std::uint64_t bytes = sizeof(std::int32_t) * (2 + others.size());
    for (const int worker : others) promised[at(worker)] = chosen;
    ranks_[at(chosen)].promotion = {middle, job.end, std::move(others)};
    job.end = middle;
    co_await process.send(chosen, bytes);
  }

  static constexpr std::uint64_t most_bytes = ~std::uint64_t{0};

  const simulate::Machine& machine_;
  const Protocol& protocol_;
  Chunk chunk_;
  std::uint64_t chunk_size_;
  std::vector<Team> teams_;
  std::vector<Rank> ranks_;
  std::int64_t splits_{};
};

}  // namespace

Run run_on_virtual_machine(const simulate::Machine& machine, const Work& work,
                           const Protocol& protocol) {
  return Job(machine, work, protocol).run();
}

}  // namespace commgauge::tasks
