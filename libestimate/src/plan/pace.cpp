#include "commgauge/plan/pace.hpp"

#include <algorithm>

namespace commgauge {

namespace {

constexpr double slack = 0.02;    ///< of the time for the passes, before it counts as behind
constexpr double telling = 0.05;  ///< of a pass, to tell from it how long the rest takes

}  // namespace

bool Pace::is_behind(Seconds now, double done) const {
  return now - begin > ((done - before) / (rounds * passes - before) + slack) * (budget - begin);
}

bool Pace::fits_another(Seconds now, int done) const {
  const double passes_since = done - before / rounds;
  if (done < std::min(fewest_passes, passes) || !(passes_since > 0)) return true;
  return now + (now - begin) / passes_since <= budget;
}

Seconds Pace::remaining(Seconds now, double done) const {
  const double since = done - before;
  if (since < telling * rounds || !(since > 0)) return {-1};
  const Seconds all = (rounds * passes - done) * (now - begin) / since;
  return std::max(Seconds{}, std::min(all, budget - now));
}

}  // namespace commgauge
