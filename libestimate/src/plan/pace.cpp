#include "commgauge/plan/pace.hpp"

#include <algorithm>

namespace commgauge {

namespace {

constexpr double slack = 0.02;    ///< of the time for the passes, before it counts as behind
constexpr double telling = 0.05;  ///< of a pass, to tell from it how long the rest takes

}  // namespace

bool Pace::is_behind(Seconds now, double done) const {
  return now - begin > (done / (rounds * passes) + slack) * (budget - begin);
}

bool Pace::fits_another(Seconds now, int done) const {
  if (done < std::min(fewest_passes, passes)) return true;
  return now + (now - begin) / done <= budget;
}

Seconds Pace::remaining(Seconds now, double done) const {
  if (done < telling * rounds || !(done > 0)) return {-1};
  const Seconds all = (rounds * passes - done) * (now - begin) / done;
  return std::max(Seconds{}, std::min(all, budget - now));
}

}  // namespace commgauge
