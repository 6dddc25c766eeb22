#include "common/command_line/larger_machine.hpp"

#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/extended.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

void add_larger_machine(CLI::App& app, LargerMachine& machine) {
  add_whole(app, "--hosts", machine.hosts,
            "A machine of so many hosts like those of the model; ranks count host by host");
  add_whole(app, "--ranks-per-host", machine.ranks_per_host,
            "With --hosts: ranks of each, like those of the model's hosts, in turn");
}

bool is_larger(const LargerMachine& machine) {
  if (machine.hosts.has_value() != machine.ranks_per_host.has_value()) {
    throw InputError(
        "--hosts without --ranks-per-host, or the other way round (a larger machine needs both): "
        "give both");
  }
  return machine.hosts.has_value();
}

Model as_large(Model model, const LargerMachine& machine) {
  if (!is_larger(machine)) return model;
  auto [larger, assumed] = larger_model(model, *machine.hosts, *machine.ranks_per_host);
  for (const Diagnostic& one : assumed) {
    if (is_first_of_launcher()) say(one.text());
  }
  return std::move(larger);
}

}  // namespace commgauge::tools
