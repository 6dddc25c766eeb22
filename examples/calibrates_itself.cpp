// An application that gets to know its own network at run time, and uses what it learnt: it hands
// out a table from the rank that scatters it fastest, and says what that is expected to take.
//
//   mpiexec -n 4 calibrates-itself

#include <mpi.h>

#include <cstdio>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/predict/predict.hpp"

namespace {

constexpr commgauge::Bytes share{65536};

int fastest_root(const commgauge::Model& model) {
  int best = 0;
  for (int root = 1; root < model.ranks; ++root) {
    const auto time = [&](int candidate) {
      return commgauge::predict(
                 model, {model.preferred(), commgauge::Operation::scatter, candidate, -1, share})
          .time;
    };
    if (time(root) < time(best)) best = root;
  }
  return best;
}

void run() {
  commgauge::bench::Options options;
  options.precision = 0.05;
  options.passes = 4;
  options.time_budget = commgauge::Seconds{20};
  const commgauge::Model model = commgauge::bench::calibrate(MPI_COMM_WORLD, options);

  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int root = fastest_root(model);
  const auto expected = commgauge::predict(
      model, {model.preferred(), commgauge::Operation::scatter, root, -1, share});

  std::vector<char> table(rank == root ? share.value * static_cast<std::size_t>(model.ranks) : 0);
  std::vector<char> mine(share.value);
  MPI_Scatter(table.data(), static_cast<int>(share.value), MPI_CHAR, mine.data(),
              static_cast<int>(share.value), MPI_CHAR, root, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("root %d scatters %s to each rank in about %s (between %s and %s)\n", root,
              to_text(share).c_str(), to_text(expected.time).c_str(), to_text(expected.low).c_str(),
              to_text(expected.high).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run();
  } catch (const commgauge::Error& error) {
    std::fprintf(stderr, "calibrates-itself: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
