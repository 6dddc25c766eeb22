#include "common/output/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "common/output/report.hpp"

namespace commgauge::tools {

namespace {

constexpr int bar_width = 30;

double share_done(const bench::Progress& progress) {
  if (progress.total <= 0) return 0;
  return std::clamp(static_cast<double>(progress.done) / static_cast<double>(progress.total), 0.0,
                    1.0);
}

std::string state(const bench::Progress& progress) {
  std::string text = rough_duration(progress.elapsed.value);
  if (progress.total > 0) {
    text = std::to_string(std::lround(100 * share_done(progress))) + " %, " + text;
  }
  if (progress.remaining >= Seconds{}) {
    text += ", about " + rough_duration(progress.remaining.value) + " left";
  }
  return progress.phase.empty() ? text : text + " (" + progress.phase + ")";
}

std::string bar(double share) {
  const auto filled = static_cast<std::size_t>(std::lround(bar_width * share));
  return "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "]";
}

}  // namespace

std::string rough_duration(double seconds) {
  const long s = std::lround(seconds);
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min " + std::to_string(s % 60) + " s";
  return std::to_string(s / 3600) + " h " + std::to_string(s % 3600 / 60) + " min";
}

ProgressDisplay::ProgressDisplay(ProgressMode mode)
    : style_{mode == ProgressMode::never                                  ? Style::none
             : mode == ProgressMode::always || isatty(STDERR_FILENO) != 0 ? Style::bar
                                                                          : Style::lines},
      next_{style_ == Style::bar ? 0.0 : 2.0} {}

ProgressDisplay::~ProgressDisplay() {
  if (open_line_) std::cerr << "\n";
}

void ProgressDisplay::show(const bench::Progress& progress) {
  const bool full_bar = style_ == Style::bar && share_done(progress) == 1;
  if (style_ == Style::none || (progress.elapsed < next_ && !full_bar)) return;
  if (style_ == Style::lines) {
    say(state(progress));
    next_ = progress.elapsed + Seconds{progress.elapsed < Seconds{60} ? 5.0 : 30.0};
    return;
  }
  constexpr const char* clear_rest = "\033[K";
  std::cerr << "\r" + bar(share_done(progress)) + " " + state(progress) + clear_rest << std::flush;
  next_ = progress.elapsed + Seconds{0.2};
  open_line_ = true;
}

}  // namespace commgauge::tools
