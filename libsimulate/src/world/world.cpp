#include "commgauge/simulate/world/world.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <string_view>

#include "world/world_state.hpp"

namespace commgauge::simulate {

Offset World::set_up(Arena& arena, const Machine& machine, int threads_per_rank) {
  const auto n = index(machine.ranks);
  const Offset start = arena.reserve(sizeof(Region));
  auto* region = new (arena.at<Region>(start)) Region{};
  region->ranks = region->running = machine.ranks;
  region->look_ahead = least_look_ahead(machine);
  if (machine.network.is_shared()) {
    // What is under way may be one link from its end, wherever the ranks are.
    region->look_ahead = std::min(region->look_ahead, machine.network.keeps.least());
    region->links_given = arena.reserve(machine.network.ends.size() * sizeof(Given));
  }
  if (machine.host_links.is_shared()) {
    // A message is served when the bound is beyond its start, and must not be behind the horizon
    // then, whatever is rounded.
    region->look_ahead *= 1 - 0x1p-10;
    region->host_links = arena.reserve(machine.host_links.links() * sizeof(Served));
  }
  if (machine.sharing != Sharing::none) {
    region->carriers = arena.reserve((2 * n + machine.host_links.links()) * sizeof(Carrier));
  }
  region->rank_states = arena.reserve((n + 1) * sizeof(Rank));
  const auto address = reinterpret_cast<std::uintptr_t>(arena.at<Rank>(region->rank_states));
  region->rank_states += (alignof(Rank) - address % alignof(Rank)) % alignof(Rank);
  region->first_decisions = RankHeap::set_up(arena, machine.ranks);
  region->first_in_queues = RankHeap::set_up(arena, machine.ranks);
  region->look_back = look_back(machine);
  for (int r = 0; r < machine.ranks; ++r) {
    auto* rank = new (arena.at<Rank>(region->rank_states) + r) Rank{};
    rank->pending = never;
    rank->effects_free = -never;
    rank->first_thread.waiting = Waiting::running;
    rank->first_thread.rank = r;
    rank->first_thread.follows = -1;
    rank->next_number = 1;
  }
  region->threads = arena.reserve(n * index(threads_per_rank) * sizeof(Actor));
  region->threads_per_rank = threads_per_rank;
  region->last_thread = machine.ranks;
  return start;
}

World::World(Arena& arena, Offset region, const Machine& machine, Driver& driver)
    : arena_{arena},
      region_{*arena.at<Region>(region)},
      ranks_{arena.at<Rank>(region_.rank_states)},
      threads_{arena.at<Actor>(region_.threads)},
      machine_{machine},
      driver_{driver},
      first_decisions_{arena, region_.first_decisions},
      first_in_queues_{arena, region_.first_in_queues} {
  for (int r = 0; r < region_.ranks; ++r) processors_.emplace_back(machine.disturbances, r);
  if (!machine.requests_queue) return;
  std::map<std::string_view, int> numbers;
  for (const std::string& host : machine.hosts) {
    hosts_.push_back(numbers.emplace(host, static_cast<int>(numbers.size())).first->second);
  }
}

World::Rank& World::rank(int r) const { return ranks_[r]; }

World::Actor& World::actor(int a) const {
  return a < region_.ranks ? ranks_[a].first_thread : threads_[a - region_.ranks];
}

void World::publish(int a, double clock) {
  std::atomic<double>& published = actor(a).clock;
  if (clock > published.load(std::memory_order_relaxed)) {
    published.store(clock, std::memory_order_release);
  }
}

double World::published(int a) const { return actor(a).clock.load(std::memory_order_relaxed); }

bool World::is_blocked(int a) const {
  const Waiting waiting = actor(a).waiting;
  return waiting != Waiting::running && waiting != Waiting::finished && waiting != Waiting::absent;
}

/// The place of a link in a table, or where it would be.
template <class Link>
Link& find_link(Link* table, std::uint32_t places, int to) {
  constexpr std::uint32_t spread = 2654435769;  // Knuth: 2^32 by the golden ratio
  std::uint32_t place = static_cast<std::uint32_t>(to) * spread & (places - 1);
  while (table[place].to >= 0 && table[place].to != to) place = (place + 1) & (places - 1);
  return table[place];
}

World::Link& World::link(int sender, int receiver) {
  Rank& from = rank(sender);
  if (from.link_places > 0) {
    Link& known = find_link(arena_.at<Link>(from.links), from.link_places, receiver);
    if (known.to == receiver) return known;
  }
  if (2 * (from.linked + 1) > from.link_places) grow_links(from);
  Link& added = find_link(arena_.at<Link>(from.links), from.link_places, receiver);
  added.to = receiver;
  ++from.linked;
  return added;
}

void World::grow_links(Rank& from) {
  constexpr std::uint32_t least_places = 2;
  const std::uint32_t places = std::max(least_places, 2 * from.link_places);
  const Offset grown = arena_.allocate(places * sizeof(Link));
  Link unused{};
  unused.to = -1;
  std::fill_n(arena_.at<Link>(grown), places, unused);
  for (std::uint32_t i = 0; i < from.link_places; ++i) {
    const Link& old = arena_.at<Link>(from.links)[i];
    if (old.to >= 0) find_link(arena_.at<Link>(grown), places, old.to) = old;
  }
  if (from.links != 0) arena_.release(from.links);
  from.links = grown;
  from.link_places = places;
}

Offset World::send(int sender, const Sending& sending) {
  const PairCosts& costs = machine_.pair(sender, sending.to);
  const auto size = static_cast<double>(sending.size);
  const Offset place = arena_.allocate(sizeof(Message));
  auto& message = *new (arena_.at<Message>(place)) Message{};
  Rank& from = rank(sender);
  message.envelope = {sending.context, sender, sending.tag};
  message.receiver = sending.to;
  message.rendezvous = sending.rendezvous;
  message.number = from.sent++;
  if (costs.is_late_by_chance() && sending.to != sender) {
    const auto lateness = [&](Jitter::Leg leg, double mean) {
      return mean * machine_.jitter.lateness(sender, sending.to, message.number, leg);
    };
    const double with_data = costs.jitter + costs.jitter_per_byte * size;
    message.late = lateness(Jitter::Leg::message, sending.rendezvous ? costs.jitter : with_data);
    if (sending.rendezvous) message.answer_late = lateness(Jitter::Leg::answer, with_data);
    if (causes_ != nullptr) causes_->set_late(sending.id, message.late, message.answer_late);
  }
  message.start = message.ready = sending.start;
  message.arrival = sending.start + flight_of(costs, sending.rendezvous, size) + message.late;
  message.receive_overhead = costs.receive_overhead.at(size);
  message.gap = costs.gap.at(size);
  message.longer = sending.longer;
  message.size = sending.size;
  message.port = costs.port.at(size);
  message.has_port = keeps_ports_in_turn(costs) && !is_port_a_host_link(message, message.port);
  message.payload = sending.payload;
  message.sent = sending.at;
  message.id = sending.id;
  message.effect = sending.effect;
  message.answer = sending.answer;
  if (sending.rendezvous || sending.effect != Effect::none) {
    message.sender = arena_.allocate(sizeof(Operation));
    auto& operation = *new (arena_.at<Operation>(message.sender)) Operation{};
    operation.wanted = {sending.context, sending.to, sending.tag};
    operation.posted = sending.start;
    operation.owner = sender;
    operation.is_send = true;
    operation.effect = sending.effect;
  }
  if (sending.rendezvous) {
    (from.open_sends_last != 0 ? this->message(from.open_sends_last).next_open : from.open_sends) =
        place;
    from.open_sends_last = place;
  }
  if (sending.effect != Effect::none) ++from.open_effects;
  const Offset sent = message.sender;
  const bool has_to_wait =
      sending.rendezvous
          ? from.held > 0 || (queues(message) && may_have_data_ahead(from, place, sending.start))
          : from.departing > 0 || from.open_sends != 0 || passes_hosts(message) || from.windows > 0;
  if (machine_.network.is_shared() && sending.to != sender) {
    message.is_ready = message.sent;
    set_off(place, sending.rendezvous ? Leg::request : Leg::data, sending.start);
  } else if (has_to_wait && sending.to != sender) {
    hold(place);
  } else {
    depart(place);
  }
  touch(sender);
  driver_.changed(*this);
  return sent;
}

Offset World::post(int receiver, const Envelope& wanted, double now, Moment at) {
  const Offset place = arena_.allocate(sizeof(Operation));
  auto& operation = *new (arena_.at<Operation>(place)) Operation{};
  operation.wanted = wanted;
  operation.owner = receiver;
  operation.posted = now;
  operation.was_posted = at;
  Rank& state = rank(receiver);
  (state.posted_last != 0 ? this->operation(state.posted_last).next : state.posted) = place;
  state.posted_last = place;
  match_receive(receiver, wanted);
  touch(receiver);
  if (!first_in_queues_.is_empty() || region_.asking > 0 || region_.flows_left > 0 ||
      driver_.follows_real_time()) {
    driver_.changed(*this);
  }
  return place;
}

Offset World::post_for(int receiver, Offset message, double now, Moment at) {
  const Offset place = arena_.allocate(sizeof(Operation));
  auto& operation = *new (arena_.at<Operation>(place)) Operation{};
  operation.wanted = this->message(message).envelope;
  operation.owner = receiver;
  operation.posted = now;
  operation.was_posted = at;
  match_with(receiver, message, place);
  driver_.changed(*this);
  return place;
}

void World::drop(Offset place) {
  if (const Offset message = operation(place).message; message != 0) drop_message(message);
  arena_.release(place);
}

void World::drop_message(Offset place) {
  if (const Offset payload = message(place).payload; payload != 0) arena_.release(payload);
  arena_.release(place);
}

void World::finish(int r) {
  for_each_actor(r, [&](Actor& actor) {
    if (actor.waiting == Waiting::running) --region_.running;
    actor.waiting = Waiting::finished;
  });
  touch(r);
  refresh(r);
  driver_.changed(*this);
}

}  // namespace commgauge::simulate
