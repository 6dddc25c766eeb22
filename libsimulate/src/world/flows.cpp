// Bytes that are under way together and share what they pass, by max-min fairness.
//
// Which rates they have changes whenever some begin or end, so an end is told when it is certain:
// as soon as nothing can begin before. What begins or ends at one time is one batch, in the order
// of senders; all that could belong to it is known by then. So it doesn't matter in which order
// ranks really run.

#include "world/carriers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "world/world_state.hpp"

namespace commgauge::simulate {

namespace {

/// Rates, and what is left of a carrier's time, that differ by no more are alike.
constexpr double alike = 1e-9;
constexpr int least_flow_places = 16;

}  // namespace

World::Flow& World::flow(int number) const { return arena_.at<Flow>(region_.flows)[number]; }

Offset World::carrier_of_link(int sender, int receiver) {
  Link& on_link = link(sender, receiver);
  if (on_link.carrier == 0) {
    on_link.carrier = arena_.allocate(sizeof(Carrier));
    *arena_.at<Carrier>(on_link.carrier) = {};
  }
  return on_link.carrier;
}

/// @param link  of hosts
Offset World::carrier_of_hosts(int link) const {
  return region_.carriers + (2 * index(region_.ranks) + index(link)) * sizeof(Carrier);
}

/// What the message's bytes pass; nothing that others could share: no uses.
World::Flow World::flow_of(Offset place) {
  const Message& message = this->message(place);
  const int from = message.envelope.source;
  const int to = message.receiver;
  const auto size = static_cast<double>(message.size);
  Flow flow{};
  flow.message = place;
  const auto port = [&](int r, int way) {
    return region_.carriers + (2 * index(r) + index(way)) * sizeof(Carrier);
  };
  const auto place_of_carrier = [&](CarrierKind kind, int number) -> Offset {
    switch (kind) {
      case CarrierKind::link:
        return carrier_of_link(from, to);
      case CarrierKind::out_port:
        return port(from, 0);
      case CarrierKind::in_port:
        return port(to, 1);
      case CarrierKind::host_link:
        break;
    }
    return carrier_of_hosts(number);
  };
  for_each_carrier(machine_, from, to, size, message.rendezvous,
                   [&](CarrierKind kind, int number, double needs) {
                     flow.use[index(flow.uses++)] = {place_of_carrier(kind, number), needs / size};
                     flow.alone = std::max(flow.alone, needs);
                   });
  flow.most = flow.uses > 0 ? size / flow.alone : 0;
  return flow;
}

int World::add_flow(const Flow& added) {
  if (region_.unused_flow == 0) {
    const int before = region_.flow_places;
    const int places = std::max(least_flow_places, 2 * before);
    region_.flows = arena_.grown<Flow>(region_.flows, index(before), index(places));
    for (int k = before; k < places; ++k) {
      flow(k) = {};
      flow(k).next_unused = k + 1 < places ? k + 2 : 0;
    }
    region_.flow_places = places;
    region_.unused_flow = before + 1;
    region_.flow_begins = RankHeap::grown(arena_, region_.flow_begins, places);
    region_.flow_ends = RankHeap::grown(arena_, region_.flow_ends, places);
  }
  const int number = region_.unused_flow - 1;
  region_.unused_flow = flow(number).next_unused;
  flow(number) = added;
  flow(number).added = region_.flows_added++;
  ++region_.flows_left;
  return number;
}

void World::remove_flow(int number) {
  flow(number).message = 0;
  flow(number).next_unused = region_.unused_flow;
  region_.unused_flow = number + 1;
  --region_.flows_left;
}

/// @param soonest  when its bytes can begin
/// @param end      of them, if nothing slows them [s]
void World::begin_at(Flow added, double soonest, double end) {
  added.begins = std::max(soonest, end - added.alone);
  added.end = std::max(end, added.begins);
  // What has no time left shares nothing.
  if (!(added.begins < added.end)) added.uses = 0;
  message(added.message).progress = Progress::shares;
  message(added.message).unhindered = added.end;
  const int number = add_flow(added);
  // What shares nothing need not begin.
  if (added.uses > 0) {
    RankHeap(arena_, region_.flow_begins).set(number, added.begins);
  } else {
    RankHeap(arena_, region_.flow_ends).set(number, added.end);
  }
}

/// An eager message, or a request, keeps its place among those of its pair.
void World::line_up(Offset place) {
  Message& leaving = message(place);
  leaving.held = false;
  leaving.next = 0;
  Link& on_link = link(leaving.envelope.source, leaving.receiver);
  (on_link.coming != 0 ? message(on_link.last_coming).next : on_link.coming) = place;
  on_link.last_coming = place;
}

/// It sets off behind those of its pair.
/// @param data  which a request comes behind
void World::go_among_others(Offset place, const Start& start, const Hindered& data) {
  Message& leaving = message(place);
  if (leaving.progress != Progress::shares) line_up(place);
  leaving.progress = Progress::waits;
  const int sender = leaving.envelope.source;
  const PairCosts& costs = machine_.pair(sender, leaving.receiver);
  const auto size = static_cast<double>(leaving.size);
  leaving.start = start.time;
  leaving.arrival =
      std::max(start.time + flight_of(costs, leaving.rendezvous, size) + leaving.late, data.until);
  leaving.is_ready = start.data;
  leaving.was_behind = data.until > 0 ? happens(sender, data.until, {data.why}) : beginning;
  if (machine_.sharing == Sharing::all && !leaving.rendezvous) {
    const Flow bytes = flow_of(place);
    if (bytes.uses > 0) begin_at(bytes, start.time, leaving.arrival);
    leaving.arrived =
        happens(sender, leaving.arrival,
                {{start.data, leaving.arrival - start.time, Why::flight, leaving.id}});
  }
  come_in_order(sender, leaving.receiver);
}

/// Lets the messages of a pair come in that are there, up to the first that isn't. Eager messages
/// that follow one another begin when the one before is over.
void World::come_in_order(int sender, int receiver) {
  const PairCosts& costs = machine_.pair(sender, receiver);
  for (;;) {
    const Offset place = link(sender, receiver).coming;
    if (place == 0 || message(place).progress == Progress::shares) return;
    Message& first = message(place);
    const bool is_over = first.progress == Progress::over;
    const Flow bytes = is_over || first.rendezvous ? Flow{} : flow_of(place);
    Link& on_link = link(sender, receiver);
    const double flight = flight_of(costs, first.rendezvous, static_cast<double>(first.size));
    const double unhindered = std::max(first.arrival, on_link.last_arrival + bytes.alone);
    if (!is_over) {
      first.arrived = happens(sender, unhindered,
                              {{first.is_ready, flight + first.late, Why::flight, first.id},
                               {first.was_behind, 0, Why::port, first.id},
                               {on_link.at_last_arrival, bytes.alone, Why::link, first.id}});
    } else if (on_link.last_arrival > first.arrival) {
      first.arrived = on_link.at_last_arrival;
    }
    if (bytes.uses > 0) {
      begin_at(bytes, std::max(first.start, on_link.last_arrival), unhindered);
      return;
    }
    on_link.coming = first.next;
    first.next = 0;
    first.arrival = unhindered;
    on_link.last_arrival = first.arrival;
    on_link.at_last_arrival = first.arrived;
    arrive(place, costs, first.start, flight);
  }
}

/// What has happened to a message's bytes is later, for others have slowed them.
/// @param by  so much [s]
Moment World::slowed(const Message& message, Moment at, double by, const Flow& bytes) {
  if (causes_ == nullptr || !(by > 0)) return at;
  causes_->set_shared(message.id, by / bytes.alone);
  Cause slows{at, by, Why::sharing, message.id};
  const SharedHostLinks::Route route = host_route(message);
  for (std::size_t leg = 0; leg < index(route.legs); ++leg) {
    const int link = route.stays[leg].link;
    if (link >= 0 && carrier_of_hosts(link) == bytes.slowed_by) slows = at_leg(leg, slows);
  }
  return happens(message.envelope.source, causes_->time(at) + by, {slows});
}

double World::first_of_flows() const {
  if (region_.flows_left == 0) return never;
  return std::min(RankHeap(arena_, region_.flow_begins).least(),
                  RankHeap(arena_, region_.flow_ends).least());
}

/// Its bytes have not passed before this time, even if nothing slows them from the bound on: until
/// then nothing changes.
double World::least_end(const Flow& one) const {
  const bool has_begun = one.share > 0;
  if (!has_begun) return one.end;
  if (one.passes <= region_.bound) return one.passes;
  // As set_share() has it, to the bit.
  const double at_full_rate = one.end + (1 - one.share) * (region_.bound - one.since);
  return std::max(std::nextafter(region_.bound, never), std::min(one.passes, at_full_rate));
}

/// None of the bytes that are under way, or will be, have passed before this time. O(flows)
double World::least_end_of_flows() const {
  double least = never;
  for (int k = 0; k < region_.flow_places; ++k) {
    if (flow(k).message != 0) least = std::min(least, least_end(flow(k)));
  }
  return least;
}

/// No rendezvous message of the rank, sent or received, whose bytes are under way is over before
/// this time; `never` if there is none. O(flows)
double World::first_passing(int r) const {
  double first = never;
  int found = 0;
  for (int k = 0; k < region_.flow_places; ++k) {
    if (flow(k).message == 0) continue;
    const Message& passing = *arena_.at<Message>(flow(k).message);
    if (passing.rendezvous && (passing.envelope.source == r || passing.receiver == r)) {
      first = std::min(first, least_end(flow(k)));
      ++found;
    }
  }
  // Others wait for bytes of anybody.
  return found < rank(r).transfers ? least_end_of_flows() : first;
}

/// Lets bytes begin or end that do so before anything else can happen.
/// @param others  bound(). @return whether any did. @pre there are some
bool World::pass_flows(double others) {
  const double begin = RankHeap(arena_, region_.flow_begins).least();
  const double end = RankHeap(arena_, region_.flow_ends).least();
  // What is sent at the bound may still begin then, but ends later.
  if (end <= begin && end <= others) {
    end_flows(end);
    return true;
  }
  if (!(begin < end && begin < others)) return false;
  begin_flows(begin);
  return true;
}

/// Takes what a heap has for that time into batch_, in the order of the messages.
void World::take_batch(RankHeap& heap, double time) {
  batch_.clear();
  heap.for_each_before(std::nextafter(time, never), [&](int number) { batch_.push_back(number); });
  const auto key = [&](int number) {
    const Message& one = message(flow(number).message);
    // Answers to accesses have one number. Of two ranks they are added in their order.
    return std::tuple{one.envelope.source, one.number, one.receiver, flow(number).added};
  };
  std::ranges::sort(batch_, [&](int a, int b) { return key(a) < key(b); });
  for (const int number : batch_) heap.set(number, never);
}

void World::begin_flows(double time) {
  RankHeap begins(arena_, region_.flow_begins);
  take_batch(begins, time);
  affected_.clear();
  for (const int number : batch_) {
    Flow& begun = flow(number);
    begun.since = time;
    begun.share = 1;
    begun.number = -1;
    affected_.push_back(number);
    join(number);
  }
  share_anew(time);
}

void World::end_flows(double time) {
  RankHeap ends(arena_, region_.flow_ends);
  take_batch(ends, time);
  affected_.clear();
  for (const int number : batch_) leave(number);
  for (const int number : batch_) add_kept_back(flow(number));
  share_anew(time);
  for (const int number : batch_) {
    const Flow ended = flow(number);
    remove_flow(number);
    end_flow(ended, time);
  }
}

/// It is certain when a message's bytes have passed.
void World::end_flow(const Flow& ended, double time) {
  Message& passed = message(ended.message);
  const int sender = passed.envelope.source;
  const int receiver = passed.receiver;
  passed.progress = Progress::over;
  const double by = std::max(0.0, time - passed.unhindered);
  if (!passed.rendezvous) {
    passed.arrived = slowed(passed, passed.arrived, by, ended);
    passed.arrival = time;
    come_in_order(sender, receiver);
    return;
  }
  --rank(sender).transfers;
  --rank(receiver).transfers;
  passed.is_ready = slowed(passed, passed.is_ready, by, ended);
  if (queues(passed)) is_under_way_no_more(passed, by, passed.is_ready);
  deliver(passed, passed.data_start + by, time);
  if (queues(passed)) let_go_behind(sender, time);
}

/// Those that an ended one kept from more are affected.
void World::add_kept_back(const Flow& ended) {
  for (const Flow::Use& freed : ended.all_uses()) {
    for (const int number : flows_on(freed.carrier)) {
      Flow& other = flow(number);
      if (other.bottleneck != freed.carrier || other.number != 0) continue;
      other.number = -1;
      affected_.push_back(number);
    }
  }
}

std::span<const int> World::flows_on(Offset carrier) const {
  const Carrier& on = *arena_.at<Carrier>(carrier);
  return {arena_.at<int>(on.flows), on.count};
}

void World::join(int number) {
  for (const Flow::Use& use : flow(number).all_uses()) {
    Carrier& carrier = *arena_.at<Carrier>(use.carrier);
    if (carrier.count == carrier.places) {
      const std::uint32_t places = std::max<std::uint32_t>(least_flow_places, 2 * carrier.places);
      carrier.flows = arena_.grown<int>(carrier.flows, carrier.count, places);
      carrier.places = places;
    }
    arena_.at<int>(carrier.flows)[carrier.count++] = number;
  }
}

/// O(flows of its carriers)
void World::leave(int number) {
  for (const Flow::Use& use : flow(number).all_uses()) {
    Carrier& carrier = *arena_.at<Carrier>(use.carrier);
    int* const flows = arena_.at<int>(carrier.flows);
    int* const here = std::find(flows, flows + carrier.count, number);
    std::copy(here + 1, flows + carrier.count, here);
    --carrier.count;
  }
}

/// Finds the shares of the affected flows, and of all others that these change.
void World::share_anew(double time) {
  const auto is_alone = [&](int number) {
    return std::ranges::all_of(flow(number).all_uses(), [&](const Flow::Use& use) {
      return flows_on(use.carrier).size() == 1;
    });
  };
  if (std::ranges::all_of(affected_, is_alone)) {
    for (const int number : affected_) {
      flow(number).bottleneck = 0;
      set_share(flow(number), number, 1, time);
    }
    return;
  }
  for (bool is_known = false; !is_known;) {
    find_shares();
    is_known = true;
    for (const Offset place : touched_carriers_) {
      if (take_in_others(place)) is_known = false;
    }
    for (const Offset place : touched_carriers_) arena_.at<Carrier>(place)->number = 0;
  }
  for (std::size_t k = 0; k < affected_.size(); ++k) {
    Flow& one = flow(affected_[k]);
    const int carrier = shares_.bottleneck(static_cast<int>(k));
    const bool has_all = carrier == FairShares::own_rate;
    one.bottleneck = has_all ? 0 : touched_carriers_[index(carrier)];
    if (!has_all) one.slowed_by = one.bottleneck;
    const double share = has_all ? 1 : shares_.rate(static_cast<int>(k)) / one.most;
    set_share(one, affected_[k], std::min(1.0, share), time);
  }
}

/// As if all but the affected flows kept what they have.
void World::find_shares() {
  shares_.clear();
  touched_carriers_.clear();
  for (std::size_t k = 0; k < affected_.size(); ++k) {
    flow(affected_[k]).number = static_cast<int>(k) + 1;
  }
  for (const int number : affected_) {
    const Flow& one = flow(number);
    std::array<FairShares::Use, Flow::most_uses> uses{};
    for (std::size_t u = 0; u < one.all_uses().size(); ++u) {
      const Offset place = one.use[u].carrier;
      Carrier& carrier = *arena_.at<Carrier>(place);
      if (carrier.number == 0) {
        touched_carriers_.push_back(place);
        carrier.number = shares_.add_carrier(left_by_others(place)) + 1;
      }
      uses[u] = {carrier.number - 1, one.use[u].per_byte};
    }
    (void)shares_.add_flow(one.most, {uses.data(), index(one.uses)});
  }
  shares_.fill();
}

double World::left_by_others(Offset carrier) const {
  double left = 1;
  for (const int number : flows_on(carrier)) {
    const Flow& other = flow(number);
    if (other.number == 0) left -= other.share * other.most * other.per_byte_on(carrier);
  }
  return std::max(0.0, left);
}

/// Adds those that have more of a carrier than it lets them, or less, to the affected flows.
/// @return whether there are any
bool World::take_in_others(Offset carrier) {
  const auto rate = [&](const Flow& one) {
    return one.number > 0 ? shares_.rate(one.number - 1) : one.share * one.most;
  };
  const int own_number = arena_.at<Carrier>(carrier)->number - 1;
  double used = 0;
  double highest = 0;
  double level = never;
  for (const int number : flows_on(carrier)) {
    const Flow& one = flow(number);
    used += rate(one) * one.per_byte_on(carrier);
    if (one.number <= 0) continue;
    highest = std::max(highest, rate(one));
    if (shares_.bottleneck(one.number - 1) == own_number) level = std::min(level, rate(one));
  }
  const bool is_full = used >= 1 - alike;
  bool any = false;
  for (const int number : flows_on(carrier)) {
    Flow& other = flow(number);
    if (other.number != 0) continue;
    const double has = rate(other);
    const bool has_too_much = is_full && has > level * (1 + alike);
    const bool deserves_more =
        other.bottleneck == carrier && (!is_full || highest > has * (1 + alike));
    if (!has_too_much && !deserves_more) continue;
    other.number = -1;
    affected_.push_back(number);
    any = true;
  }
  return any;
}

void World::set_share(Flow& one, int number, double share, double time) {
  one.number = 0;
  if (share != one.share) {
    one.end += (1 - one.share) * (time - one.since);
    one.since = time;
    one.share = share;
  }
  const double end = share == 1 ? one.end : one.since + (one.end - one.since) / share;
  one.passes = std::max({end, one.end, std::nextafter(time, never)});
  RankHeap(arena_, region_.flow_ends).set(number, one.passes);
}

}  // namespace commgauge::simulate
