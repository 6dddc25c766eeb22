#include "thresholds/sweep_choice.hpp"

#include <string_view>

#include "thresholds/find_kind.hpp"
#include "thresholds/joined_sweeps.hpp"

namespace commgauge {

namespace {

constexpr std::string_view library = "_library";  ///< ends the kind of what MPI itself does

std::string text_of(const SweepSource& source) {
  return (source.root ? "root " + std::to_string(*source.root) : "no root") +
         (source.timing.empty() ? "" : ", timing " + source.timing);
}

/// Of several roots or timings the first counts, and that is said.
void warn_of_others(const SweepAnalysis& chosen, Thresholds& thresholds) {
  std::string others;
  long count = 1;
  for (const SweepAnalysis& analysis : thresholds.sweeps) {
    if (&analysis == &chosen || analysis.sweep.kind != chosen.sweep.kind) continue;
    others += (others.empty() ? "" : "; ") + text_of(source_of(analysis, thresholds.launches));
    ++count;
  }
  if (others.empty()) return;
  thresholds.warnings.push_back({.kind = "several_sweeps",
                                 .count = count,
                                 .problem = "the thresholds of " + chosen.sweep.kind +
                                            " are those of " +
                                            text_of(source_of(chosen, thresholds.launches)),
                                 .advice = "it was swept as well with " + others});
}

}  // namespace

SweepSource source_of(const SweepAnalysis& analysis, const std::vector<Launch>& launches) {
  SweepSource source;
  source.algorithm = analysis.sweep.kind.ends_with(library) ? "library" : "flat";
  source.timing = timing_of(launches, analysis.sweep);
  if (!launches.empty()) source.root = analysis.sweep.root;
  source.launches = analysis.launches;
  return source;
}

const SweepAnalysis* choose_sweep(Thresholds& thresholds, const std::string& kind) {
  const SweepAnalysis* found = find_kind(thresholds, kind);
  if (found == nullptr) {
    found = find_kind(thresholds, kind + std::string{library});
    if (found == nullptr) return nullptr;
    thresholds.warnings.push_back({.kind = "library_sweep",
                                   .problem = "no flat " + kind + " was swept",
                                   .advice = "its thresholds are those of the MPI library's own"});
  }
  warn_of_others(*found, thresholds);
  return found;
}

}  // namespace commgauge
