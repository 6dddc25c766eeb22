#include "commgauge/plan/pace.hpp"

#include <algorithm>

namespace commgauge {

namespace {

constexpr double slack = 0.02;    ///< of the time for the passes, before it counts as behind
constexpr double telling = 0.05;  ///< of a pass, to tell from it how long the rest takes

}  // namespace

bool Pace::is_behind(double now_s, double done) const {
  const double due_s = (budget_s - begin_s) * (done / (rounds * passes) + slack);
  return now_s - begin_s > due_s;
}

bool Pace::fits_another(double now_s, int done) const {
  if (done < std::min(fewest_passes, passes)) return true;
  return now_s + (now_s - begin_s) / done <= budget_s;
}

double Pace::remaining_s(double now_s, double done) const {
  if (done < telling * rounds || !(done > 0)) return -1;
  const double all = (now_s - begin_s) * (rounds * passes - done) / done;
  return std::max(0.0, std::min(all, budget_s - now_s));
}

}  // namespace commgauge
