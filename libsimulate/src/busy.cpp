// When a port or a link is busy: a list of times, ascending, apart from one another.

#include <algorithm>

#include "world_state.hpp"

namespace commgauge::simulate {

/// Drops what is over by then. @pre nothing asks for an earlier time any more: only in the order of
/// serving, by the time in the queue
void World::forget(Offset& busy, double by) {
  while (busy != 0 && arena_.at<Busy>(busy)->until <= by) {
    const Offset over = busy;
    busy = arena_.at<Busy>(busy)->next;
    arena_.release(over);
  }
}

/// From when on it is free for so long; at once for what needs no time of it.
double World::first_free(Offset busy, double from, double needs) const {
  if (!(needs > 0)) return from;
  for (Offset place = busy; place != 0; place = arena_.at<Busy>(place)->next) {
    const Busy& taken = *arena_.at<Busy>(place);
    if (from + needs <= taken.from) break;
    from = std::max(from, taken.until);
  }
  return from;
}

/// @pre it is free then
void World::occupy(Offset& busy, double from, double until) {
  if (!(until > from)) return;
  Offset* link = &busy;
  Busy* before = nullptr;
  while (*link != 0 && arena_.at<Busy>(*link)->from < from) {
    before = arena_.at<Busy>(*link);
    link = &before->next;
  }
  if (before != nullptr && before->until >= from) {
    before->until = std::max(before->until, until);
    return;
  }
  const Offset place = arena_.allocate(sizeof(Busy));
  *arena_.at<Busy>(place) = {*link, from, until};
  *link = place;
}

/// What would pass it by that time, and needs it for so long before, does when it is free.
/// @return when it has passed
double World::pass(Offset& busy, double by, double needs) {
  const double wanted = by - needs;
  const double from = first_free(busy, wanted, needs);
  const double passed = from == wanted ? by : from + needs;
  occupy(busy, from, passed);
  return passed;
}

}  // namespace commgauge::simulate
