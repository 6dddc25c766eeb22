#include "commgauge/simulate/run/collective_time.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "commgauge/simulate/process/collective.hpp"
#include "commgauge/simulate/run/simulation.hpp"

namespace commgauge::simulate {

namespace {

bool ends_at_root(schedule::Operation operation) {
  return operation == schedule::Operation::gather || operation == schedule::Operation::gatherv ||
         operation == schedule::Operation::reduce;
}

struct CollectiveRun {
  Seconds time;
  std::vector<TakenInTurn> in_turn;  ///< by rank
};

CollectiveRun run_of(const Machine& machine, const schedule::Collective& what,
                     schedule::Algorithm algorithm) {
  Simulation simulation(machine);
  simulation.run([&](CoroutineProcess& process) -> Task {
    Group all;
    all.ranks.resize(static_cast<std::size_t>(machine.ranks));
    std::iota(all.ranks.begin(), all.ranks.end(), 0);
    all.context = 1;
    MessagesOnly messages(all, what.unit);
    schedule::Schedule steps = schedule_of(what, algorithm, process.rank());
    const auto turns = in_turn(machine, what.operation, steps, all.ranks);
    Request request;
    request.kind = Request::Kind::collective;
    process.start_collective(request, perform(std::move(steps), messages, turns));
    co_await process.one(request);
  });
  CollectiveRun run;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const CoroutineProcess& process = simulation.process(rank);
    run.in_turn.push_back(process.in_turn());
    if (ends_at_root(what.operation) && rank != what.root) continue;
    run.time = std::max(run.time, Seconds{process.clock()});
  }
  return run;
}

}  // namespace

Seconds time_of(const Machine& machine, const schedule::Collective& what,
                schedule::Algorithm algorithm) {
  return run_of(machine, what, algorithm).time;
}

std::optional<Desynchronisation> desynchronisation(const Machine& machine,
                                                   const ScheduledCollective& one) {
  const CollectiveRun run = run_of(machine, one.what, one.algorithm);
  return desynchronisation(run.time, run.in_turn);
}

}  // namespace commgauge::simulate
