// Requests of rendezvous messages, and the answers to them, which wait behind data.

#include <algorithm>

#include "world/world_state.hpp"

namespace commgauge::simulate {

/// Whether a rendezvous goes to another host, where requests and answers wait behind data. Within a
/// host they pass, as what goes through memory does.
bool World::queues(const Message& message) const {
  return machine_.requests_queue &&
         hosts_[index(message.envelope.source)] != hosts_[index(message.receiver)];
}

/// Drops what is no more under way then.
void World::forget_under_way(Rank& sender, double by) {
  if (sender.behind_data != 0) return;  // they look at it again
  while (sender.under_way != 0) {
    const UnderWay& first = *arena_.at<UnderWay>(sender.under_way);
    if (first.open != 0 || first.leaves > by || first.arrives > by) return;
    const Offset over = sender.under_way;
    sender.under_way = first.next;
    arena_.release(over);
  }
}

void World::add_under_way(Rank& sender, const UnderWay& data) {
  const Offset added = arena_.allocate(sizeof(UnderWay));
  *arena_.at<UnderWay>(added) = data;
  (sender.under_way != 0 ? arena_.at<UnderWay>(sender.last_under_way)->next : sender.under_way) =
      added;
  sender.last_under_way = added;
}

/// What a request or an answer, put at the port then, finds there and on its way: data that asked
/// for the port no later. What comes at one time comes in the order of the messages that let it: an
/// answer that sets data off, and the request behind it, come together, and the data go first.
/// @pre all of these have been served. O(data under way)
World::Ahead World::data_ahead(const Rank& sender, int to, double put) const {
  constexpr double rounding = 0x1p-49;
  Ahead ahead{.port = {.until = put}};
  for (Offset place = sender.under_way; place != 0;) {
    const UnderWay& data = *arena_.at<UnderWay>(place);
    place = data.next;
    if (data.entered - put > rounding * put) continue;
    const bool is_in_way = data.shares_port || (data.to == to && data.arrives > 0);
    ahead.is_open = ahead.is_open || (data.open != 0 && is_in_way);
    if (data.leaves > ahead.port.until) ahead.port = {data.leaves, data.left};
    if (data.to == to && data.arrives > ahead.link.until) ahead.link = {data.arrives, data.arrived};
  }
  return ahead;
}

/// Puts a request, or the answer to one, among those that wait for a rank's data, if it isn't known
/// yet when these have left. @return whether it isn't
bool World::has_to_wait(Offset place, int behind, int to, double put) {
  Rank& sender = rank(behind);
  if (!is_shared_fairly() || !data_ahead(sender, to, put).is_open) return false;
  Offset* last = &sender.behind_data;
  while (*last != 0) last = &message(*last).next_received;
  *last = place;
  message(place).next_received = 0;
  return true;
}

/// It is known when data have left.
/// @param by  so much later than if nothing had slowed them [s]. @param since  they set off, so
/// late
void World::is_under_way_no_more(const Message& data, double by, Moment since) {
  for (Offset place = rank(data.envelope.source).under_way; place != 0;) {
    UnderWay& one = *arena_.at<UnderWay>(place);
    place = one.next;
    if (one.open == 0 || &message(one.open) != &data) continue;
    one.open = 0;
    if (one.arrives > 0) one.arrives += by;
    one.arrived.after = since;
    if (!one.shares_port) return;
    one.leaves += by;
    one.left.after = since;
    return;
  }
}

/// What waits for the rank's data looks again whether it may go on.
/// @param time  nothing that goes on now is there before
void World::let_go_behind(int r, double time) {
  Offset place = rank(r).behind_data;
  rank(r).behind_data = 0;
  while (place != 0) {
    const Offset one = place;
    place = message(one).next_received;
    if (message(one).receive == 0) {
      depart(one, time);  // a request
    } else {
      transfer(one, time);
    }
  }
}

/// How long the answer to a message's request travels: as a request would. What answers an access
/// needed none.
double World::answer_time(const Message& asked) const {
  if (asked.sender == 0) return 0;
  return machine_.pair(asked.receiver, asked.envelope.source)
      .request_arrival(static_cast<double>(asked.size));
}

/// From when the receiver answers a request, until the data are ready.
double World::answer_takes(const Message& asked, const PairCosts& costs, double answered) const {
  const double lost = processors_[index(asked.receiver)].loss(answered, 0);
  return lost + costs.reply + asked.answer_late;
}

/// Whether data of the rank may have asked for its port by then that haven't been served yet, as
/// those may that others ask its windows for.
/// @param request  not those of this message
bool World::may_have_data_ahead(const Rank& sender, Offset request, double put) const {
  if (sender.windows > 0 || sender.waits_to_send > 0) return true;
  for (Offset place = sender.open_sends; place != 0;) {
    const Message& open = *arena_.at<Message>(place);
    if (place != request && open.arrival + answer_time(open) <= put) return true;
    place = open.next_open;
  }
  const int r = arena_.at<Message>(request)->envelope.source;
  for (Offset place = sender.queue; place != 0;) {
    Message& waiting = *arena_.at<Message>(place);
    place = next_in_queue(r, waiting);
    if (waiting.held || waiting.envelope.source != r) continue;
    if (waiting.queued + answer_time(waiting) <= put) return true;
  }
  return false;
}

/// A request leaves its sender, behind the data there. @return when, and why
World::Start World::start_of_request(const Message& request, Hindered& link) {
  const int sender = request.envelope.source;
  Start start{request.start, 0, request.sent};
  if (!queues(request) || rank(sender).under_way == 0) return start;
  const Ahead ahead = data_ahead(rank(sender), request.receiver, request.start);
  if (ahead.link.until > link.until) link = ahead.link;
  if (ahead.port.until > request.start) {
    start.time = ahead.port.until;
    start.data = happens(sender, start.time,
                         {{request.sent, 0, Why::same, request.id},
                          after(ahead.port.why, sender, {0, 0, Why::port, request.id})});
  }
  return start;
}

/// Whether it comes behind a message whose end isn't known yet, on links that are shared fairly.
bool World::is_in_line(Offset place) {
  if (!is_shared_fairly()) return false;
  const Message& request = message(place);
  Offset one = link(request.envelope.source, request.receiver).coming;
  while (one != 0 && one != place) one = message(one).next;
  return one == place;
}

/// What an answer finds on its way that is put at the port then: requests that its sender sent
/// there before. A stream doesn't let it pass these, however late they are by chance. Those in line
/// behind data of unknown end aren't counted.
/// @pre data that were matched before have been served: the other requests' answers are not ahead
World::Hindered World::requests_ahead(int answering, int to, double put) {
  constexpr double just_behind = 1 + 0x1p-47;
  Hindered ahead{};
  const auto look_at = [&](Offset place) {
    const Message& one = message(place);
    if (!one.rendezvous || one.held || one.receiver != to || one.sender == 0) return;
    if (operation(one.sender).posted >= put || is_in_line(place)) return;
    const double until = one.arrival * just_behind;
    if (until > ahead.until) ahead = {until, {one.arrived, 0, Why::same}};
  };
  const Rank& own = rank(answering);
  for (Offset place = own.open_sends; place != 0; place = message(place).next_open) look_at(place);
  for (Offset place = own.queue; place != 0;) {
    const Offset waiting = place;
    place = next_in_queue(answering, message(waiting));
    if (message(waiting).envelope.source == answering) look_at(waiting);
  }
  return ahead;
}

/// The receiver's answer to a request leaves when the data are gone that the receiver sends
/// already, to whomever, and comes behind those that go the same way. All of these are known: they
/// were matched before, so they have been served.
/// @return when it is back, and the data ask for their port
double World::answer_request(Message& granted, const PairCosts& costs) {
  const double put = granted.queued;
  const double travels = answer_time(granted);
  Rank& answering = rank(granted.receiver);
  forget_under_way(answering, put);
  Ahead ahead = data_ahead(answering, granted.envelope.source, put);
  if (costs.is_late_by_chance()) {
    const Hindered requests = requests_ahead(granted.receiver, granted.envelope.source, put);
    if (requests.until > ahead.link.until) ahead.link = requests;
  }
  if (ahead.port.until > put || ahead.link.until > put + travels) {
    put_off(granted, costs, travels, ahead);
  }
  return std::max(ahead.port.until + travels, ahead.link.until);
}

/// The data of a rendezvous are ready later, for the answer is.
/// @param travels  answer_time()
void World::put_off(Message& granted, const PairCosts& costs, double travels, const Ahead& ahead) {
  const int answering = granted.receiver;
  const double posted = operation(granted.receive).posted;
  const double answered = std::max(granted.start + costs.request, posted);
  const bool waited = granted.arrival >= posted;  // the receive, for the request
  const double since =
      waited ? costs.request - costs.request_arrival(static_cast<double>(granted.size)) : 0;
  const double answers = since + answer_takes(granted, costs, answered);
  const double behind = answers - travels;
  double ready = granted.ready;
  if (ahead.port.until > granted.queued) ready = std::max(ready, ahead.port.until + answers);
  if (ahead.link.until > 0) ready = std::max(ready, ahead.link.until + behind);
  const Why left = waited ? Why::handshake : Why::reply;
  const Why came = waited ? Why::handshake_behind : Why::reply_behind;
  granted.is_ready = happens(answering, ready,
                             {{granted.is_ready, 0, Why::same, granted.id},
                              after(ahead.port.why, answering, {0, answers, left, granted.id}),
                              after(ahead.link.why, answering, {0, behind, came, granted.id})});
  granted.ready = ready;
}

}  // namespace commgauge::simulate
