// What ranks wait for, and when they know it.

#include <algorithm>
#include <cmath>
#include <ranges>

#include "world_state.hpp"

namespace commgauge::simulate {

DeadlockError::DeadlockError(const World& world)
    : DeadlockError(world.describe_deadlock(), "receive what is sent, send what is received") {}

DeadlockError::DeadlockError(const std::string& waiting, const std::string& advice)
    : Error("the program is in a deadlock (" + waiting + "): " + advice), waiting_{waiting} {}

void World::become_known(int r, Operation& operation, double event) {
  operation.event = event;
  operation.known = true;
  if (operation.effect != Effect::none) --rank(r).open_effects;
  if (!operation.awaited) return;
  Rank& owner = rank(r);
  --owner.missing;
  owner.first = std::min(owner.first, event);
  owner.latest = std::max(owner.latest, event);
  refresh(r);
}

void World::await(int r, std::span<const Offset> operations) {
  Rank& waiter = rank(r);
  waiter.missing = 0;
  waiter.first = never;
  waiter.latest = 0;
  waiter.example = 0;
  for (const Offset place : operations) {
    Operation& awaited = operation(place);
    awaited.awaited = true;
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
  for (const Offset place : operations) operation(place).awaited = false;
}

void World::block(int r, Waiting waiting) {
  rank(r).waiting = waiting;
  --region_.running;
  touch(r);
  refresh(r);
  driver_.changed(*this);
}

bool World::wait_all(int r, std::span<const Offset> operations) {
  await(r, operations);
  if (rank(r).missing > 0) {
    block(r, Waiting::all);
    return false;
  }
  no_longer_await(operations);
  return true;
}

std::optional<Offset> World::wait_first(int r, std::span<const Offset> operations) {
  await(r, operations);
  if (rank(r).first >= horizon(r)) {
    block(r, Waiting::first);
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

bool World::wait_known(int r, double time) {
  if (time < horizon(r)) return true;
  rank(r).time = time;
  block(r, Waiting::known);
  return false;
}

bool World::wait_passed(int r, double time) {
  if (time <= region_.passed) return true;
  rank(r).time = time;
  block(r, Waiting::passed);
  return false;
}

std::optional<Offset> World::wait_message(int r, const Envelope& wanted,
                                          std::span<const Offset> operations) {
  await(r, operations);
  Rank& waiter = rank(r);
  waiter.wanted = wanted;
  const Offset found = certain_message(r);
  if (found == 0 && waiter.first >= horizon(r)) {
    block(r, Waiting::message);
    return std::nullopt;
  }
  no_longer_await(operations);
  return found;
}

std::optional<double> World::synchronise(int r, std::span<const int> members, Moment at) {
  Rank& own = rank(r);
  if (!own.has_met) own.came = at;
  if (own.has_met) {
    own.has_met = false;
    arena_.release(own.members);
    return own.clock.load(std::memory_order_relaxed);
  }
  own.members = arena_.allocate(std::max<std::size_t>(members.size(), 1) * sizeof(int));
  own.member_count = static_cast<int>(members.size());
  std::ranges::copy(members, arena_.at<int>(own.members));
  std::sort(arena_.at<int>(own.members), arena_.at<int>(own.members) + members.size());
  const auto is_missing = [&](int m) { return m != r && !waits_to_synchronise_with(m, r); };
  if (std::ranges::any_of(members, is_missing)) {
    block(r, Waiting::synchronising);
    return std::nullopt;
  }
  const auto clock_of = [&](int m) { return rank(m).clock.load(std::memory_order_relaxed); };
  const double time = std::ranges::max(members | std::views::transform(clock_of));
  // The last to come comes after all others, whatever its time.
  Moment all_came = at;
  for (const int m : members) {
    if (m == r) continue;
    all_came = happens(r, time, {{all_came, 0, Why::same}, {rank(m).came, 0, Why::meeting}});
  }
  for (const int m : members) {
    rank(m).came = all_came;
    rank(m).clock.store(time, std::memory_order_release);
    if (m == r) continue;
    rank(m).has_met = true;
    wake(m);
  }
  arena_.release(own.members);
  return time;
}

Moment World::met(int r) const { return rank(r).came; }

/// Whether it is blocked in synchronise() with the other among the members.
bool World::waits_to_synchronise_with(int r, int other) const {
  const Rank& state = rank(r);
  if (state.waiting != Waiting::synchronising) return false;
  const int* const members = arena_.at<int>(state.members);
  return std::binary_search(members, members + state.member_count, other);
}

/// Before this time nothing ends the rank's wait that is known already. `never`: only a message
/// that is still to come does.
double World::need(const Rank& waiter) const {
  switch (waiter.waiting) {
    case Waiting::running:
      return waiter.clock.load(std::memory_order_acquire);
    case Waiting::synchronising:
    case Waiting::finished:
      return never;
    case Waiting::all:
      return waiter.pending;
    case Waiting::first:
      return std::min(waiter.first, waiter.pending);
    case Waiting::known:
    case Waiting::passed:
      return std::min(waiter.time, waiter.pending);
    case Waiting::message: {
      const double first = std::min(waiter.first, waiter.pending);
      const Offset place = candidate(waiter, waiter.wanted);
      return place == 0 ? first : std::min(arena_.at<Message>(place)->arrival, first);
    }
  }
  return never;
}

/// No operation of the rank is over before this time, except for those of which it is known when
/// they are.
double World::horizon(int r) const {
  const double first_effect =
      rank(r).open_effects > 0 ? std::nextafter(region_.passed, never) : never;
  return std::min({region_.horizon, first_transfer(r), first_undecided(r), first_effect});
}

double World::may_go_on(int r) const {
  return std::min(
      {need(rank(r)), rank(r).pending, first_transfer(r), first_undecided(r), first_to_ask()});
}

/// The message that the rank's probe finds; 0 while another may still come before it.
Offset World::certain_message(int r) const {
  const Rank& waiter = rank(r);
  const Offset place = candidate(waiter, waiter.wanted);
  if (place == 0) return 0;
  const double arrival = arena_.at<Message>(place)->arrival;
  if (arrival > waiter.first) return 0;
  const bool waits_for_it_only = waiter.first == never && waiter.missing == 0;
  const bool in_order = waiter.wanted.source != wildcard && waiter.pending == never;
  return (waits_for_it_only && in_order) || arrival < horizon(r) ? place : 0;
}

bool World::is_ready(int r) const {
  const Rank& waiter = rank(r);
  switch (waiter.waiting) {
    case Waiting::running:
    case Waiting::synchronising:
    case Waiting::finished:
      return false;
    case Waiting::all:
      return waiter.missing == 0;
    case Waiting::first:
      return waiter.first < horizon(r);
    case Waiting::known:
      return waiter.time < horizon(r);
    case Waiting::passed:
      return waiter.time <= region_.passed;
    case Waiting::message:
      return certain_message(r) != 0 || waiter.first < horizon(r);
  }
  return false;
}

void World::wake_if_ready(int r) {
  Rank& waiter = rank(r);
  if (!is_ready(r)) return;
  const double since = waiter.waiting == Waiting::all ? waiter.latest : need(waiter);
  const double clock = waiter.clock.load(std::memory_order_relaxed);
  waiter.clock.store(std::max(clock, since), std::memory_order_release);
  wake(r);
}

void World::wake(int r) {
  rank(r).waiting = Waiting::running;
  ++region_.running;
  refresh(r);
  driver_.wake(r);
}

std::string World::describe_deadlock() const {
  std::string text;
  for (int r = 0; r < region_.ranks; ++r) {
    const Rank& state = rank(r);
    if (state.waiting == Waiting::finished) continue;
    text += (text.empty() ? "rank " : "; rank ") + std::to_string(r) + " waits for ";
    const bool probes = state.waiting == Waiting::message;
    if (state.waiting == Waiting::synchronising) {
      text += "others to make a communicator";
      continue;
    }
    if (!probes && state.example == 0) {
      text += "nothing that comes";
      continue;
    }
    const Operation* const example = probes ? nullptr : arena_.at<Operation>(state.example);
    const Envelope& wanted = probes ? state.wanted : example->wanted;
    if (example != nullptr && example->effect != Effect::none) {
      text += "a lock of rank " + std::to_string(wanted.source) + "'s window";
      continue;
    }
    const std::string who =
        wanted.source == wildcard ? "any rank" : "rank " + std::to_string(wanted.source);
    if (wanted.context >= first_window_context) {
      text += who + " to open or end an epoch of a window";
      continue;
    }
    if (wanted.context % 2 != 0) {
      text += who + " in a collective operation";
      continue;
    }
    text += example != nullptr && example->is_send ? who + " to receive its message"
                                                   : "a message from " + who;
    text += wanted.tag == wildcard ? " with any tag" : " with tag " + std::to_string(wanted.tag);
  }
  return text;
}

}  // namespace commgauge::simulate
