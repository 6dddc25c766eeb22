// Reading and replaying GOAL in one thread.
//
//   benchmark-goal [FILE...]
//
// Prints operations read and events replayed a second of the processor's time, the best of five,
// and the memory of the process; of the files, or of a dissemination of 16 384 ranks, a linear
// all-to-all of 512, a binomial tree and a ring. A program for itself, for memory is what the
// process had at most.

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>

#include "commgauge/base/files.hpp"
#include "commgauge/replay/goal/goal_replay.hpp"
#include "goal_schedules.hpp"

namespace {

using namespace commgauge;

/// The least processor time of five [s].
template <typename What>
double best_of_five(What what) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    what();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void measure(const std::string& name, const std::string& text) {
  trace::Goal goal;
  replay::GoalTimes times;
  const double reading = best_of_five([&] { goal = trace::goal_from(text); });
  const double replaying = best_of_five([&] { times = replay::replay(goal, {}); });
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto operations = static_cast<double>(goal.operations());
  const auto events = static_cast<double>(times.events);
  std::printf(
      "%-24s %9.0f operations %6.2f M/s read %9.0f events %6.2f M/s replayed %6.3f s, ends at %.6f "
      "s, "
      "%.0f MiB at most so far\n",
      name.c_str(), operations, operations / reading * 1e-6, events, events / replaying * 1e-6,
      replaying, static_cast<double>(times.end_ns()) * 1e-9,
      static_cast<double>(use.ru_maxrss) / 1024);
}

}  // namespace

int main(int argc, char** argv) try {
  for (int i = 1; i < argc; ++i) measure(argv[i], read_file(argv[i]));
  if (argc > 1) return 0;
  measure("dissemination 16384", to_text(goals::dissemination(16384, 1)));
  measure("linear all-to-all 512", to_text(goals::linear_all_to_all(512, 1)));
  measure("binomial tree 262144", to_text(goals::binomial_tree(262144, 1)));
  measure("ring 16, 3000 rounds", to_text(goals::ring(16, 3000, 1)));
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
