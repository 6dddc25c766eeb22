#include "campaign/steps/sweeps.hpp"

#include <algorithm>
#include <utility>

#include "base/requirements.hpp"
#include "messages/quiet.hpp"
#include "timing/sweeper.hpp"

namespace commgauge::bench {

namespace {

constexpr int calibration_reps = 7;
constexpr int calibration_sizes = 24;
constexpr Seconds calibration_time_of_rank{0.5};  ///< then the sizes chosen so far must do
constexpr double calibration_parts = 8;           ///< of the time budget: one is enough

std::string to_text(Timing timing) {
  switch (timing) {
    case Timing::global:
      return "global";
    case Timing::root:
      return "root";
    case Timing::longest:
      break;
  }
  return "longest";
}

std::string to_text(Algorithms algorithms) {
  switch (algorithms) {
    case Algorithms::flat:
      return "flat";
    case Algorithms::library:
      return "library";
    case Algorithms::both:
      break;
  }
  return "both";
}

/// Ends a calibration's sweeps where even few repetitions take too long: what it can do without
/// leaves it time.
class SweepLimit {
 public:
  /// @param enough  unlimited: nothing but the campaign's own end ends them.
  SweepLimit(Harness& harness, Seconds enough)
      : harness_{harness},
        stop_at_{Clock::now() + 2 * enough.value},
        may_stop_{enough < unlimited && harness.options.time_budget} {}

  /// Collective.
  [[nodiscard]] bool may_go_on() {
    if (!harness_.timekeeper.may_go_on()) return false;
    if (!may_stop_) return true;
    const Communicator& comm = harness_.comm;
    stopped_ = agree_quietly(comm.get(), comm.rank() == 0 && Clock::now() > stop_at_) != 0;
    return !stopped_;
  }

  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  Harness& harness_;
  double stop_at_;
  bool may_stop_;
  bool stopped_{};
};

std::map<std::string, std::string> describe(const SweepOptions& asked, const Sweeper& sweeper,
                                            bool stopped) {
  std::map<std::string, std::string> options{
      {"timing", to_text(asked.timing)},
      {"algorithms", to_text(asked.algorithms)},
      {"sweep_reps", std::to_string(asked.reps)},
      {"sweep_first", std::to_string(asked.plan.first.value)},
      {"sweep_last", std::to_string(sweeper.last().value)},
      {"sweep_root", std::to_string(asked.root)},
      {"sweep_late", std::to_string(sweeper.late())}};
  if (sweeper.limited()) options.emplace("sweep_limited", sweeper.limited()->text());
  if (stopped) options.emplace("sweep_stopped", "its share of the time budget was over");
  return options;
}

/// @param enough  as Sweeper::Settings::enough
SweepResults measure(Harness& harness, const SweepOptions& asked, Seconds enough) {
  SweepLimit limit(harness, enough);
  Sweeper::Settings settings;
  settings.options = asked;
  settings.seed = harness.options.seed;
  settings.enough = enough;
  settings.places = harness.places.ranks;
  if (enough < unlimited) settings.too_large = Sweeper::Settings::TooLarge::leave_out;
  settings.may_go_on = [&] { return limit.may_go_on(); };
  settings.report = [&](const std::string& phase) { harness.progress.report(phase); };
  Sweeper sweeper(harness.comm, harness.transport, harness.buffers, harness.collectives,
                  harness.clock, std::move(settings));
  std::vector<Sweep> sweeps = sweeper.measure();
  return {std::move(sweeps), sweeper.timed(), sweeper.lost(),
          describe(asked, sweeper, limit.stopped()),
          SweepRun{to_text(asked.timing), static_cast<long>(sweeper.late()), sweeper.limited()}};
}

}  // namespace

SweepOptions calibration_sweep(const Options& options) {
  SweepOptions sweep = options.sweeps;
  sweep.reps = std::min(sweep.reps, calibration_reps);
  sweep.plan.most_sizes = std::min(sweep.plan.most_sizes, calibration_sizes);
  sweep.plan.last = std::min(sweep.plan.last, largest_size(options));
  sweep.plan.first = std::min(sweep.plan.first, Bytes{sweep.plan.last.value / 2});
  return sweep;
}

SweepResults measure_sweeps(Harness& harness) {
  return measure(harness, harness.options.sweeps, unlimited);
}

SweepResults measure_calibration_sweeps(Harness& harness) {
  const Seconds share = harness.timekeeper.budget() / calibration_parts;
  const Seconds enough = std::min(harness.comm.size() * calibration_time_of_rank, share);
  return measure(harness, calibration_sweep(harness.options), enough);
}

}  // namespace commgauge::bench
