#include "replay/text/timeline_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge::tools {

namespace {

using replay::Doing;
using replay::Timeline;

constexpr std::size_t columns = 72;
constexpr std::size_t most_lines = 32;
constexpr std::array signs{'#', '>', '<', '.', 'z'};  // in the order of Doing

/// What the rank did for most of each of the columns.
std::string row(const std::vector<Timeline::Stretch>& stretches, double end) {
  std::string text;
  const double width = end / static_cast<double>(columns);
  auto first = stretches.begin();
  for (std::size_t column = 0; column < columns; ++column) {
    const double from = width * static_cast<double>(column);
    const double to = from + width;
    std::array<double, signs.size()> times{};
    while (first != stretches.end() && first->to <= from) ++first;
    for (auto stretch = first; stretch != stretches.end() && stretch->from < to; ++stretch) {
      times[static_cast<std::size_t>(stretch->what)] +=
          std::min(to, stretch->to) - std::max(from, stretch->from);
    }
    const auto most = std::ranges::max_element(times);
    text += *most > 0 ? signs[static_cast<std::size_t>(most - times.begin())] : ' ';
  }
  return text;
}

}  // namespace

std::string timeline_text(const Timeline& timeline, double end) {
  const std::size_t ranks = timeline.ranks.size();
  if (!(end > 0) || ranks == 0) return "";
  const std::size_t step = (ranks + most_lines - 1) / most_lines;
  std::string text = "  0 to " + to_text(Seconds{end}) +
                     ", # computing, > sending, < receiving, . waiting, z sleeping" +
                     (step > 1 ? "; one of " + std::to_string(step) + " ranks" : "") + "\n";
  for (std::size_t r = 0; r < ranks; r += step) {
    std::string name = std::to_string(r);
    name.insert(0, 7 - std::min<std::size_t>(7, name.size()), ' ');
    text += name + " |" + row(timeline.ranks[r], end) + "|\n";
  }
  return text;
}

}  // namespace commgauge::tools
