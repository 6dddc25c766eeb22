// Data of rendezvous messages: which gets its ports and its link next, and when it is over.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "world_state.hpp"

namespace commgauge::simulate {

double after_matching(const Message& message) { return std::nextafter(message.matched, never); }

void World::queue_transfer(Offset place) {
  Message& added = message(place);
  ++rank(added.envelope.source).transfers;
  ++rank(added.receiver).transfers;
  const auto order = [](const Message& m) {
    return std::tuple{m.matched, m.envelope.source, m.number};
  };
  Offset* link = &region_.transfers;
  const Offset last = region_.transfers_last;
  if (*link != 0 && order(message(last)) < order(added)) link = &message(last).next;
  while (*link != 0 && order(message(*link)) < order(added)) link = &message(*link).next;
  added.next = *link;
  *link = place;
  if (added.next == 0) region_.transfers_last = place;
}

/// No rendezvous message of the rank, sent or received, that is matched and waits for its ports is
/// over before this time; `never` if there is none.
double World::first_transfer(int r) const {
  double first = never;
  if (rank(r).transfers == 0) return first;
  for (Offset place = region_.transfers; place != 0;) {
    const Message& waiting = *arena_.at<Message>(place);
    const int sender = waiting.envelope.source;
    if (waiting.receiver == r || sender == r) {
      const PairCosts& costs = machine_.pair(sender, waiting.receiver);
      const Curve& part = sender == r ? costs.rendezvous_sender : costs.rendezvous_receiver;
      const double end = waiting.ready + part.at(static_cast<double>(waiting.size));
      first = std::min(first, std::max(end, after_matching(waiting)));
    }
    place = waiting.next;
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

/// Whether no other message of the rank can be matched before that time. One of a rank that has
/// receives posted or rendezvous sends open can be matched by what any rank does; without those,
/// only by what that rank does itself, which it does when its wait is over: one that waits for all
/// of its messages, none of them open, waits for those that are queued here.
bool World::comes_next(int r, double matched, double least) const {
  const Rank& state = rank(r);
  if (state.posted != 0 || state.open_sends != 0) return matched < least;
  if (state.waiting == Waiting::running) {
    return matched < std::max(least, state.clock.load(std::memory_order_acquire));
  }
  if (state.waiting == Waiting::all) return true;
  return matched < least;
}

/// Gives the ports of its two ranks to the first rendezvous message of which it is certain that no
/// message still to be matched comes before it at either port. A message that has to wait for a
/// port keeps those behind it waiting for the same port. @return whether there is one.
/// @param least  bound()
bool World::grant_transfer(double least) {
  const auto is_next = [&](int r, double matched) {
    return has_to_wait_[index(r)] == 0 && comes_next(r, matched, least);
  };
  Offset granted = 0;
  Offset before = 0;
  waiting_.clear();
  for (Offset* link = &region_.transfers; *link != 0; link = &message(*link).next) {
    Message& next = message(*link);
    const int sender = next.envelope.source;
    if (is_next(sender, next.matched) && is_next(next.receiver, next.matched)) {
      granted = *link;
      *link = next.next;
      if (next.next == 0) region_.transfers_last = before;
      break;
    }
    before = *link;
    for (const int r : {sender, next.receiver}) {
      has_to_wait_[index(r)] = 1;
      waiting_.push_back(r);
    }
  }
  for (const int r : waiting_) has_to_wait_[index(r)] = 0;
  if (granted == 0) return false;
  transfer(message(granted));
  return true;
}

void World::transfer(Message& granted) {
  const int sender = granted.envelope.source;
  const int receiver = granted.receiver;
  Rank& from = rank(sender);
  Rank& to = rank(receiver);
  --from.transfers;
  --to.transfers;
  const PairCosts& costs = machine_.pair(sender, receiver);
  const auto size = static_cast<double>(granted.size);
  double& link_free = link(sender, receiver).free;
  double start = std::max({granted.ready, from.send_free, link_free});
  if (costs.keeps_receiver) start = std::max(start, to.receive_free);
  // What others take of the sender's processor meanwhile delays the message, and those after it.
  start += processors_[index(sender)].loss(start, costs.send_overhead.at(size));
  const double end = start + costs.rendezvous_receiver.at(size);
  const double overhead = costs.receive_overhead.at(size);
  const double loss = processors_[index(receiver)].loss(end - overhead, overhead);
  const double received =
      std::max(end + loss, to.receive_free + costs.rendezvous_receive_port.at(size));
  const double sent =
      start + costs.rendezvous_sender.at(size) + (costs.ends_together ? received - end : 0);
  from.send_free = start + costs.rendezvous_send_port.at(size);
  to.receive_free = received;
  link_free = start + costs.link.at(size);
  const double earliest = after_matching(granted);
  become_known(receiver, operation(granted.receive), std::max(received, earliest));
  become_known(sender, operation(granted.sender), std::max(sent, earliest));
  wake_if_ready(receiver);
  wake_if_ready(sender);
}

}  // namespace commgauge::simulate
