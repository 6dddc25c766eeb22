// Messages that wait for receives, receives that wait for messages: who gets which.

#include <algorithm>

#include "commgauge/simulate/world/partition_contexts.hpp"
#include "world/world_state.hpp"

namespace commgauge::simulate {

namespace {

/// The order of arrival; ranks decide where two arrive at the same time.
bool comes_before(const Message& a, const Message& b) {
  if (a.arrival != b.arrival) return a.arrival < b.arrival;
  return a.envelope.source < b.envelope.source;
}

}  // namespace

void World::insert(int r, Offset place) {
  Rank& receiver = rank(r);
  Message& inserted = message(place);
  Offset* link = &receiver.inbox;
  if (receiver.inbox_last != 0 && !comes_before(inserted, message(receiver.inbox_last))) {
    link = &message(receiver.inbox_last).next;
  }
  while (*link != 0 && !comes_before(inserted, message(*link))) link = &message(*link).next;
  inserted.next = *link;
  *link = place;
  if (inserted.next == 0) receiver.inbox_last = place;
}

/// The first message in the inbox that fits, or 0.
Offset World::candidate(const Rank& receiver, const Envelope& wanted) const {
  for (Offset place = receiver.inbox; place != 0; place = arena_.at<Message>(place)->next) {
    if (matches(arena_.at<Message>(place)->envelope, wanted)) return place;
  }
  return 0;
}

Offset World::find_message(int r, const Envelope& wanted, double time) {
  const Offset place = candidate(rank(r), wanted);
  return place != 0 && message(place).arrival <= time ? place : 0;
}

World::Unreceived World::unreceived(int r) const {
  Unreceived found;
  for (Offset place = rank(r).inbox; place != 0; place = arena_.at<Message>(place)->next) {
    const int context = arena_.at<Message>(place)->envelope.context;
    const bool is_own = context % 2 == 0 && context < first_window_context;
    if (!is_own || is_of_partitions(context)) continue;
    if (found.count++ == 0) found.first = place;
  }
  return found;
}

void World::take_message(int r, Offset place) {
  Rank& owner = rank(r);
  Offset before = 0;
  Offset* link = &owner.inbox;
  while (*link != place) {
    before = *link;
    link = &message(*link).next;
  }
  *link = message(place).next;
  if (owner.inbox_last == place) owner.inbox_last = before;
}

/// Whether it is certain that the receive matches this message and no other: nothing that is still
/// to come arrives before it. Or the receive names its source: then, because messages of one sender
/// don't overtake each other, only one of that sender that was skipped before could still claim it.
bool World::may_take(Offset receive, const Message& candidate) const {
  if (candidate.arrival < region_.horizon) return true;
  const Envelope& wanted = arena_.at<Operation>(receive)->wanted;
  return wanted.source != wildcard && std::ranges::none_of(skipped_, [&](Offset skipped) {
           return matches(arena_.at<Message>(skipped)->envelope, wanted);
         });
}

/// The first posted receive that the message fits, or 0.
Offset World::first_fitting(const Rank& receiver, const Envelope& message) const {
  for (Offset place = receiver.posted; place != 0; place = arena_.at<Operation>(place)->next) {
    if (matches(message, arena_.at<Operation>(place)->wanted)) return place;
  }
  return 0;
}

/// A message has come into the inbox. Where none has been skipped, no other fits a posted receive.
void World::match_message(int r, const Message& added) {
  const Rank& receiver = rank(r);
  if (receiver.pending != never || first_fitting(receiver, added.envelope) != 0) match(r);
}

/// A receive has been posted.
void World::match_receive(int r, const Envelope& wanted) {
  const Rank& receiver = rank(r);
  if (receiver.pending != never || candidate(receiver, wanted) != 0) match(r);
}

bool World::has_named_receive(const Rank& receiver) const {
  for (Offset place = receiver.posted; place != 0; place = arena_.at<Operation>(place)->next) {
    if (arena_.at<Operation>(place)->wanted.source != wildcard) return true;
  }
  return false;
}

/// Whether a receive is posted that the message, which isn't matched yet, fits.
bool World::fits_a_receive(const Message& waiting) const {
  const Rank& receiver = rank(waiting.receiver);
  return receiver.pending <= waiting.arrival && first_fitting(receiver, waiting.envelope) != 0;
}

/// Matches a rank's messages, in the order of arrival, each with the first posted receive that it
/// fits, as far as that is certain. @return whether any was matched
bool World::match(int r) {
  Rank& receiver = rank(r);
  receiver.pending = never;
  skipped_.clear();
  bool any = false;
  Offset before = 0;
  for (Offset* link = &receiver.inbox; *link != 0 && receiver.posted != 0;) {
    const Offset place = *link;
    Message& candidate = message(place);
    Offset last = 0;
    Offset* receive = &receiver.posted;
    while (*receive != 0 && !matches(candidate.envelope, operation(*receive).wanted)) {
      last = *receive;
      receive = &operation(*receive).next;
    }
    const Offset found = *receive;
    if (found == 0 || !may_take(found, candidate)) {
      if (found != 0) {
        // Another that is still unknown may come before it and take that receive.
        receiver.pending = std::min(receiver.pending, candidate.arrival);
        skipped_.push_back(place);
        // What arrives later is no surer.
        if (!has_named_receive(receiver)) break;
      }
      before = place;
      link = &candidate.next;
      continue;
    }
    *receive = operation(found).next;
    if (receiver.posted_last == found) receiver.posted_last = last;
    *link = candidate.next;
    if (receiver.inbox_last == place) receiver.inbox_last = before;
    match_with(r, place, found);
    any = true;
  }
  refresh(r);
  return any;
}

/// A rendezvous message to oneself needs no port and no link: it is over when both are there.
void World::hand_to_oneself(const Message& own, Operation& receive) {
  const Moment both = happens(own.receiver, own.queued,
                              {{own.arrived, 0, Why::same}, {receive.was_posted, 0, Why::same}});
  for (Operation* const one : {&receive, &operation(own.sender)}) {
    one->is_over = both;
    become_known(*one, own.queued);
  }
  wake_if_ready(own.receiver);
}

void World::match_with(int r, Offset place, Offset receive) {
  Message& matched = message(place);
  Operation& operation = this->operation(receive);
  operation.message = place;
  touch(r);
  if (!matched.rendezvous) {
    operation.is_over = matched.arrived;
    become_known(operation, matched.arrival);
    return;
  }
  no_longer_open(matched);
  const PairCosts& costs = machine_.pair(matched.envelope.source, r);
  matched.receive = receive;
  matched.queued = std::max(matched.arrival, operation.posted);
  if (matched.envelope.source == r) {
    hand_to_oneself(matched, operation);
    return;
  }
  const bool shares_links = machine_.network.is_shared();
  const double asked = shares_links ? matched.arrival : matched.start + costs.request;
  const double answered = std::max(asked, operation.posted);
  const double lost = processors_[index(r)].loss(answered, 0);
  if (shares_links) {
    matched.is_ready = happens(
        r, answered + lost,
        {{matched.arrived, lost, Why::computing}, {operation.was_posted, lost, Why::computing}});
    set_off(place, Leg::reply, answered + lost);
    return;
  }
  const double answers = answer_takes(matched, costs, answered);
  matched.ready = answered + answers;
  // The request may have been behind another message on the link.
  const double since_arrival =
      costs.request - costs.request_arrival(static_cast<double>(matched.size));
  matched.is_ready =
      happens(r, matched.ready,
              {{matched.arrived, since_arrival + answers, Why::handshake, matched.id},
               {operation.was_posted, answers, Why::reply, matched.id}});
  queue_transfer(place);
}

/// A message that was matched before it has arrived is free again. @return whether it could be
bool World::match_no_more(int r, Offset place) {
  Message& freed = message(place);
  if (freed.rendezvous) {
    const int sender = freed.envelope.source;
    if (machine_.network.is_shared() || !leave_queue(r, place)) return false;
    if (sender != r) (void)leave_queue(sender, place);
    --rank(sender).departing;
    freed.receive = 0;
    freed.next_open = rank(sender).open_sends;
    rank(sender).open_sends = place;
    if (freed.next_open == 0) rank(sender).open_sends_last = place;
    touch(sender);
  }
  insert(r, place);
  return true;
}

bool World::withdraw(int r, Offset place, double now) {
  Rank& owner = rank(r);
  if (const Offset matched = operation(place).message; matched != 0) {
    if (message(matched).arrival <= now || !match_no_more(r, matched)) return false;
  } else {
    Offset last = 0;
    Offset* link = &owner.posted;
    while (*link != place) {
      last = *link;
      link = &operation(*link).next;
    }
    *link = operation(place).next;
    if (owner.posted_last == place) owner.posted_last = last;
  }
  arena_.release(place);
  (void)match(r);
  touch(r);
  driver_.changed(*this);
  return true;
}

void World::no_longer_open(const Message& matched) {
  Rank& sender = rank(matched.envelope.source);
  Offset before = 0;
  Offset* link = &sender.open_sends;
  while (&message(*link) != &matched) {
    before = *link;
    link = &message(*link).next_open;
  }
  if (sender.open_sends_last == *link) sender.open_sends_last = before;
  *link = matched.next_open;
  touch(matched.envelope.source);
}

}  // namespace commgauge::simulate
