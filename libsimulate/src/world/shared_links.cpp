// Messages on machines whose links are shared: each keeps the links of its route in turn.

#include <algorithm>
#include <tuple>

#include "world/world_state.hpp"

namespace commgauge::simulate {

/// Begins a route at its first processor. @param time  no sooner than any link was given away
void World::set_off(Offset place, Leg leg, double time) {
  Message& leaving = message(place);
  leaving.leg = leg;
  leaving.queued = time;
  leaving.at = place_of(leg == Leg::reply ? leaving.receiver : leaving.envelope.source);
  ask_for_link(place);
}

int World::place_of(int r) const { return machine_.network.places[index(r)]; }

/// The order of a heap whose top is the first that asks for a link; ranks decide where two do at
/// the same time.
bool World::asks_later(Offset a, Offset b) const {
  const auto key = [&](Offset place) {
    const Message& one = *arena_.at<Message>(place);
    return std::tuple{one.queued, one.envelope.source, one.number, one.receiver};
  };
  return key(a) > key(b);
}

void World::ask_for_link(Offset place) {
  if (region_.asking == region_.asking_places) {
    constexpr std::uint32_t least_places = 16;
    const std::uint32_t places = std::max(least_places, 2 * region_.asking_places);
    region_.asking_heap = arena_.grown<Offset>(region_.asking_heap, region_.asking, places);
    region_.asking_places = places;
  }
  asking()[region_.asking++] = place;
  std::push_heap(asking(), asking() + region_.asking,
                 [&](Offset a, Offset b) { return asks_later(a, b); });
}

Offset* World::asking() const { return arena_.at<Offset>(region_.asking_heap); }

double World::first_to_ask() const {
  return region_.asking == 0 ? never : arena_.at<Message>(asking()[0])->queued;
}

/// Gives links to those that ask for one before anything else can happen, until one of them is at
/// its end. @param least  bound(). @return whether there was any
bool World::give_links(double least) {
  bool any = false;
  for (bool has_arrived = false; !has_arrived && first_to_ask() < least; any = true) {
    Offset* const end = asking() + region_.asking;
    std::pop_heap(asking(), end, [&](Offset a, Offset b) { return asks_later(a, b); });
    --region_.asking;
    has_arrived = pass_link(*(end - 1));
  }
  return any;
}

/// @return whether it was the last link of the route
bool World::pass_link(Offset place) {
  Message& passing = message(place);
  const Network& network = machine_.network;
  const int to = place_of(passing.leg == Leg::reply ? passing.envelope.source : passing.receiver);
  const bool is_empty = passing.leg != Leg::data;
  const double size = is_empty ? 0 : static_cast<double>(passing.size);
  const std::int32_t link = network.next_link(passing.at, to);
  Given& given = arena_.at<Given>(region_.links_given)[link];
  const double start = std::max(passing.queued, given.until);
  const double keeps = network.keeps.at(size);
  given.until = start + keeps;
  const int sender = passing.envelope.source;
  const Moment starts =
      happens(sender, start, {{passing.is_ready, 0, Why::same, passing.id}, given.ends});
  given.ends = {starts, keeps, Why::link_keeping, passing.id, is_empty};
  passing.at = network.ends[index(link)];
  if (passing.at != to) {
    const double leads = network.leads.at(size);
    passing.queued = start + leads;
    passing.is_ready =
        happens(sender, passing.queued, {{starts, leads, Why::link_leading, passing.id, is_empty}});
    ask_for_link(place);
    return false;
  }
  passing.is_ready =
      happens(sender, given.until, {{starts, keeps, Why::link_keeping, passing.id, is_empty}});
  come_to_end(place, given.until);
  return true;
}

void World::come_to_end(Offset place, double time) {
  Message& here = message(place);
  if (here.leg == Leg::request || !here.rendezvous) {
    here.arrival = time;
    here.arrived = here.is_ready;
    here.end = time + here.receive_overhead;
    come_in(place);
    return;
  }
  const bool is_reply = here.leg == Leg::reply;
  const int waiting = is_reply ? here.envelope.source : here.receiver;
  Operation& ends = operation(is_reply ? here.sender : here.receive);
  ends.is_over = here.is_ready;
  become_known(ends, time);
  wake_if_ready(waiting);
  if (is_reply) set_off(place, Leg::data, time);
}

}  // namespace commgauge::simulate
