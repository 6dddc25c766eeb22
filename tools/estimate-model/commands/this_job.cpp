#include "estimate-model/commands/this_job.hpp"

#include <utility>

#include "commgauge/costs/model_of_job.hpp"
#include "common/output/report.hpp"

namespace commgauge::tools {

Model model_of_this_job(const Model& machine, const std::vector<std::string>& hosts) {
  auto [model, assumed] = model_of_job(machine, hosts);
  for (const Diagnostic& one : assumed) say(one.text());
  return std::move(model);
}

}  // namespace commgauge::tools
