#include "commgauge/trace/events/site.hpp"

#include <filesystem>

namespace commgauge::trace {

std::string to_text(const Site& site) {
  if (site == Site{}) return {};
  std::string place = std::filesystem::path{site.file}.filename().string();
  if (site.line != 0) place += ":" + std::to_string(site.line);
  if (site.function.empty() || place.empty()) return site.function + place;
  return site.function + " (" + place + ")";
}

}  // namespace commgauge::trace
