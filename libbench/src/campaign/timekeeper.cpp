#include "campaign/timekeeper.hpp"

#include <string>

#include "base/activity.hpp"
#include "commgauge/base/error.hpp"
#include "messages/quiet.hpp"

namespace commgauge::bench {

Timekeeper::Timekeeper(const Communicator& comm, const Options& options)
    : comm_{comm}, options_{options}, start_{Clock::now()} {}

Verdict Timekeeper::verdict_of_rank() const {
  if (options_.cancelled && options_.cancelled()) return Verdict::cancelled;
  // One clock decides.
  const bool is_late =
      comm_.rank() == 0 && options_.time_budget && elapsed() > *options_.time_budget;
  return is_late ? Verdict::out_of_time : Verdict::go_on;
}

Verdict Timekeeper::agree() const {
  note_step();
  return static_cast<Verdict>(agree_quietly(comm_.get(), static_cast<int>(verdict_of_rank())));
}

bool Timekeeper::may_go_on() { return may_go_on(false); }

bool Timekeeper::may_go_on(bool wishes_pause) {
  note_step();
  const int own = 2 * static_cast<int>(verdict_of_rank()) + (wishes_pause ? 1 : 0);
  const int agreed = agree_quietly(comm_.get(), own);
  verdict_ = static_cast<Verdict>(agreed / 2);
  pause_is_due_ = verdict_ == Verdict::go_on && agreed % 2 != 0;
  return verdict_ == Verdict::go_on;
}

bool Timekeeper::may_add_more() const { return agree() == Verdict::go_on; }

void Timekeeper::require_going_on() const {
  if (verdict_ == Verdict::go_on) return;
  throw FitError(
      std::string(verdict_ == Verdict::cancelled ? "cancelled" : "the time budget ran out") +
      " before anything was measured (warm-up and pilot come first): give it more time");
}

}  // namespace commgauge::bench
