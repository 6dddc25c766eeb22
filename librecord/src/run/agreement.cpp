#include "run/agreement.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace commgauge::record {

std::string agree(trace::Together& together, const std::string& problem) {
  const std::vector<std::string> all = together.gather(problem);
  const auto first = std::ranges::find_if(all, [](const auto& text) { return !text.empty(); });
  return together.bcast(first != all.end() ? *first : std::string{});
}

std::set<std::string> united(trace::Together& together, const std::set<std::string>& own) {
  std::string lines;
  for (const std::string& one : own) lines += one + "\n";
  std::set<std::string> all;
  for (const std::string& text : together.gather(lines)) {
    std::istringstream of_rank(text);
    for (std::string line; std::getline(of_rank, line);) all.insert(line);
  }
  return all;
}

}  // namespace commgauge::record
