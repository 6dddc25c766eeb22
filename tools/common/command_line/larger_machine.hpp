#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "commgauge/model/model.hpp"

namespace commgauge::tools {

/// Of hosts like those of a model. Nothing: the model's own.
struct LargerMachine {
  std::optional<int> hosts;
  std::optional<int> ranks_per_host;
  friend bool operator==(const LargerMachine&, const LargerMachine&) = default;
};

/// --hosts, --ranks-per-host
void add_larger_machine(CLI::App& app, LargerMachine& machine);

/// Whether a larger machine is asked for. @throws InputError  one number without the other.
[[nodiscard]] bool is_larger(const LargerMachine& machine);

/// extended(), or the model where nothing larger is asked for; says what is assumed.
/// @throws InputError
[[nodiscard]] Model as_large(Model model, const LargerMachine& machine);

}  // namespace commgauge::tools
