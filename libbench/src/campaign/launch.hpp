#pragma once

#include <map>
#include <string>
#include <vector>

#include "campaign/harness.hpp"
#include "campaign/steps/eager_limit.hpp"
#include "campaign/steps/passes.hpp"
#include "campaign/steps/schedule.hpp"
#include "campaign/steps/sweeps.hpp"
#include "commgauge/plan/campaign_plan.hpp"

namespace commgauge::bench {

/// After how many rounds of the first pass a model has all that it needs.
struct ModelEnd {
  std::string model;
  long rounds{};
};

/// What the steps of a campaign found out and did.
struct Findings {
  EagerLimit eager_limit;
  SweepResults sweeps;
  CampaignSizes sizes;
  std::vector<Bytes> curve;  ///< round trips beside those, where curves are asked for
  ScheduleChoice schedule;
  bool is_thin{};                        ///< the first pass may not end: PassPlan::is_thin
  std::vector<ModelEnd> ends_of_models;  ///< in its order, on rank 0
  PassResults passes;
  long remeasured{};  ///< rows, on rank 0
};

/// Where and how it measured, but for describe_options(). Collective.
/// @param rows  of all ranks, on rank 0.
[[nodiscard]] Launch describe_launch(const Harness& harness, const Findings& findings,
                                     const std::vector<Observation>& rows);

/// For Launch::options: what passes were made of.
[[nodiscard]] std::map<std::string, std::string> describe_options(const Options& options,
                                                                  const CampaignSizes& sizes);

/// Launch::schedule and Launch::wait.
[[nodiscard]] std::string to_text(const ScheduleChoice& schedule);
[[nodiscard]] std::string to_text(WaitMode wait);

}  // namespace commgauge::bench
