#include "replay/text/efficiency_text.hpp"

#include <string>
#include <vector>

#include "common/output/table.hpp"

namespace commgauge::tools {

namespace {

std::vector<std::string> row(const std::string& name, const replay::Efficiency& one) {
  std::vector<std::string> cells{name};
  for (const double share : {one.load_balance(), one.serialisation(), one.transfer(),
                             one.communication(), one.parallel()}) {
    cells.push_back(number(100 * share));
  }
  return cells;
}

}  // namespace

std::string efficiency_text(const replay::Efficiencies& all) {
  Table table(
      {"efficiency [%]", "load balance", "serialisation", "transfer", "communication", "parallel"});
  table.add(row("the run", all.run));
  for (const replay::RegionEfficiency& region : all.regions) table.add(row(region.name, region));
  return table.text();
}

}  // namespace commgauge::tools
