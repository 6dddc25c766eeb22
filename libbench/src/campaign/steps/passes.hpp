#pragma once

#include <string>
#include <vector>

#include "campaign/harness.hpp"
#include "commgauge/plan/pace.hpp"
#include "commgauge/plan/rounds.hpp"

namespace commgauge::bench {

struct PassResults {
  std::vector<Observation> rows;  ///< of which this rank is the root
  int passes{};                   ///< begun
  long rounds{};                  ///< done
  std::string out_of_time;        ///< how far the time budget went; empty: far enough
};

/// The passes of a campaign over its rounds: all, or as many as time and the caller allow.
class Passes {
 public:
  Passes(Harness& harness, std::vector<Round> rounds);

  /// Collective.
  [[nodiscard]] PassResults run();

 private:
  [[nodiscard]] bool another_fits() const;
  void run_pass();
  void renew_order();
  void run_round(const Round& round);

  Harness& harness_;
  std::vector<Round> rounds_;
  Pace pace_;
  PassResults results_;
};

}  // namespace commgauge::bench
