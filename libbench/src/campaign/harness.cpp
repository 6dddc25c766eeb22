#include "campaign/harness.hpp"

#include "base/requirements.hpp"
#include "campaign/rounds.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/base/launcher.hpp"
#include "commgauge/bench/ranks/mpi_library.hpp"

namespace commgauge::bench {

namespace {

/// @throws InputError  one rank where more were meant: which MPI library and launcher that comes
/// of.
void require_company(int ranks) {
  int world = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &world), "MPI_Comm_size");
  if (ranks > 1 || world > 1) return;
  if (const auto alone = why_alone(name_of_mpi())) throw InputError(*alone);
}

const Options& validated(const Options& options, int ranks) {
  validate(options);
  require_company(ranks);
  require_ranks(options, ranks);
  return options;
}

}  // namespace

Harness::Harness(MPI_Comm of_caller, const Options& asked)
    : comm{of_caller},
      options{validated(asked, comm.size())},
      places{find_places(comm)},
      timekeeper{comm, options},
      wait{decide_wait(options.wait, places.cores_are_shared())},
      transport{comm.get(), wait},
      stolen{places.ranks[static_cast<std::size_t>(comm.rank())].cores},
      buffers{options.buffers, largest_size(options).value,
              cache_share(places.ranks_on_host_of(comm.rank()))},
      collectives{transport, buffers, watch, comm.size()},
      runner{transport, buffers, collectives, clock, watch, comm.rank(), comm.size()},
      progress{comm, options, timekeeper} {}

std::vector<Observation> Harness::run_round(const Round& round, const StopRule& rule, int pass) {
  std::vector<Observation> rows;
  for (const Group& group : round) {
    if (takes_part(group, comm.rank())) rows = runner.run(group, rule, pass);
  }
  (void)timekeeper.may_go_on();
  timekeeper.require_going_on();
  return rows;
}

}  // namespace commgauge::bench
