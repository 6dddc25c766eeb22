// When a port or a link is busy: a list of times, ascending, apart from one another.

#include <algorithm>

#include "world_state.hpp"

namespace commgauge::simulate {

/// Drops what is over by then. @pre nothing asks for an earlier time any more: only in the order of
/// serving, by the time in the queue
void World::forget(Served& busy, double by) {
  while (busy.times != 0 && arena_.at<Busy>(busy.times)->until <= by) {
    const Offset over = busy.times;
    busy.times = arena_.at<Busy>(over)->next;
    busy.before = arena_.at<Busy>(over)->ends;
    arena_.release(over);
  }
}

/// From when on it is free for so long; at once for what needs no time of it.
/// @param before  becomes why not earlier, if there is a reason
double World::first_free(const Served& busy, double from, double needs, Cause& before) const {
  if (!(needs > 0)) return from;
  if (busy.before.after != beginning) before = busy.before;
  double last = 0;
  for (Offset place = busy.times; place != 0; place = arena_.at<Busy>(place)->next) {
    const Busy& taken = *arena_.at<Busy>(place);
    if (from + needs <= taken.from) break;
    from = std::max(from, taken.until);
    // One may lie within another.
    if (taken.until >= last) before = taken.ends;
    last = std::max(last, taken.until);
  }
  return from;
}

/// @pre it is free then
/// @param ends  why it is busy until then
void World::occupy(Served& busy, double from, double until, const Cause& ends) {
  if (!(until > from)) return;
  Offset* link = &busy.times;
  Busy* before = nullptr;
  while (*link != 0 && arena_.at<Busy>(*link)->from < from) {
    before = arena_.at<Busy>(*link);
    link = &before->next;
  }
  if (before != nullptr && before->until >= from) {
    if (until >= before->until) {
      before->until = until;
      before->ends = ends;
    }
    return;
  }
  const Offset place = arena_.allocate(sizeof(Busy));
  *arena_.at<Busy>(place) = {*link, from, until, ends};
  *link = place;
}

/// What would pass it by that time, and needs it for so long before, does when it is free.
/// @return when it has passed
double World::pass(const Served& busy, double by, double needs, Cause& before) {
  const double wanted = by - needs;
  const double from = first_free(busy, wanted, needs, before);
  return from == wanted ? by : from + needs;
}

}  // namespace commgauge::simulate
