#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/model/model.hpp"

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

/// Whether a larger machine is asked for. @throws InputError  one number without the other.
[[nodiscard]] bool is_larger(const LargerMachine& machine);

/// By rank of the job; empty: no file was given. @throws InputError
[[nodiscard]] std::vector<std::string> hosts_of_job(const LargerMachine& machine);

/// extended(), model_of_job(), or the model where neither is asked for; says what is assumed.
/// @throws InputError
[[nodiscard]] Model as_large(Model model, const LargerMachine& machine);

}  // namespace commgauge::tools
