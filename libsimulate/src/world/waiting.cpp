// What ranks wait for, and when they know it.

#include <algorithm>
#include <cmath>
#include <ranges>

#include "commgauge/simulate/world/partition_contexts.hpp"
#include "world/world_state.hpp"

namespace commgauge::simulate {

DeadlockError::DeadlockError(const World& world)
    : DeadlockError(world.describe_ranks(), "receive what is sent, send what is received") {}

DeadlockError::DeadlockError(const std::string& waiting, const std::string& advice)
    : Error("the program is in a deadlock (" + waiting + "): " + advice), waiting_{waiting} {}

std::uint64_t World::known_ends(int r) const { return rank(r).known_ends; }

void World::become_known(Operation& operation, double event) {
  operation.event = event;
  operation.known = true;
  ++rank(actor(operation.owner).rank).known_ends;
  if (operation.effect != Effect::none) --rank(actor(operation.owner).rank).open_effects;
  if (!operation.awaited) return;
  Actor& owner = actor(operation.owner);
  if (operation.is_shared) {
    ask_again(owner.rank);
    return;
  }
  --owner.missing;
  owner.first = std::min(owner.first, event);
  owner.latest = std::max(owner.latest, event);
  refresh(owner.rank);
}

void World::await(int a, std::span<const Offset> operations) {
  Actor& waiter = actor(a);
  waiter.missing = 0;
  waiter.first = never;
  waiter.latest = 0;
  waiter.example = 0;
  for (const Offset place : operations) {
    Operation& awaited = operation(place);
    awaited.is_shared = awaited.is_shared || (awaited.awaited && awaited.owner != a);
    awaited.awaited = true;
    awaited.owner = a;
    if (!awaited.known) {
      ++waiter.missing;
      if (waiter.example == 0) waiter.example = place;
      continue;
    }
    waiter.first = std::min(waiter.first, awaited.event);
    waiter.latest = std::max(waiter.latest, awaited.event);
  }
}

void World::no_longer_await(std::span<const Offset> operations) {
  for (const Offset place : operations) operation(place).awaited = operation(place).is_shared;
}

void World::block(int a, Waiting waiting) {
  Actor& blocked = actor(a);
  blocked.waiting = waiting;
  --region_.running;
  touch(blocked.rank);
  refresh(blocked.rank);
  driver_.changed(*this);
}

bool World::wait_all(int a, std::span<const Offset> operations) {
  await(a, operations);
  if (actor(a).missing > 0) {
    block(a, Waiting::all);
    return false;
  }
  no_longer_await(operations);
  return true;
}

std::optional<Offset> World::wait_first(int a, std::span<const Offset> operations) {
  await(a, operations);
  if (actor(a).first >= horizon(actor(a).rank)) {
    block(a, Waiting::first);
    return std::nullopt;
  }
  no_longer_await(operations);
  Offset first = 0;
  for (const Offset place : operations) {
    const Operation& one = operation(place);
    if (one.known && (first == 0 || one.event < operation(first).event)) first = place;
  }
  return first;
}

bool World::wait_known(int a, double time) {
  if (time < horizon(actor(a).rank)) return true;
  actor(a).time = time;
  block(a, Waiting::known);
  return false;
}

bool World::wait_passed(int a, double time) {
  if (time <= region_.bound) return true;
  actor(a).time = time;
  block(a, Waiting::passed);
  return false;
}

std::optional<Offset> World::wait_message(int a, const Envelope& wanted,
                                          std::span<const Offset> operations) {
  await(a, operations);
  Actor& waiter = actor(a);
  waiter.wanted = wanted;
  const Offset found = certain_message(waiter);
  if (found == 0 && waiter.first >= horizon(waiter.rank)) {
    block(a, Waiting::message);
    return std::nullopt;
  }
  no_longer_await(operations);
  return found;
}

std::optional<double> World::synchronise(int a, std::span<const int> members, Moment at,
                                         int meeting) {
  Actor& own = actor(a);
  const int r = own.rank;
  if (!own.has_met) own.came = at;
  if (own.has_met) {
    own.has_met = false;
    arena_.release(own.members);
    return own.clock.load(std::memory_order_relaxed);
  }
  own.members = arena_.allocate(std::max<std::size_t>(members.size(), 1) * sizeof(int));
  own.member_count = static_cast<int>(members.size());
  own.meeting = meeting;
  std::ranges::copy(members, arena_.at<int>(own.members));
  std::sort(arena_.at<int>(own.members), arena_.at<int>(own.members) + members.size());
  const auto who = [&](int m) { return m == r ? a : waits_to_synchronise_with(m, r, meeting); };
  if (std::ranges::any_of(members, [&](int m) { return who(m) < 0; })) {
    block(a, Waiting::synchronising);
    return std::nullopt;
  }
  const auto clock_of = [&](int m) { return actor(who(m)).clock.load(std::memory_order_relaxed); };
  const double time = std::ranges::max(members | std::views::transform(clock_of));
  // The last to come comes after all others, whatever its time.
  Moment all_came = at;
  for (const int m : members) {
    if (m == r) continue;
    all_came = happens(r, time, {{all_came, 0, Why::same}, {actor(who(m)).came, 0, Why::meeting}});
  }
  for (const int m : members) {
    const int met = who(m);
    actor(met).came = all_came;
    actor(met).clock.store(time, std::memory_order_release);
    actor(met).follows = time;
    actor(met).behind = 1;
    if (m == r) continue;
    actor(met).has_met = true;
    wake(met);
  }
  arena_.release(own.members);
  return time;
}

Moment World::met(int a) const { return actor(a).came; }

/// The actor of the rank that is blocked in that meeting with the other rank among the members; −1:
/// none is.
int World::waits_to_synchronise_with(int r, int other, int meeting) const {
  const auto waits = [&](const Actor& one) {
    if (one.waiting != Waiting::synchronising || one.meeting != meeting) return false;
    const int* const members = arena_.at<int>(one.members);
    return std::binary_search(members, members + one.member_count, other);
  };
  if (waits(rank(r).first_thread)) return r;
  for (int a = rank(r).threads; a != 0; a = actor(a).next) {
    if (waits(actor(a))) return a;
  }
  return -1;
}

/// Before this time nothing ends the actor's wait that is known already. `never`: only a message
/// that is still to come does, or another.
double World::need(const Actor& waiter) const {
  const Rank& state = rank(waiter.rank);
  switch (waiter.waiting) {
    case Waiting::running:
      return waiter.clock.load(std::memory_order_acquire);
    case Waiting::absent:
    case Waiting::synchronising:
    case Waiting::sleeping:
    case Waiting::dozing:
    case Waiting::finished:
      return never;
    case Waiting::all:
      return state.pending;
    case Waiting::first:
      return std::min(waiter.first, state.pending);
    case Waiting::known:
    case Waiting::passed:
      return std::min(waiter.time, state.pending);
    case Waiting::turn:
      // One that follows does what it does at that time behind all else.
      return waiter.follows == waiter.time ? std::nextafter(waiter.time, never) : waiter.time;
    case Waiting::message: {
      const double first = std::min(waiter.first, state.pending);
      const Offset place = candidate(state, waiter.wanted);
      return place == 0 ? first : std::min(arena_.at<Message>(place)->arrival, first);
    }
  }
  return never;
}

/// When it goes on. @pre is_ready()
double World::end_of_wait(const Actor& waiter) const {
  switch (waiter.waiting) {
    case Waiting::all:
      return waiter.latest;
    case Waiting::turn:
      return waiter.time;
    default:
      return need(waiter);
  }
}

/// No operation of the rank is over before this time, except for those of which it is known when
/// they are.
double World::horizon(int r) const {
  const double first_effect =
      rank(r).open_effects > 0 ? std::nextafter(region_.bound, never) : never;
  const double first =
      std::min({region_.horizon, first_transfer(r), first_undecided(r), first_effect});
  return rank(r).transfers > 0 ? std::min(first, first_passing(r)) : first;
}

double World::may_go_on(int a) const {
  const int r = actor(a).rank;
  return std::min({need(actor(a)), rank(r).pending, first_transfer(r), first_undecided(r),
                   first_to_ask(), first_of_flows()});
}

/// The message that the actor's probe finds; 0 while another may still come before it.
Offset World::certain_message(const Actor& waiter) const {
  const Rank& state = rank(waiter.rank);
  const Offset place = candidate(state, waiter.wanted);
  if (place == 0) return 0;
  const double arrival = arena_.at<Message>(place)->arrival;
  if (arrival > waiter.first) return 0;
  const bool waits_for_it_only = waiter.first == never && waiter.missing == 0;
  const bool in_order = waiter.wanted.source != wildcard && state.pending == never;
  return (waits_for_it_only && in_order) || arrival < horizon(waiter.rank) ? place : 0;
}

bool World::is_ready(const Actor& waiter) const {
  switch (waiter.waiting) {
    case Waiting::absent:
    case Waiting::running:
    case Waiting::synchronising:
    case Waiting::sleeping:
    case Waiting::dozing:
    case Waiting::finished:
      return false;
    case Waiting::all:
      return waiter.missing == 0;
    case Waiting::first:
      return waiter.first < horizon(waiter.rank);
    case Waiting::known:
      return waiter.time < horizon(waiter.rank);
    case Waiting::passed:
      return waiter.time <= region_.bound;
    case Waiting::turn:
      return is_turn(waiter, waiter.time);
    case Waiting::message:
      return certain_message(waiter) != 0 || waiter.first < horizon(waiter.rank);
  }
  return false;
}

void World::wake_if_ready(int r) {
  const auto wake_one = [&](int a) {
    Actor& waiter = actor(a);
    if (!is_ready(waiter)) return;
    const double since = end_of_wait(waiter);
    const double clock = waiter.clock.load(std::memory_order_relaxed);
    waiter.clock.store(std::max(clock, since), std::memory_order_release);
    wake(a);
  };
  wake_one(r);
  for (int a = rank(r).threads; a != 0; a = actor(a).next) wake_one(a);
}

void World::wake(int a) {
  Actor& woken = actor(a);
  woken.waiting = Waiting::running;
  ++region_.running;
  if (rank(woken.rank).threads != 0) {
    const double time = woken.clock.load(std::memory_order_relaxed);
    for_each_actor(woken.rank, [&](Actor& other) {
      if (other.waiting != Waiting::dozing) return;
      run(other, time);
      other.follows = time;
      other.behind = 2;
      if (woken.behind == 2) woken.follows = -1;
    });
  }
  refresh(woken.rank);
  driver_.wake(a);
}

void World::ask_again(int r) {
  const auto let_ask = [&](int a) {
    Actor& asks = actor(a);
    const Waiting how = asks.waiting;
    if (how != Waiting::all && how != Waiting::first && how != Waiting::message) return;
    const double clock = asks.clock.load(std::memory_order_relaxed);
    asks.clock.store(std::max(clock, region_.bound), std::memory_order_release);
    wake(a);
  };
  let_ask(r);
  for (int a = rank(r).threads; a != 0; a = actor(a).next) let_ask(a);
}

namespace {

/// What is waited for in partitioned communication.
std::string partitions_of(const std::string& who, const Envelope& wanted, bool sends) {
  if (wanted.context % 2 != 0) return who + " to prepare a message in partitions";
  if (tells_oneself(wanted)) return "its partitions to be ready";
  const std::string which = "partition " + std::to_string(wanted.tag);
  return sends ? who + " to receive " + which : which + " of " + who;
}

}  // namespace

std::string World::waited_for(const Actor& waiter) const {
  switch (waiter.waiting) {
    case Waiting::synchronising:
      return "others to make a communicator";
    case Waiting::sleeping:
    case Waiting::dozing:
      return "another thread";
    default:
      break;
  }
  const bool probes = waiter.waiting == Waiting::message;
  if (!probes && waiter.example == 0) return "nothing that comes";
  const Operation* const example = probes ? nullptr : arena_.at<Operation>(waiter.example);
  const Envelope& wanted = probes ? waiter.wanted : example->wanted;
  if (example != nullptr && example->effect != Effect::none) {
    return "a lock of rank " + std::to_string(wanted.source) + "'s window";
  }
  const std::string who =
      wanted.source == wildcard ? "any rank" : "rank " + std::to_string(wanted.source);
  const bool sends = example != nullptr && example->is_send;
  if (is_of_partitions(wanted.context)) return partitions_of(who, wanted, sends);
  if (wanted.context >= first_window_context) return who + " to open or end an epoch of a window";
  if (wanted.context % 2 != 0) {
    const std::string name = driver_.collective(wanted.context, wanted.tag);
    return who + " in " + (name.empty() ? "a collective operation" : name);
  }
  const std::string what = sends ? who + " to receive its message" : "a message from " + who;
  return what +
         (wanted.tag == wildcard ? " with any tag" : " with tag " + std::to_string(wanted.tag));
}

bool World::is_left_alone(int rank) const {
  if (has_threads(rank)) return false;
  for (int r = 0; r < region_.ranks; ++r) {
    const auto waits = [&](const Actor& one) {
      return one.waiting != Waiting::running && need(one) == never;
    };
    if (r != rank && !all_actors(r, waits)) return false;
  }
  return true;
}

std::string World::describe_ranks() const {
  std::string text;
  for (int r = 0; r < region_.ranks; ++r) {
    for_each_actor(r, [&](const Actor& one) {
      if (one.waiting == Waiting::finished) return;
      text += (text.empty() ? "rank " : "; rank ") + std::to_string(r);
      if (one.number > 0) text += "'s thread " + std::to_string(one.number);
      text += one.waiting == Waiting::running ? " computes, polls or waits outside MPI"
                                              : " waits for " + waited_for(one);
    });
  }
  return text;
}

}  // namespace commgauge::simulate
