#include "campaign/steps/passes.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/base/shuffle.hpp"

namespace commgauge::bench {

Passes::Passes(Harness& harness, std::vector<Round> rounds)
    : harness_{harness}, rounds_{std::move(rounds)} {}

PassResults Passes::run() {
  Timekeeper& timekeeper = harness_.timekeeper;
  const int asked = harness_.options.passes;
  pace_ = {timekeeper.budget(), timekeeper.elapsed(), static_cast<double>(rounds_.size()), asked};
  harness_.progress.begin_passes(pace_, std::ssize(rounds_) * asked);
  while (results_.passes < asked && timekeeper.verdict() == Verdict::go_on) {
    const std::string of_asked = " of " + std::to_string(asked);
    if (!another_fits()) {
      timekeeper.run_out_of_time();
      results_.out_of_time = "the time budget was enough for " + std::to_string(results_.passes) +
                             of_asked + " passes";
      break;
    }
    run_pass();
    ++results_.passes;
    if (timekeeper.verdict() == Verdict::out_of_time) {
      results_.out_of_time =
          "the time budget ended it in pass " + std::to_string(results_.passes) + of_asked;
    }
  }
  return std::move(results_);
}

bool Passes::another_fits() const {
  int fits = pace_.fits_another(harness_.timekeeper.elapsed(), results_.passes);
  check(MPI_Bcast(&fits, 1, MPI_INT, 0, harness_.comm.get()), "MPI_Bcast");
  return fits != 0;
}

void Passes::run_pass() {
  harness_.buffers.renew();
  renew_order();
  for (const Round& round : rounds_) {
    run_round(round);
    if (!harness_.timekeeper.may_go_on()) return;
    harness_.progress.set_done(++results_.rounds);
    harness_.progress.report("measuring");
  }
}

/// In a new random order each time: what is measured first, on pages that are new to the machine,
/// takes longer.
void Passes::renew_order() {
  std::mt19937_64 random(harness_.options.seed + static_cast<std::uint64_t>(results_.passes));
  shuffle(std::span{rounds_}, random);
  for (Round& round : rounds_) {
    for (Group& group : round) shuffle(std::span{group.experiments}, random);
  }
}

void Passes::run_round(const Round& round) {
  const auto is_behind = [this](double part) {
    return pace_.is_behind(harness_.timekeeper.elapsed(),
                           static_cast<double>(results_.rounds) + part);
  };
  for (const Group& group : round) {
    if (!takes_part(group, harness_.comm.rank())) continue;
    std::ranges::move(
        harness_.runner.run(group, pass_rule(harness_.options), results_.passes, is_behind),
        std::back_inserter(results_.rows));
  }
}

}  // namespace commgauge::bench
