#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign/harness.hpp"
#include "commgauge/plan/pace.hpp"
#include "commgauge/plan/rounds.hpp"

namespace commgauge::bench {

struct PassResults {
  std::vector<Observation> rows;  ///< of which this rank is the root
  int passes{};                   ///< begun
  long rounds{};                  ///< done, of all passes
  std::string out_of_time;        ///< how far the time budget went; empty: far enough
};

/// When and how what is done so far is kept.
struct Keeping {
  std::function<bool(bool pass_is_over)> is_due;  ///< rank 0's answer counts
  std::function<void(PassResults&)> keep;         ///< collective; may take the rows
};

/// The passes of a campaign over its rounds: all, or as many as time and the caller allow.
class Passes {
 public:
  /// @param rounds  in the order in which they were planned.
  /// @param done    rounds that were done before, of all passes: it goes on behind them.
  /// @param is_thin  as of a PassPlan
  Passes(Harness& harness, std::vector<Round> rounds, long done, bool is_thin, Keeping keeping);

  /// Collective.
  [[nodiscard]] PassResults run();

 private:
  [[nodiscard]] bool another_fits() const;
  void run_pass();
  void renew_order();
  [[nodiscard]] StopRule rule() const;
  void run_round(const Round& round);

  Harness& harness_;
  std::vector<Round> rounds_;
  bool is_thin_;
  Keeping keeping_;
  Pace pace_;
  PassResults results_;
};

}  // namespace commgauge::bench
