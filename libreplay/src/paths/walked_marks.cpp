#include "commgauge/replay/paths/walked_marks.hpp"

namespace commgauge::replay {

std::vector<std::vector<Mark>> walked_marks(const Result& result, const LongestPaths& paths,
                                            const LongestPaths::Delay& delay) {
  const std::vector<double> times = paths.times_with(delay);
  std::vector<std::vector<Mark>> marks = result.marks;
  for (auto& of_rank : marks) {
    for (Mark& mark : of_rank) mark.time = times[mark.moment];
  }
  return marks;
}

}  // namespace commgauge::replay
