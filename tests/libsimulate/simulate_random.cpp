// The random programs in one thread: prints what tests/libemulate/random_programs.cpp prints when
// processes run them.
//
//   simulated-random-programs MODEL KIND RANKS COUNT FIRST_SEED

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/model/model.hpp"
#include "simulated_rank.hpp"

namespace {

using namespace commgauge;

constexpr double clock_cost = 20e-9;  ///< [s] of MPI_Wtime, as emulation has it

void run(const Model& model, const std::string& kind, int ranks, std::uint64_t count,
         std::uint64_t first) {
  const simulate::Machine machine = simulate::for_job(simulate::machine_of(model, kind), ranks);
  simulate::Simulation simulation(machine);
  std::vector<int> notes(static_cast<std::size_t>(ranks));
  std::vector<std::vector<double>> times(count, std::vector<double>(notes.size()));
  const auto all_programs = [&](simulate::CoroutineProcess& process) -> simulate::Task {
    for (std::uint64_t k = 0; k < count; ++k) {
      random_program::SimulatedRank rank(process, notes);
      random_program::Program program(rank, first + k);
      co_await program.run();
      process.compute(clock_cost);
      times[k][static_cast<std::size_t>(process.rank())] = process.clock();
    }
  };
  simulation.run(all_programs);
  for (std::uint64_t k = 0; k < count; ++k) {
    std::printf("%lu", static_cast<unsigned long>(first + k));
    for (const double time : times[k]) std::printf(" %a", time);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "simulated-random-programs: give MODEL KIND RANKS COUNT FIRST_SEED\n";
    return 2;
  }
  try {
    run(load_model(argv[1]), argv[2], std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10),
        std::strtoull(argv[5], nullptr, 10));
  } catch (const Error& error) {
    std::cerr << "simulated-random-programs: " << error.what() << '\n';
    return 2;
  }
}
