#pragma once

#include <string>

#include "commgauge/bench/base/options.hpp"

namespace commgauge::tools {

enum class ProgressMode { automatic, always, never };

/// Shows on standard error how far a measurement has come: a bar on a terminal or when always
/// wanted, else a plain line every few seconds, the first after two.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(ProgressMode mode);
  /// Ends the bar's line.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const bench::Progress& progress);

 private:
  enum class Style { bar, lines, none };

  Style style_;
  Seconds next_;  ///< no sooner than then is anything shown again
  bool open_line_{};
};

/// `8 s`, `2 min 5 s`, `1 h 10 min`
[[nodiscard]] std::string rough_duration(double seconds);

}  // namespace commgauge::tools
