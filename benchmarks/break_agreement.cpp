// How often a sweep's breaks are found, and found where there are none, with and without asking the
// passes whether they agree: a table for docs/accuracy.md.
//
//   benchmark-break-agreement [series for each cell]

#include <cstdio>
#include <cstdlib>

#include "adaptive_sweeps.hpp"

namespace {

using commgauge::testing::AdaptiveCase;
using commgauge::testing::count_breaks;
using commgauge::testing::Trouble;

}  // namespace

int main(int argc, char** argv) {
  const int series = argc > 1 ? std::atoi(argv[1]) : 200;
  const char* const troubles[] = {"none", "1 in 20 takes 1 ms longer", "5 % between rounds",
                                  "5 % between passes", "a neighbour"};
  std::printf(
      "| trouble | jump | true break found | and asked | break elsewhere | and asked |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const auto trouble :
       {Trouble::none, Trouble::spikes, Trouble::drift, Trouble::wander, Trouble::neighbour}) {
    for (const double jump : {0.0, 0.5, 1.0, 2.0, 4.0}) {
      const auto alone = count_breaks({jump, trouble, false}, series);
      const auto asked = count_breaks({jump, trouble, true}, series);
      const auto percent = [&](int count) { return 100.0 * count / series; };
      std::printf("| %s | %g | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n",
                  troubles[static_cast<int>(trouble)], jump, percent(alone.right),
                  percent(asked.right), percent(alone.wrong), percent(asked.wrong));
      std::fflush(stdout);
    }
  }
  return 0;
}
