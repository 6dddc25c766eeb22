#include "common/command_line/larger_machine.hpp"

#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/costs/model_of_job.hpp"
#include "common/command_line/options.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

void add_larger_machine(CLI::App& app, LargerMachine& machine) {
  CLI::Option* const hosts =
      add_whole(app, "--hosts", machine.hosts,
                "A machine of so many hosts like those of the model; ranks count host by host");
  add_whole(app, "--ranks-per-host", machine.ranks_per_host,
            "With --hosts: ranks of each, like those of the model's hosts, in turn. With "
            "--hosts-from: ranks of a host in whose line there is no number (default: 1)");
  add_text(app, "--hosts-from",
           "A job on some of the model's hosts, by name: a file with a host in each line, as n7, "
           "n7:4 or n7 slots=4, such as $PBS_NODEFILE or what scontrol show hostnames writes",
           [&machine](const std::string& file) {
             machine.hosts_from = file;
             machine.hosts_text = read_file(file);
           })
      ->type_name("FILE")
      ->excludes(hosts);
}

void want_hosts(const LargerMachine& machine, simulate::WantedMachine& wanted) {
  if (!machine.hosts_from.empty()) {
    wanted.job =
        hosts_from_text(machine.hosts_text, machine.ranks_per_host.value_or(1), machine.hosts_from);
    return;
  }
  if (machine.hosts.has_value() != machine.ranks_per_host.has_value()) {
    throw InputError(
        "--hosts without --ranks-per-host, or the other way round (a larger machine needs both): "
        "give both");
  }
  if (machine.hosts) wanted.hosts = {*machine.hosts, *machine.ranks_per_host};
}

Model as_large(Model model, const LargerMachine& machine) {
  simulate::WantedMachine wanted;
  want_hosts(machine, wanted);
  if (!wanted.hosts && wanted.job.empty()) return model;
  auto [larger, assumed] = simulate::model_for(model, wanted);
  for (const Diagnostic& one : assumed) {
    if (is_first_of_launcher()) say(one.text());
  }
  return std::move(larger);
}

}  // namespace commgauge::tools
