#include "estimate-model/commands/this_job.hpp"

#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/costs/model_of_job.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

namespace {

bool is_of_same_ranks(const Model& machine, const std::vector<std::string>& hosts) {
  return machine.ranks == std::ssize(hosts);
}

}  // namespace

Model model_of_this_job(const Model& machine, const std::vector<std::string>& hosts) {
  if (machine.launches.empty() && is_of_same_ranks(machine, hosts)) return machine;
  try {
    auto [model, assumed] = model_of_job(machine, hosts);
    for (const Diagnostic& one : assumed) say(one.text());
    return std::move(model);
  } catch (const InputError& error) {
    if (!is_of_same_ranks(machine, hosts)) throw;
    say(std::string{error.what()} + "; rank r is taken for the model's rank r here");
    return machine;
  }
}

}  // namespace commgauge::tools
