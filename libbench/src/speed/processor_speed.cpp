#include "speed/processor_speed.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "messages/quiet.hpp"
#include "speed/kernels.hpp"

namespace commgauge::bench {

namespace {

constexpr int repetitions = 7;

/// Which of the ranks on its host this one is.
int place_on_host(int rank, const Places& places) {
  const auto self = places.ranks.begin() + rank;
  return static_cast<int>(std::ranges::count(places.ranks.begin(), self, self->host,
                                             [](const RankPlace& place) { return place.host; }));
}

int most_on_a_host(const Places& places) {
  int most = 0;
  for (int rank = 0; rank < static_cast<int>(places.ranks.size()); ++rank) {
    most = std::max(most, place_on_host(rank, places) + 1);
  }
  return most;
}

}  // namespace

Seconds time_kernel() {
  multiply_matrices();
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const double before = Clock::now();
    multiply_matrices();
    times.push_back(Clock::now() - before);
  }
  const double time = median(times);
  return {time > 0 ? time : std::numeric_limits<double>::quiet_NaN()};
}

void measure_processor_speeds(const Communicator& comm, Places& places) {
  const bool in_turn = places.cores_are_shared();
  const int turns = in_turn ? most_on_a_host(places) : 1;
  const int own_turn = in_turn ? place_on_host(comm.rank(), places) : 0;
  double mine = 0;
  for (int turn = 0; turn < turns; ++turn) {
    if (turn == own_turn) mine = time_kernel().value;
    (void)agree_quietly(comm.get(), 0);
  }
  std::vector<double> all(places.ranks.size());
  check(MPI_Allgather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, comm.get()),
        "MPI_Allgather");
  for (std::size_t rank = 0; rank < all.size(); ++rank) places.ranks[rank].kernel_s = all[rank];
}

}  // namespace commgauge::bench
