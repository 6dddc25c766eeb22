#pragma once

#include <string>

#include "campaign/timekeeper.hpp"
#include "commgauge/bench/base/options.hpp"
#include "commgauge/plan/pace.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// Tells the caller on rank 0 how far a campaign has come.
class ProgressReporter {
 public:
  ProgressReporter(const Communicator& comm, const Options& options, const Timekeeper& timekeeper);

  /// From now on rounds are counted. @param total  rounds of all passes.
  void begin_passes(const Pace& pace, long total);
  /// @param done  rounds of all passes so far.
  void set_done(long done) { done_ = done; }
  void report(const std::string& phase) const;

 private:
  const Communicator& comm_;
  const Options& options_;
  const Timekeeper& timekeeper_;
  Pace pace_;
  long done_{};
  long total_{};
};

}  // namespace commgauge::bench
