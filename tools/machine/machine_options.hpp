#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commgauge/costs/extended.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"
#include "common/command_line/larger_machine.hpp"
#include "common/output/outputs.hpp"
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
  std::optional<bool> requests_queue;
  std::optional<simulate::Sharing> sharing;
  simulate::WantedJitter jitter;
};

/// --model, --kind, --hosts, --hosts-from, --ranks-per-host, --time-ratio, --placement,
/// --collectives, --disturb, --requests, --sharing, --jitter, --no-growth, and those of a topology
/// @param usual_jitter  what --jitter is if it isn't given, for the help
void add_machine_options(CLI::App& app, MachineOptions& options, std::string_view usual_jitter);

/// Of the options' model file, or of their topology. @throws InputError
[[nodiscard]] simulate::Machine machine_of(const MachineOptions& options);

/// What the options say of it. @throws InputError
[[nodiscard]] simulate::WantedMachine wanted_of(const MachineOptions& options);

/// Of the options' model file. @throws InputError  as simulate::model_for()
[[nodiscard]] LargerModel model_of(const MachineOptions& options);

/// What the machine is read from, for check_outputs().
[[nodiscard]] std::vector<NamedFile> files_of(const MachineOptions& options);

}  // namespace commgauge::tools
