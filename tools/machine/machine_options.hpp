#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine.hpp"
#include "common/larger_machine.hpp"
#include "common/outputs.hpp"
#include "machine/topology_options.hpp"

namespace commgauge::tools {

/// Which machine, as the command line says it.
struct MachineOptions {
  std::string model;  ///< file; empty: a topology
  TopologyOptions topology;
  std::string kind;        ///< empty: the best-ranked
  std::string time_ratio;  ///< a number, or a file
  std::string placement;   ///< numbers with commas between them, or a file; empty: by number
  LargerMachine larger;    ///< than the model
  std::string collectives{"mpich"};
  std::vector<simulate::Disturbance> disturbances;
  bool ignores_growth{};
};

/// --model, --kind, --hosts, --ranks-per-host, --time-ratio, --placement, --collectives, --disturb,
/// --no-growth, and those of a topology
void add_machine_options(CLI::App& app, MachineOptions& options);

/// Of the options' model file, or of their topology. @throws InputError
[[nodiscard]] simulate::Machine machine_of(const MachineOptions& options);

/// The options' model file, or simulate::larger_model() of it. @throws InputError
[[nodiscard]] simulate::LargerModel model_of(const MachineOptions& options);

/// @param model  of model_of() of the same options, or that with other parameters.
/// @throws InputError
[[nodiscard]] simulate::Machine machine_of(const MachineOptions& options, const Model& model);

/// What the machine is read from, for check_outputs().
[[nodiscard]] std::vector<NamedFile> files_of(const MachineOptions& options);

}  // namespace commgauge::tools
