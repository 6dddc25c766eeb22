#include "processor_speed.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "commgauge/base/statistics.hpp"
#include "commgauge/bench/clock.hpp"
#include "quiet.hpp"

namespace commgauge::bench {

namespace {

constexpr std::size_t order = 32;
constexpr int products = 30;
constexpr int repetitions = 7;

volatile double start = 1;
volatile double end = 0;

using Square = std::array<double, order * order>;

Square filled(double scale) {
  Square m;
  for (std::size_t i = 0; i < m.size(); ++i) {
    m[i] = scale * static_cast<double>(i % 7) / static_cast<double>(3 * order);
  }
  return m;
}

void multiply(const Square& a, const Square& b, Square& c) {
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = 0; j < order; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < order; ++k) sum += a[i * order + k] * b[k * order + j];
      c[i * order + j] = sum;
    }
  }
}

/// `start` and `end` are volatile, so the compiler can't leave any of the computation out.
void compute() {
  const Square factor = filled(start);
  Square a = factor;
  Square b;
  for (int i = 0; i < products; i += 2) {
    multiply(a, factor, b);
    multiply(b, factor, a);
  }
  end = a[order + 1];
}

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
  compute();
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const double before = Clock::now();
    compute();
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
