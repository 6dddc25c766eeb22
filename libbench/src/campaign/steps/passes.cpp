#include "campaign/steps/passes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "campaign/rounds.hpp"
#include "campaign/stop_rules.hpp"
#include "commgauge/plan/budget.hpp"

namespace commgauge::bench {

Passes::Passes(Harness& harness, std::vector<Round> rounds, long done, bool is_thin,
               Keeping keeping)
    : harness_{harness},
      rounds_{std::move(rounds)},
      is_thin_{is_thin},
      keeping_{std::move(keeping)} {
  results_.rounds = done;
  const long of_pass = std::max(1L, static_cast<long>(std::ssize(rounds_)));
  for (; results_.passes < done / of_pass; ++results_.passes) renew_order();
}

PassResults Passes::run() {
  Timekeeper& timekeeper = harness_.timekeeper;
  const int asked = harness_.options.passes;
  pace_ = {timekeeper.budget(), timekeeper.elapsed(), static_cast<double>(rounds_.size()), asked,
           static_cast<double>(results_.rounds)};
  harness_.progress.begin_passes(pace_, std::ssize(rounds_) * asked);
  harness_.progress.set_done(results_.rounds);
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
  const auto begin = results_.rounds - results_.passes * std::ssize(rounds_);
  for (auto k = begin; k < std::ssize(rounds_); ++k) {
    run_round(rounds_[static_cast<std::size_t>(k)]);
    harness_.progress.set_done(++results_.rounds);
    if (!harness_.timekeeper.may_go_on(keeping_.is_due(k + 1 == std::ssize(rounds_)))) return;
    harness_.progress.report("measuring");
    if (harness_.timekeeper.pause_is_due()) keeping_.keep(results_);
  }
}

void Passes::renew_order() {
  put_in_order_of_pass(rounds_, harness_.options.seed, results_.passes, is_thin_);
}

StopRule Passes::rule() const {
  const StopRule rule = pass_rule(harness_.options);
  return is_thin_ && results_.passes == 0 ? rule.hurried(fewest_blocks) : rule;
}

void Passes::run_round(const Round& round) {
  const auto is_behind = [this](double part) {
    return pace_.is_behind(harness_.timekeeper.elapsed(),
                           static_cast<double>(results_.rounds) + part);
  };
  for (const Group& group : round) {
    if (!takes_part(group, harness_.comm.rank())) continue;
    std::ranges::move(harness_.runner.run(group, rule(), results_.passes, is_behind),
                      std::back_inserter(results_.rows));
  }
}

}  // namespace commgauge::bench
