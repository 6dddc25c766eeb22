// When a port or a link is busy: a list of times, ascending, apart from one another.

#include <algorithm>

#include "world/world_state.hpp"

namespace commgauge::simulate {

namespace {

/// Whether what is between the end of one time and the beginning of another is but rounding: a few
/// steps of a double, too short for any message.
bool reaches(double until, double from) {
  constexpr double rounding = 0x1p-49;
  return from - until <= rounding * from;
}

}  // namespace

/// Drops what is over by then. @pre nothing asks for an earlier time any more: only in the order of
/// serving, by the time in the queue
void World::forget(Served& busy, double by) {
  while (busy.times != 0 && arena_.at<Occupancy>(busy.times)->until <= by) {
    const Offset over = busy.times;
    busy.times = arena_.at<Occupancy>(over)->next;
    busy.before = arena_.at<Occupancy>(over)->ends;
    arena_.release(over);
  }
  if (busy.times == 0) busy.last = 0;
}

/// The last time that begins no later, or 0. O(1) behind all that begin
Offset World::begun_by(const Served& busy, double from) const {
  if (busy.last != 0 && arena_.at<Occupancy>(busy.last)->from <= from) return busy.last;
  Offset begun = 0;
  for (Offset place = busy.times; place != 0 && arena_.at<Occupancy>(place)->from <= from;
       place = arena_.at<Occupancy>(place)->next) {
    begun = place;
  }
  return begun;
}

/// From when on it is free for so long; at once for what needs no time of it.
/// @param before  becomes why not earlier, if there is a reason
double World::first_free(const Served& busy, double from, double needs, Cause& before) const {
  if (!(needs > 0)) return from;
  if (busy.before.after != beginning) before = busy.before;
  const Offset begun = begun_by(busy, from);
  for (Offset place = begun != 0 ? begun : busy.times; place != 0;
       place = arena_.at<Occupancy>(place)->next) {
    const Occupancy& taken = *arena_.at<Occupancy>(place);
    if (from + needs <= taken.from) break;
    from = std::max(from, taken.until);
    before = taken.ends;
  }
  return from;
}

/// @pre it is free then, but for rounding
/// @param ends  why it is busy until then
void World::occupy(Served& busy, double from, double until, const Cause& ends) {
  if (!(until > from)) return;
  Offset place = begun_by(busy, from);
  Occupancy* const begun = place != 0 ? arena_.at<Occupancy>(place) : nullptr;
  if (begun == nullptr || !reaches(begun->until, from)) {
    Offset& link = begun != nullptr ? begun->next : busy.times;
    place = arena_.allocate(sizeof(Occupancy));
    *arena_.at<Occupancy>(place) = {link, from, until, ends};
    link = place;
  } else if (until >= begun->until) {
    begun->until = until;
    begun->ends = ends;
  }
  take_in(busy, place);
}

/// Makes one of a time and those behind it that it reaches.
void World::take_in(Served& busy, Offset place) {
  Occupancy& whole = *arena_.at<Occupancy>(place);
  while (whole.next != 0 && reaches(whole.until, arena_.at<Occupancy>(whole.next)->from)) {
    const Offset taken = whole.next;
    const Occupancy& within = *arena_.at<Occupancy>(taken);
    if (within.until >= whole.until) {
      whole.until = within.until;
      whole.ends = within.ends;
    }
    whole.next = within.next;
    arena_.release(taken);
  }
  if (whole.next == 0) busy.last = place;
}

/// What would pass it by that time, and needs it for so long before, does when it is free.
/// @return when it has passed
double World::pass(const Served& busy, double by, double needs, Cause& before) {
  const double wanted = by - needs;
  const double from = first_free(busy, wanted, needs, before);
  return from == wanted ? by : from + needs;
}

}  // namespace commgauge::simulate
