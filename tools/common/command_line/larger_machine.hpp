#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "commgauge/model/model.hpp"
#include "commgauge/simulate/machine/wanted_machine.hpp"

namespace commgauge::tools {

/// Of hosts like those of a model, or a job on some of them. Nothing: the model's own.
struct LargerMachine {
  std::optional<int> hosts;
  std::optional<int> ranks_per_host;
  std::string hosts_from;  ///< file: the job's hosts; empty: none
  std::string hosts_text;  ///< what is in it, which may be readable but once
  friend bool operator==(const LargerMachine&, const LargerMachine&) = default;
};

/// --hosts, --hosts-from, --ranks-per-host
void add_larger_machine(CLI::App& app, LargerMachine& machine);

/// Says which hosts are wanted. @throws InputError  one of two numbers without the other; a list of
/// hosts that is none.
void want_hosts(const LargerMachine& machine, simulate::WantedMachine& wanted);

/// simulate::model_for() these hosts, or the model as it is; says what is assumed. @throws
/// InputError
[[nodiscard]] Model as_large(Model model, const LargerMachine& machine);

}  // namespace commgauge::tools
