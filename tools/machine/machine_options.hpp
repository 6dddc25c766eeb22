#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine.hpp"

namespace commgauge::tools {

/// Which machine, as the command line says it.
struct MachineOptions {
  std::string model;         ///< file
  std::string kind;          ///< empty: the best-ranked
  std::string time_ratio;    ///< a number, or a file
  std::optional<int> hosts;  ///< of a machine larger than the model
  std::optional<int> ranks_per_host;
  std::string collectives{"mpich"};
  std::vector<simulate::Disturbance> disturbances;
  bool ignores_growth{};
};

/// --model, --kind, --hosts, --ranks-per-host, --time-ratio, --collectives, --disturb, --no-growth
void add_machine_options(CLI::App& app, MachineOptions& options);

/// @param model  of the options' file, or one with other parameters
/// @throws InputError
[[nodiscard]] simulate::Machine machine_of(const MachineOptions& options, const Model& model);

}  // namespace commgauge::tools
