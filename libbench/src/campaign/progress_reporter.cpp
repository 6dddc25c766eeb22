#include "campaign/progress_reporter.hpp"

namespace commgauge::bench {

ProgressReporter::ProgressReporter(const Communicator& comm, const Options& options,
                                   const Timekeeper& timekeeper)
    : comm_{comm}, options_{options}, timekeeper_{timekeeper} {}

void ProgressReporter::begin_passes(const Pace& pace, long total) {
  pace_ = pace;
  total_ = total;
}

void ProgressReporter::report(const std::string& phase) const {
  if (comm_.rank() != 0 || !options_.progress) return;
  const Progress progress{phase, done_, total_, timekeeper_.elapsed(),
                          pace_.remaining(timekeeper_.elapsed(), static_cast<double>(done_))};
  options_.progress(progress);
}

}  // namespace commgauge::bench
