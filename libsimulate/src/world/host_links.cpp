// Messages of several ranks on the links of their hosts.

#include "commgauge/simulate/machine/shared_host_links.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "world/world_state.hpp"

namespace commgauge::simulate {

SharedHostLinks::Route World::host_route(const Message& message) const {
  if (!machine_.host_links.is_shared() || message.envelope.source == message.receiver) return {};
  return machine_.host_links.route(message.envelope.source, message.receiver);
}

/// Whether what keeps its receiver's port so long is what keeps the receiver's host's link: of a
/// rank whose port is no slower than that link, beyond what measurements tell apart, both were
/// measured.
bool World::is_port_a_host_link(const Message& message, double port) const {
  constexpr double clearly = 1.1;
  if (!machine_.host_links.is_shared() || message.size == 0) return false;
  const int sender = message.envelope.source;
  const double in =
      sender == message.receiver ? 0 : machine_.host_links.way_in(sender, message.receiver);
  return in > 0 && port <= clearly * static_cast<double>(message.size) * in;
}

/// Whether no message in any queue comes before this one. O(those that do)
bool World::is_first_of_all(const Message& message) const {
  bool is_first = true;
  first_in_queues_.for_each_before(std::nextafter(message.queued, never), [&](int r) {
    const Message& other = *arena_.at<Message>(rank(r).queue);
    if (&other != &message && precedes(other, message)) is_first = false;
  });
  return is_first;
}

/// What a message that needs a link for so long takes of it: all the time in which it is free, from
/// then on.
World::Passage World::passage(const Served& busy, double from, double needs) const {
  Passage taken{.needs = needs, .last_piece = needs};
  if (busy.before.after != beginning) taken.before = busy.before;
  double at = from;
  for (Offset place = busy.times; place != 0; place = arena_.at<Occupancy>(place)->next) {
    const Occupancy& other = *arena_.at<Occupancy>(place);
    if (at + taken.last_piece <= other.from) break;
    if (other.from > at) {
      if (!taken.is_begun) taken.begin(at);
      taken.last_piece -= other.from - at;
    }
    taken.waits = taken.waits || other.until > at;
    at = std::max(at, other.until);
    taken.before_last = other.ends;
    if (!taken.is_begun) taken.before = other.ends;
  }
  if (!taken.is_begun) taken.begin(at);
  taken.until = at + taken.last_piece;
  return taken;
}

/// It is busy all the time, with this message or, in between, with others.
void World::fill(Served& busy, double from, double until, const Cause& ends) {
  Offset* link = &busy.times;
  while (*link != 0 && arena_.at<Occupancy>(*link)->until < from)
    link = &arena_.at<Occupancy>(*link)->next;
  while (*link != 0 && arena_.at<Occupancy>(*link)->from < until) {
    const Offset within = *link;
    from = std::min(from, arena_.at<Occupancy>(within)->from);
    *link = arena_.at<Occupancy>(within)->next;
    arena_.release(within);
  }
  const Offset place = arena_.allocate(sizeof(Occupancy));
  *arena_.at<Occupancy>(place) = {*link, from, until, ends};
  *link = place;
}

/// A message passes one of its links. @param began  of its data on the link before, then on this
/// @return when it has passed
Cause World::pass_host(const Message& passing, std::size_t leg, Served& busy, const Passage& taken,
                       Moment& began) {
  const int sender = passing.envelope.source;
  began = happens(sender, taken.from, {{began, 0, Why::same, passing.id}, taken.before});
  Cause last{};
  if (taken.last_piece < taken.needs) {
    last = after(taken.before_last, sender,
                 at_leg(leg, {0, taken.last_piece, Why::host_link_piece, passing.id}));
    if (causes_ != nullptr) {
      causes_->set_last_piece(passing.id, leg, taken.last_piece / taken.needs);
    }
  }
  const Cause stay = at_leg(leg, {began, taken.needs, Why::host_link, passing.id});
  const Moment passed = happens(sender, taken.until, {stay, last});
  fill(busy, taken.from, taken.until, {passed, 0, Why::port});
  return {passed, 0, Why::same};
}

/// Lets a message have its hosts' links, each in the pieces of time in which it is free, those on
/// the way in no sooner than it begins to have the one before. A message that needn't wait takes as
/// long as alone; one that waits ends when its last byte has passed all, and no sooner than alone.
/// @param start  of its data. @param alone  what its bytes take by the pair's costs [s]
/// @param data  the start, where causes are kept
/// @return by how much it is later at its end than without others
World::Delayed World::pass_hosts(const Message& passing, double start, Moment data, double alone) {
  const SharedHostLinks::Route route = host_route(passing);
  Delayed delayed{.alone = alone};
  auto* const links = arena_.at<Served>(region_.host_links);
  const double gone = passing.queued - region_.look_back;
  double begin = start;
  double end = start;
  bool waits = false;
  Moment began = data;
  std::array<Cause, SharedHostLinks::Route::most_legs> passed{};
  for (std::size_t leg = 0; leg < index(route.legs); ++leg) {
    const SharedHostLinks::Stay& stay = route.stays[leg];
    if (stay.link < 0) continue;
    Served& busy = links[stay.link];
    forget(busy, gone);
    const Passage taken = passage(busy, begin, static_cast<double>(passing.size) * stay.keeps);
    Moment here = began;
    passed[leg] = pass_host(passing, leg, busy, taken, here);
    if (stay.leads) {
      begin = taken.from;
      began = here;
    }
    end = std::max(end, taken.until);
    waits = waits || taken.waits;
  }
  delayed.by = waits ? std::max(0.0, end - alone - start) : 0;
  if (delayed.by > 0 || end - alone <= start) {
    delayed.passed =
        happens(passing.envelope.source, end, std::span{passed.data(), index(route.legs)});
  }
  return delayed;
}

}  // namespace commgauge::simulate
