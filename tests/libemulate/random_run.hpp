#pragma once

#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

/// What programs that are drawn at random have in common. All ranks draw the same numbers, so that
/// they agree on what happens; each does its own part.
namespace random_run {

using Random = std::mt19937_64;

inline int own = 0;
inline int ranks = 0;

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }
inline int draw(Random& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most + 1));
}

inline void compute(int microseconds) {
  const timespec pause{0, microseconds * 1000L};
  nanosleep(&pause, nullptr);
}

/// In real time, past the emulation's clocks. @param seed  0: none
class Pauses {
 public:
  explicit Pauses(int seed)
      : exist_{seed != 0}, random_{static_cast<unsigned>(1000 * seed + own)} {}
  void maybe() {
    if (!exist_ || draw(random_, 3) != 0) return;
    const timespec pause{0, draw(random_, 1500) * 1000L};
    syscall(SYS_nanosleep, &pause, nullptr);
  }

 private:
  bool exist_;
  Random random_;
};

/// Runs the programs of these seeds; prints a line for each: the seed, and every rank's virtual
/// time at its end, to the bit. @param run  seed → nothing
template <class Run>
void run_all(std::uint64_t count, std::uint64_t first, Run&& run) {
  std::vector<double> times;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    run(seed);
    times.push_back(MPI_Wtime());
  }
  std::vector<double> of_all(times.size() * at(ranks));
  const int programs = static_cast<int>(count);
  MPI_Gather(times.data(), programs, MPI_DOUBLE, of_all.data(), programs, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  for (std::uint64_t k = 0; k < count && own == 0; ++k) {
    std::printf("%lu", static_cast<unsigned long>(first + k));
    for (std::uint64_t r = 0; r < at(ranks); ++r) std::printf(" %a", of_all[r * count + k]);
    std::printf("\n");
  }
}

}  // namespace random_run
