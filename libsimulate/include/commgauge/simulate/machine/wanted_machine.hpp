#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/costs/model_of_job.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/disturbance.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/simulate/machine/topology.hpp"

namespace commgauge::simulate {

/// Seconds of computing on the machine for one second here: nothing, which is one; what
/// set_time_ratios() reads; an estimate for each rank.
using TimeRatios = std::variant<std::monostate, std::string, std::vector<Estimate>>;

/// As many hosts, with so many ranks each.
struct HostGrid {
  int hosts{};
  int ranks_per_host{};
};

/// By rank, which of the machine's ranks it is.
struct Placement {
  std::vector<int> places;
  std::string name;  ///< where the caller's user gave it; begins what is said against it
};

/// Computing that takes so many times as long: on these ranks, or on all.
struct ChangedComputing {
  double factor{1};
  std::vector<int> ranks{};
};

void change_computing(Machine& machine, const ChangedComputing& change);

/// Which machine is wanted, beside what messages cost there.
struct WantedMachine {
  std::string kind{};               ///< which model; empty: the best-ranked that can be emulated
  std::optional<HostGrid> hosts{};  ///< that are like the model's
  /// By rank, on which of the model's hosts it is: a job on some of them. Empty: the model's ranks.
  std::vector<std::string> job{};
  TimeRatios time_ratios{};
  std::optional<Placement> placement{};  ///< nothing: by number
  std::vector<Disturbance> disturbances{};
  bool ignores_growth{};  ///< overheads don't depend on the number of ranks
  // Of the machine; nothing: as measured (machine_of()).
  std::optional<bool> requests_queue{};
  std::optional<Sharing> sharing{};
  WantedJitter jitter{};  ///< without a seed none
  ChangedComputing computing{};
  [[nodiscard]] bool knows_speeds() const {
    return !std::holds_alternative<std::monostate>(time_ratios);
  }
};

/// The mean lateness that a time on the machine should be drawn with: chance decides there which
/// message comes first. Nothing: it doesn't, or the file doesn't say how late messages are.
/// @param machine  of the model
[[nodiscard]] std::optional<MessageJitter> chance_of(const Model& model, const Machine& machine);

/// What build() makes the wanted machine of, and what predictions on it have replicates of: the
/// model, or one of other hosts.
/// @throws InputError  as extended() and model_of_job(); hosts and a job are both wanted.
[[nodiscard]] LargerModel model_for(const Model& model, const WantedMachine& wanted);

/// The one way to a machine.
/// @param model  model_for() it, or that with other parameters
/// @throws InputError  what machine_of(), set_time_ratios() and placed() throw; more or fewer
///                     numbers than ranks; a disturbance that takes all of a processor.
[[nodiscard]] Machine build(const Model& model, const WantedMachine& wanted);
/// @throws InputError  likewise. @pre no kind, hosts and job are wanted
[[nodiscard]] Machine build(const Topology& topology, const LinkParameters& links,
                            const WantedMachine& wanted);

}  // namespace commgauge::simulate
