// Messages on machines whose links are shared: each keeps the links of its way in turn.

#include <algorithm>
#include <tuple>

#include "world_state.hpp"

namespace commgauge::simulate {

/// Begins a way at its first processor. @param time  no sooner than any link was given away
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
    return std::tuple{one.queued, one.envelope.source, one.number};
  };
  return key(a) > key(b);
}

void World::ask_for_link(Offset place) {
  if (region_.asking == region_.asking_places) {
    constexpr std::uint32_t least_places = 16;
    const std::uint32_t places = std::max(least_places, 2 * region_.asking_places);
    const Offset grown = arena_.allocate(places * sizeof(Offset));
    std::copy_n(asking(), region_.asking, arena_.at<Offset>(grown));
    if (region_.asking_heap != 0) arena_.release(region_.asking_heap);
    region_.asking_heap = grown;
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

/// @return whether it was the last link of the way
bool World::pass_link(Offset place) {
  Message& passing = message(place);
  const Network& network = machine_.network;
  const int to = place_of(passing.leg == Leg::reply ? passing.envelope.source : passing.receiver);
  const double size = passing.leg == Leg::data ? static_cast<double>(passing.size) : 0;
  const std::int32_t link = network.next_link(passing.at, to);
  double& free = arena_.at<double>(region_.links_free)[link];
  const double start = std::max(passing.queued, free);
  free = start + network.keeps.at(size);
  passing.at = network.ends[index(link)];
  if (passing.at != to) {
    passing.queued = start + network.leads.at(size);
    ask_for_link(place);
    return false;
  }
  come_to_end(place, free);
  return true;
}

void World::come_to_end(Offset place, double time) {
  Message& here = message(place);
  if (here.leg == Leg::request || !here.rendezvous) {
    here.arrival = time;
    here.end = time + here.receive_overhead;
    come_in(place);
    return;
  }
  const bool is_reply = here.leg == Leg::reply;
  const int waiting = is_reply ? here.envelope.source : here.receiver;
  become_known(waiting, operation(is_reply ? here.sender : here.receive), time);
  wake_if_ready(waiting);
  if (is_reply) set_off(place, Leg::data, time);
}

}  // namespace commgauge::simulate
