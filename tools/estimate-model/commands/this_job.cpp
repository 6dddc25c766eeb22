#include "estimate-model/commands/this_job.hpp"

#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/model_of_job.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

Model model_of_this_job(const Model& machine, const std::vector<std::string>& hosts) {
  const bool has_as_many_ranks = machine.ranks == std::ssize(hosts);
  if (machine.launches.empty() && has_as_many_ranks) return machine;
  try {
    auto [model, assumed] = model_of_job(machine, hosts);
    for (const Diagnostic& one : assumed) say(one.text());
    return std::move(model);
  } catch (const InputError& error) {
    if (!has_as_many_ranks) throw;
    say(std::string{error.what()} + "; rank r is taken for the model's rank r here");
    return machine;
  }
}

}  // namespace commgauge::tools
