// Messages that wait for ports and links: which comes next, when its data start, when it is over.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "world/world_state.hpp"

namespace commgauge::simulate {

double after_queueing(const Message& message) { return std::nextafter(message.queued, never); }

/// The order in which ports serve messages. What is sent goes before what is matched at that time.
bool World::precedes(const Message& a, const Message& b) {
  return std::tuple{a.queued, !a.held, a.envelope.source, a.number, a.receiver} <
         std::tuple{b.queued, !b.held, b.envelope.source, b.number, b.receiver};
}

Offset& World::next_in_queue(int r, Message& message) {
  return message.envelope.source == r ? message.next : message.next_received;
}

void World::queue_changed(int r) {
  const Offset place = rank(r).queue;
  if (place == 0) {
    first_in_queues_.set(r, never);
    return;
  }
  // A held message may have an effect as soon as the look-ahead allows, see after_queueing().
  const Message& first = message(place);
  const bool goes_at_once = first.held && !in_order_of_all(first);
  first_in_queues_.set(r, goes_at_once ? std::nextafter(first.queued, -never) : first.queued);
  touch(r);
}

/// Whether it keeps hosts' links in turn with what other ranks send: then there is one order of
/// all.
bool World::passes_hosts(const Message& message) const {
  return !is_shared_fairly() && machine_.host_links.is_shared() && message.size > 0 &&
         std::ranges::any_of(host_route(message), [](const auto& stay) { return stay.link >= 0; });
}

/// Of requests only the data do.
bool World::in_order_of_all(const Message& message) const {
  return (!message.held || !message.rendezvous) && passes_hosts(message);
}

/// Something has changed that may let the rank's first message go.
void World::touch(int r) {
  if (rank(r).queue != 0) touched_.push_back(r);
}

/// What is added one after the other mostly stands so there, too.
void World::enqueue(int r, Offset place) {
  Rank& owner = rank(r);
  Message& added = message(place);
  Offset* link = &owner.queue;
  if (owner.added_last != 0 && precedes(message(owner.added_last), added)) {
    link = &next_in_queue(r, message(owner.added_last));
  }
  while (*link != 0 && precedes(message(*link), added)) link = &next_in_queue(r, message(*link));
  next_in_queue(r, added) = *link;
  *link = place;
  owner.added_last = place;
  if (owner.queue == place) queue_changed(r);
}

/// @pre the message is the first one there
void World::dequeue(int r, Message& message) {
  Rank& owner = rank(r);
  if (owner.added_last == owner.queue) owner.added_last = 0;
  owner.queue = next_in_queue(r, message);
  queue_changed(r);
}

/// Keeps a message back: what its sender has sent before may still come first at its port.
void World::hold(Offset place) {
  Message& held = message(place);
  const int sender = held.envelope.source;
  held.held = true;
  held.queued = held.start;
  ++rank(sender).held;
  ++rank(sender).departing;
  enqueue(sender, place);
}

void World::queue_transfer(Offset place) {
  const Message& added = message(place);
  ++rank(added.envelope.source).departing;
  enqueue(added.envelope.source, place);
  enqueue(added.receiver, place);
}

/// @return whether the message was in the rank's queue
bool World::leave_queue(int r, Offset place) {
  const bool was_first = rank(r).queue == place;
  Offset* link = &rank(r).queue;
  while (*link != 0 && *link != place) link = &next_in_queue(r, message(*link));
  if (*link == 0) return false;
  if (rank(r).added_last == place) rank(r).added_last = 0;
  *link = next_in_queue(r, message(place));
  if (was_first) queue_changed(r);
  return true;
}

/// No rendezvous message of the rank, sent or received, that is matched and waits for its ports is
/// over before this time; `never` if there is none.
double World::first_transfer(int r) const {
  double first = never;
  for (Offset place = rank(r).queue; place != 0;) {
    Message& waiting = *arena_.at<Message>(place);
    place = next_in_queue(r, waiting);
    // Nor are those behind it.
    if (waiting.queued >= first) break;
    if (waiting.held) continue;
    const int sender = waiting.envelope.source;
    const PairCosts& costs = machine_.pair(sender, waiting.receiver);
    const Curve& part = sender == r ? costs.rendezvous_sender : costs.rendezvous_receiver;
    const double end = waiting.ready + part.at(static_cast<double>(waiting.size));
    first = std::min(first, std::max(end, after_queueing(waiting)));
  }
  return first;
}

/// When the first rendezvous message that the rank has sent may be matched, of those that wait for
/// a decision at their receivers.
double World::first_undecided(int r) const {
  double first = never;
  for (Offset place = rank(r).open_sends; place != 0;) {
    const Message& open = *arena_.at<Message>(place);
    if (fits_a_receive(open)) first = std::min(first, open.arrival);
    place = open.next_open;
  }
  return first;
}

/// Whether no other message can come before this one at the rank's ports. One of a rank that has
/// receives posted, rendezvous sends open or a window can be matched, or asked for, by what any
/// rank does; without those, only by what that rank does itself, which it does when its wait is
/// over: one that waits for all of its messages, none of them open, waits for those that are queued
/// here.
bool World::comes_next(int r, const Message& message, double least) const {
  const Rank& state = rank(r);
  double known = least;
  if (state.posted == 0 && state.open_sends == 0 && state.windows == 0 && state.transfers == 0) {
    double first = never;
    for_each_actor(r, [&](const Actor& one) {
      if (one.waiting == Waiting::running) {
        first = std::min(first, one.clock.load(std::memory_order_acquire));
      } else if (one.waiting != Waiting::all && one.waiting != Waiting::finished &&
                 one.waiting != Waiting::sleeping && one.waiting != Waiting::dozing) {
        first = least;
      }
    });
    if (first == never) return true;
    known = std::max(least, first);
  }
  return message.held ? message.queued <= known : message.queued < known;
}

/// Whether the first message in the rank's queue is the first one at all of its ports, and none can
/// come before it any more.
bool World::may_be_served(int r, double least) const {
  const Offset place = rank(r).queue;
  const Message& first = *arena_.at<Message>(place);
  const int sender = first.envelope.source;
  if (rank(sender).queue != place || !comes_next(sender, first, least)) return false;
  if (in_order_of_all(first) && !(first.queued < least && is_first_of_all(first))) return false;
  return first.held ||
         (rank(first.receiver).queue == place && comes_next(first.receiver, first, least));
}

/// Lets those messages have their ports of which it is certain that none comes before them there.
/// @param least  bound(). @return whether there was any. O(ranks that were looked at)
bool World::serve_next(double least) {
  const auto add = [&](int r) { touched_.push_back(r); };
  first_in_queues_.for_each_before(least, add);
  bool any = false;
  while (!touched_.empty()) {
    const int r = touched_.back();
    touched_.pop_back();
    if (rank(r).queue == 0 || !may_be_served(r, least)) continue;
    serve(rank(r).queue);
    any = true;
  }
  return any;
}

/// @pre the message is the first one at its ports
void World::serve(Offset place) {
  Message& served = message(place);
  Rank& sender = rank(served.envelope.source);
  --sender.departing;
  dequeue(served.envelope.source, served);
  if (served.held) {
    --sender.held;
    depart(place);
    return;
  }
  dequeue(served.receiver, served);
  transfer(place);
}

/// What has to pass after the end of another message's stay at a port or on a link.
/// @param before  that end: its delay is a cost of the other message
/// @param own     what has to pass then
Cause World::after(const Cause& before, int r, Cause own) {
  if (causes_ == nullptr || (before.after == beginning && !(before.delay > 0))) return {};
  own.after = causes_->happens(r, causes_->time(before.after) + before.delay, {before});
  return own;
}

/// A message leaves its sender: if it is an eager one with its data, else its request.
/// @param no_sooner  than this it is there, where links are shared fairly [s]
void World::depart(Offset place, double no_sooner) {
  Message& leaving = message(place);
  const int sender = leaving.envelope.source;
  const PairCosts& costs = machine_.pair(sender, leaving.receiver);
  const auto size = static_cast<double>(leaving.size);
  if (queues(leaving) && leaving.rendezvous &&
      has_to_wait(place, sender, leaving.receiver, leaving.start)) {
    if (leaving.progress != Progress::shares) line_up(place);
    leaving.progress = Progress::shares;
    return;
  }
  Hindered data{.until = no_sooner};
  const Start set_off =
      leaving.rendezvous ? start_of_request(leaving, data) : start_at_port(leaving, costs);
  // Of a rendezvous only the request, without data, travels before the receiver answers.
  if (is_shared_fairly()) {
    go_among_others(place, set_off, data);
    return;
  }
  const double keeps = costs.link.at(leaving.rendezvous ? 0 : size);
  Link& on_link = link(sender, leaving.receiver);
  const double flight = flight_of(costs, leaving.rendezvous, size);
  const double unhindered = set_off.time + flight;
  leaving.arrival = std::max({unhindered + leaving.late, on_link.last_arrival + keeps, data.until});
  Delayed at_hosts{};
  if (!leaving.rendezvous && passes_hosts(leaving)) {
    at_hosts = pass_hosts(leaving, set_off.time, set_off.data, of_bytes(costs.one_way, size));
    if (at_hosts.by > 0) leaving.arrival = std::max(leaving.arrival, unhindered + at_hosts.by);
  }
  Cause before{};
  bool passes = false;
  if (!leaving.rendezvous) {
    forget(on_link.data, leaving.start - region_.look_back);
    passes = leaving.held || on_link.data.times != 0;
    if (passes) leaving.arrival = pass(on_link.data, leaving.arrival, keeps, before);
  }
  leaving.arrived = happens(sender, leaving.arrival,
                            {{set_off.data, flight + leaving.late, Why::flight, leaving.id},
                             {on_link.at_last_arrival, keeps, Why::link, leaving.id},
                             at_hosts.rest(flight, Why::host_flight, leaving.id),
                             after(data.why, sender, {0, 0, Why::port, leaving.id}),
                             after(before, sender, {0, keeps, Why::link, leaving.id})});
  if (leaving.rendezvous) {
    leaving.behind = on_link.last_eager;
    leaving.was_behind = on_link.at_last_eager;
  } else {
    if (passes) {
      occupy(on_link.data, leaving.arrival - keeps, leaving.arrival,
             {leaving.arrived, 0, Why::port});
    }
    on_link.last_eager = leaving.arrival;
    on_link.at_last_eager = leaving.arrived;
  }
  on_link.last_arrival = leaving.arrival;
  on_link.at_last_arrival = leaving.arrived;
  leaving.held = false;
  arrive(place, costs, set_off.time, flight);
}

/// It is known when an eager message arrives, or a request.
/// @param set_off  from its port [s]. @param flight  flight_of() it [s]
void World::arrive(Offset place, const PairCosts& costs, double set_off, double flight) {
  Message& leaving = message(place);
  leaving.start = set_off + (leaving.arrival - (set_off + flight));
  leaving.end = leaving.start + costs.one_way.at(static_cast<double>(leaving.size));
  if (leaving.effect != Effect::none) {
    // Its last byte is there. Where a message keeps both ranks all the time, at its end only.
    const double since = leaving.arrival;
    const double in = costs.keeps_receiver ? leaving.end : leaving.end - leaving.receive_overhead;
    leaving.arrival = std::max(since, in);
    leaving.arrived =
        happens(leaving.envelope.source, leaving.arrival,
                {{leaving.arrived, leaving.arrival - since, Why::delivery, leaving.id}});
  }
  come_in(place);
}

/// It is known when a message, or its request, arrives.
void World::come_in(Offset place) {
  const Message& coming = message(place);
  if (coming.effect != Effect::none) {
    reach(place);
    return;
  }
  const int receiver = coming.receiver;
  insert(receiver, place);
  match_message(receiver, coming);
  refresh(receiver);
  wake_if_ready(receiver);
}

/// When an eager message's data start, which data of rendezvous messages may be in the way of.
World::Start World::start_at_port(const Message& eager, const PairCosts& costs) {
  const int sender = eager.envelope.source;
  const Start at_once{eager.start, 0, eager.sent};
  // To oneself it costs nothing, and comes in no order.
  if (eager.receiver == sender) return at_once;
  Served& busy = rank(sender).sends;
  forget(busy, eager.start - region_.look_back);
  if (busy.times == 0 && !eager.held && busy.before.after == beginning) return at_once;
  const auto size = static_cast<double>(eager.size);
  // Another thread of the rank may send during this one's overhead, as where nothing is held.
  const bool has_threads = rank(sender).next_number > 1;
  const double overhead = has_threads ? 0 : costs.send_overhead.at(size);
  const double needs = std::max(overhead, costs.gap.at(size));
  Cause before{};
  Start start{first_free(busy, eager.start, needs, before), 0, {}};
  start.data = happens(sender, start.time, {{eager.sent, 0, Why::same, eager.id}, before});
  if (busy.times != 0 || eager.held) {
    occupy(busy, start.time, start.time + needs, {start.data, needs, Why::port_sending, eager.id});
  }
  return start;
}

/// When what they tell has happened, where causes are kept.
double World::latest(std::initializer_list<Cause> causes) const {
  if (causes_ == nullptr) return never;
  double time = 0;
  for (const Cause& cause : causes) time = std::max(time, causes_->time(cause.after) + cause.delay);
  return time;
}

/// When the data of a rendezvous message start: as soon as port and link of its sender are free
/// for as long as it needs them, and where a model has no overlap its receiver's port.
World::Start World::start_of_data(const Message& data, const PairCosts& costs) {
  const int sender = data.envelope.source;
  const auto size = static_cast<double>(data.size);
  const Link& on_link = link(sender, data.receiver);
  const bool keeps_ports = keeps_ports_in_turn(costs);
  const double keeps = is_shared_fairly() ? 0 : costs.link.at(size);
  // From the start to the time when the link begins to deliver.
  const double travels =
      costs.rendezvous_receiver.at(size) - costs.receive_overhead.at(size) - keeps;
  Start result{data.ready, 0, {}};
  Cause port{};
  Cause carried{};
  Cause receives{};
  for (double before = never; result.time != before;) {
    before = result.time;
    result.lost = processors_[index(sender)].loss(before, costs.send_overhead.at(size));
    const double needs = keeps_ports ? result.lost + costs.rendezvous_send_port.at(size) : 0;
    result.time = first_free(rank(sender).sends, before, needs, port);
    if (keeps > 0) {
      // Eager messages that were sent before stay ahead.
      const double at_link = result.time + result.lost + travels;
      result.time +=
          first_free(on_link.data, std::max(at_link, data.behind), keeps, carried) - at_link;
    }
    if (costs.keeps_receiver && keeps_ports) {
      const double length = result.lost + costs.rendezvous_receive_port.at(size);
      result.time = first_free(rank(data.receiver).receives, result.time, length, receives);
    }
  }
  const Cause lost{0, result.lost, Why::computing};
  const Cause travelling{0, -travels, Why::travelling_before, data.id};
  const double starts = result.time + result.lost;
  const std::initializer_list<Cause> causes{
      {data.is_ready, result.lost, Why::computing},
      after(port, sender, lost),
      after(carried, sender, travelling),
      {keeps > 0 ? data.was_behind : beginning, -travels, Why::travelling_before, data.id},
      after(receives, sender, lost)};
  // Put off for the link's sake, its start may be where more is lost.
  const double told = result.lost > 0 ? std::min(latest(causes), starts) : starts;
  result.data = happens(sender, told, causes);
  if (told < starts) {
    result.data = happens(sender, starts, {{result.data, starts - told, Why::computing}});
  }
  return result;
}

/// What hosts' links take of the time of a rendezvous message's data.
World::Delayed World::delayed_data(const Message& data, Start& port, const PairCosts& costs) {
  if (!passes_hosts(data)) return {};
  const auto size = static_cast<double>(data.size);
  const int sender = data.envelope.source;
  const double start = port.time + port.lost;
  const Delayed delayed =
      pass_hosts(data, start, port.data, of_bytes(costs.rendezvous_receiver, size));
  port.data =
      happens(sender, start + delayed.by,
              {{port.data, 0, Why::same, data.id}, delayed.rest(0, Why::host_rest, data.id)});
  return delayed;
}

/// Whether messages keep the ports of the pair's ranks one after the other, not as they share them.
bool World::keeps_ports_in_turn(const PairCosts& costs) const {
  return !(is_shared_fairly() && costs.passes_at_once);
}

/// The data of a rendezvous message set off, as soon as they may.
/// @param no_sooner  than this is any end [s]
void World::transfer(Offset place, double no_sooner) {
  Message& granted = message(place);
  const int sender = granted.envelope.source;
  Rank& from = rank(sender);
  Rank& to = rank(granted.receiver);
  const PairCosts& costs = machine_.pair(sender, granted.receiver);
  const auto size = static_cast<double>(granted.size);
  // What answers an access asked nobody.
  const bool is_answered = queues(granted) && granted.sender != 0;
  if (is_answered) {
    const bool waited = granted.progress == Progress::shares;
    const bool waits = has_to_wait(place, granted.receiver, sender, granted.queued);
    const int more = static_cast<int>(waits) - static_cast<int>(waited);
    for (int* const count : {&from.transfers, &to.transfers, &from.departing, &from.waits_to_send})
      *count += more;
    granted.progress = waits ? Progress::shares : Progress::waits;
    if (waits) return;
  }
  const double gone = granted.queued - region_.look_back;
  Served& carried = link(sender, granted.receiver).data;
  forget(from.sends, gone);
  if (!is_shared_fairly()) {
    forget(to.receives, gone);
    forget(carried, gone);
  }
  const double entered = is_answered ? answer_request(granted, costs) : granted.queued;
  granted.queued = std::max(granted.queued, no_sooner);
  Start port = start_of_data(granted, costs);
  // What others take of the sender's processor meanwhile delays the message, and those after it.
  const Delayed at_hosts = delayed_data(granted, port, costs);
  const double start = port.time + port.lost + at_hosts.by;
  granted.is_ready = port.data;
  const double keeps = costs.rendezvous_send_port.at(size);
  double leaves = port.time + (port.lost + at_hosts.by + keeps);
  Cause left{port.data, keeps, Why::port_sending, granted.id};
  if (keeps_ports_in_turn(costs)) occupy(from.sends, port.time, leaves, left);
  const double delivered =
      start + costs.rendezvous_receiver.at(size) - costs.receive_overhead.at(size);
  if (queues(granted)) {
    forget_under_way(from, granted.queued);
    const bool is_open = is_shared_fairly();
    const bool shares_port = is_open && !keeps_ports_in_turn(costs);
    if (shares_port) {
      leaves = std::max(leaves, delivered - costs.request_arrival(size));
      left.delay = leaves - start;
    }
    add_under_way(from, {.next = 0,
                         .to = granted.receiver,
                         .entered = entered,
                         .leaves = leaves,
                         .arrives = costs.link.at(size) > 0 ? delivered : 0,
                         .open = is_open ? place : 0,
                         .shares_port = shares_port,
                         .left = left,
                         .arrived = delivering(granted, delivered - start)});
  }
  if (!costs.ends_together) {
    const double part = costs.rendezvous_sender.at(size);
    tell_sender(granted, start + part, {port.data, part, Why::data_sending, granted.id});
  }
  if (!is_shared_fairly()) {
    deliver(granted, start, after_queueing(granted));
    return;
  }
  granted.data_start = start;
  ++from.transfers;
  ++to.transfers;
  // Data that share nothing, too: receivers' ports are kept in the order in which data come.
  begin_at(flow_of(place), after_queueing(granted), delivered);
}

/// The data come out of the link.
/// @param since  from their start [s]
Cause World::delivering(const Message& data, double since) {
  return {data.is_ready, since, Why::delivering, data.id};
}

/// Of when the receiver's port was kept, drops what nothing can ask for any more.
/// @param now  data end then
void World::forget_receives(Rank& to, const PairCosts& costs, double now) {
  if (costs.ends_together) {
    // Data keep the port only after their link.
    forget(to.receives, now);
  } else if (to.transfers == 0) {
    forget(to.receives, std::nextafter(now, -never) - region_.look_back);
  }
}

/// It is known when the data of a rendezvous message are there.
/// @param start      of the data, as late as their bytes were slowed [s]
/// @param no_sooner  than this is any end [s]
void World::deliver(const Message& granted, double start, double no_sooner) {
  const int sender = granted.envelope.source;
  const int receiver = granted.receiver;
  Rank& to = rank(receiver);
  const PairCosts& costs = machine_.pair(sender, receiver);
  const auto size = static_cast<double>(granted.size);
  const double end = start + costs.rendezvous_receiver.at(size);
  const double overhead = costs.receive_overhead.at(size);
  const double arrived = end + processors_[index(receiver)].loss(end - overhead, overhead);
  const double port_needs = costs.rendezvous_receive_port.at(size);
  const bool keeps_port = keeps_ports_in_turn(costs) && !is_port_a_host_link(granted, port_needs);
  const double needs = keeps_port ? port_needs : 0;
  Cause before{};
  const double received =
      costs.keeps_receiver ? arrived : pass(to.receives, arrived, needs, before);
  Operation& receive = operation(granted.receive);
  receive.is_over = happens(receiver, std::max(received, no_sooner),
                            {{granted.is_ready, arrived - start, Why::data, granted.id},
                             {granted.arrived, 0, Why::same, granted.id},
                             {receive.was_posted, 0, Why::same, granted.id},
                             after(before, receiver, {0, needs, Why::port_receiving, granted.id})});
  if (costs.keeps_receiver && keeps_ports_in_turn(costs)) {
    occupy(to.receives, start, arrived, {granted.is_ready, arrived - start, Why::data, granted.id});
  } else {
    occupy(to.receives, received - needs, received, {receive.is_over, 0, Why::port, granted.id});
  }
  const double delivered = end - overhead;
  if (is_shared_fairly()) {
    forget_receives(to, costs, no_sooner);
  } else {
    occupy(link(sender, receiver).data, delivered - costs.link.at(size), delivered,
           delivering(granted, delivered - start));
  }
  become_known(receive, std::max(received, no_sooner));
  wake_if_ready(receiver);
  if (!costs.ends_together) return;
  const double part = costs.rendezvous_sender.at(size);
  tell_sender(granted, std::max(start + part + (received - end), no_sooner),
              {receive.is_over, part - (end - start), Why::data_sending_after, granted.id});
}

/// It is known when a rendezvous message's sender goes on. Nobody waits for the end of an answer to
/// an access, on its sender's side.
/// @param sends  why then
void World::tell_sender(const Message& granted, double sent, const Cause& sends) {
  if (granted.sender == 0) return;
  const int sender = granted.envelope.source;
  const double end = std::max(sent, after_queueing(granted));
  Operation& send = operation(granted.sender);
  send.is_over = happens(sender, end,
                         {sends,
                          {granted.arrived, 0, Why::same, granted.id},
                          {operation(granted.receive).was_posted, 0, Why::same, granted.id}});
  become_known(send, end);
  wake_if_ready(sender);
}

}  // namespace commgauge::simulate
