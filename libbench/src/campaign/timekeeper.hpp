#pragma once

#include <limits>

#include "commgauge/bench/base/options.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

inline constexpr Seconds unlimited{std::numeric_limits<double>::infinity()};

/// Whether a campaign goes on, or what ends it early. Of several ranks' verdicts the last counts.
enum class Verdict { go_on, out_of_time, cancelled };

/// Time since a campaign began, and whether it ends early: cancelled by the caller, or because its
/// time budget is spent. The verdict is the same on every rank.
class Timekeeper {
 public:
  /// The campaign begins now.
  Timekeeper(const Communicator& comm, const Options& options);

  [[nodiscard]] Seconds elapsed() const { return {Clock::now() - start_}; }
  /// @return unlimited where none is given.
  [[nodiscard]] Seconds budget() const { return options_.time_budget.value_or(unlimited); }

  /// Collective: asks every rank, and keeps the verdict. @return whether to go on.
  [[nodiscard]] bool may_go_on();
  /// Likewise, and whether rank 0 wishes a pause in which all ranks do something else: one answer,
  /// so that asking takes no longer.
  [[nodiscard]] bool may_go_on(bool wishes_pause);
  [[nodiscard]] bool pause_is_due() const { return pause_is_due_; }
  /// Collective: asks every rank for what a complete campaign can do without. The verdict stays.
  [[nodiscard]] bool may_add_more() const;
  /// The same on every rank: too little time is left for what would come next.
  void run_out_of_time() { verdict_ = Verdict::out_of_time; }

  [[nodiscard]] Verdict verdict() const { return verdict_; }
  /// @throws FitError  cancelled, or out of time, when there is nothing yet to return.
  void require_going_on() const;

 private:
  [[nodiscard]] Verdict verdict_of_rank() const;
  [[nodiscard]] Verdict agree() const;

  const Communicator& comm_;
  const Options& options_;
  double start_;
  Verdict verdict_{Verdict::go_on};
  bool pause_is_due_{};
};

}  // namespace commgauge::bench
