// Messages that nobody receives: they reach a rank's memory, or a lock of it, in the order of
// arrival.

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "world/world_state.hpp"

namespace commgauge::simulate {

void World::expose(int r, int windows) { rank(r).windows += windows; }

/// It is known when a message arrives.
void World::reach(Offset place) {
  Message& coming = message(place);
  const auto is_before = [&](const Message& other) {
    return other.arrival != coming.arrival ? other.arrival < coming.arrival
                                           : other.envelope.source <= coming.envelope.source;
  };
  Offset* link = &rank(coming.receiver).effects;
  while (*link != 0 && is_before(message(*link))) link = &message(*link).next;
  coming.next = *link;
  *link = place;
  refresh(coming.receiver);
}

/// Lets those messages have their effects before which nobody does anything that isn't known.
/// @param least  bound(). @return whether there was any
bool World::take_effects(double least) {
  undecided_.clear();
  first_decisions_.for_each_before(std::nextafter(least, never),
                                   [&](int r) { undecided_.push_back(r); });
  std::ranges::sort(undecided_);
  bool any = false;
  for (const int r : undecided_) {
    while (rank(r).effects != 0 && message(rank(r).effects).arrival <= least) {
      take_effect(r);
      any = true;
    }
  }
  return any;
}

/// The rank's first message has its effect on its memory at once; it is over when it has passed the
/// port, behind all that came before it.
void World::take_effect(int r) {
  Rank& state = rank(r);
  const Offset place = state.effects;
  Message& coming = message(place);
  state.effects = coming.next;
  coming.next = 0;
  refresh(r);
  const double needs = coming.has_port ? coming.port : 0;
  const double passed = std::max(coming.arrival, state.effects_free + needs);
  const Cause passes = coming.has_port ? Cause{0, needs, Why::port_receiving, coming.id} : Cause{};
  state.passed_effect = happens(r, passed,
                                {{coming.arrived, 0, Why::same, coming.id},
                                 after({state.passed_effect, 0, Why::same}, r, passes)});
  state.effects_free = passed;
  if (coming.effect != Effect::access) {
    change_lock(r, place);
    return;
  }
  if (coming.answer == no_answer || coming.envelope.source == r) {
    end_effect(coming.sender, passed, state.passed_effect);
  } else {
    answer(coming, passed, state.passed_effect);
  }
  if (coming.payload == 0) {
    drop_message(place);
    return;
  }
  (state.last_access != 0 ? message(state.last_access).next : state.accesses) = place;
  state.last_access = place;
}

Offset World::take_access(int r) {
  Rank& state = rank(r);
  const Offset first = state.accesses;
  if (first == 0) return 0;
  state.accesses = message(first).next;
  if (state.accesses == 0) state.last_access = 0;
  return first;
}

/// What goes back is the data of a rendezvous message that needs no request: it was matched when
/// the access arrived.
void World::answer(const Message& access, double time, Moment at) {
  const Offset place = arena_.allocate(sizeof(Message));
  auto& back = *new (arena_.at<Message>(place)) Message{};
  // Behind what the rank itself sends at that time.
  back.number = std::numeric_limits<int>::max();
  back.envelope = {access.envelope.context, access.receiver, access.envelope.tag};
  back.receiver = access.envelope.source;
  back.rendezvous = true;
  back.size = access.answer;
  back.receive = access.sender;
  back.queued = back.ready = back.arrival = time;
  back.arrived = back.is_ready = at;
  back.id = announce(access.receiver, {.to = back.receiver,
                                       .context = access.envelope.context,
                                       .size = access.answer,
                                       .rendezvous = true});
  const PairCosts& costs = machine_.pair(access.receiver, back.receiver);
  if (costs.is_late_by_chance() && !costs.has_handshake) {
    // Its costs leave out what a request and an answer are late by in the mean.
    const double mean = 2 * costs.jitter + costs.jitter_per_byte * static_cast<double>(back.size);
    back.answer_late = mean * machine_.jitter.lateness(access.receiver, back.receiver,
                                                       access.number, Jitter::Leg::access);
    back.ready = time + back.answer_late;
    if (causes_ != nullptr) causes_->set_late(back.id, 0, back.answer_late);
    back.is_ready =
        happens(access.receiver, back.ready, {{at, back.answer_late, Why::reply, back.id}});
  }
  operation(back.receive).message = place;
  if (machine_.network.is_shared()) {
    set_off(place, Leg::data, time);
  } else {
    queue_transfer(place);
  }
}

void World::end_effect(Offset place, double time, Moment at) {
  Operation& ended = operation(place);
  ended.is_over = at;
  become_known(ended, time);
  wake_if_ready(actor(ended.owner).rank);
}

Offset& World::lock_of(int r, int context) {
  Offset* link = &rank(r).locks;
  while (*link != 0 && arena_.at<Lock>(*link)->context != context) {
    link = &arena_.at<Lock>(*link)->next;
  }
  if (*link == 0) {
    *link = arena_.allocate(sizeof(Lock));
    new (arena_.at<Lock>(*link)) Lock{0, context, 0, false, 0};
  }
  return *link;
}

/// Somebody asks for a lock of the rank's, or gives one back. One that nobody has is forgotten.
void World::change_lock(int r, Offset place) {
  Message& coming = message(place);
  const double time = rank(r).effects_free;
  Offset& link = lock_of(r, coming.envelope.context);
  Lock& lock = *arena_.at<Lock>(link);
  if (coming.effect == Effect::unlock) {
    --lock.holders;
    lock.is_exclusive = false;
    end_effect(coming.sender, time, rank(r).passed_effect);
    drop_message(place);
  } else {
    Offset* last = &lock.waiting;
    while (*last != 0) last = &message(*last).next;
    *last = place;
  }
  grant(r, lock, time);
  if (lock.holders > 0) return;
  const Offset unused = link;
  link = lock.next;
  arena_.release(unused);
}

/// In the order in which they asked: nobody overtakes one that waits.
void World::grant(int r, Lock& lock, double time) {
  while (lock.waiting != 0) {
    const Offset place = lock.waiting;
    const Message& first = message(place);
    const bool wants_all = first.effect == Effect::exclusive_lock;
    if (lock.is_exclusive || (wants_all && lock.holders > 0)) return;
    lock.waiting = first.next;
    ++lock.holders;
    lock.is_exclusive = wants_all;
    end_effect(first.sender, time, rank(r).passed_effect);
    drop_message(place);
  }
}

}  // namespace commgauge::simulate
