// Several threads of a rank: who there is, who sleeps, whose turn it is.

#include <algorithm>
#include <utility>

#include "world/world_state.hpp"

namespace commgauge::simulate {

int World::begin(int r, double clock) {
  Rank& owner = rank(r);
  const int first = region_.ranks + r * region_.threads_per_rank;
  int a = first;
  while (a < first + region_.threads_per_rank && actor(a).waiting != Waiting::absent) ++a;
  if (a == first + region_.threads_per_rank) {
    throw InputError("rank " + std::to_string(r) + " has more than " +
                     std::to_string(region_.threads_per_rank) +
                     " threads at a time (the emulation has no place for more): use fewer");
  }
  Actor& begun = actor(a);
  begun.rank = r;
  begun.number = owner.next_number++;
  begun.waiting = Waiting::running;
  begun.has_met = false;
  begun.follows = -1;
  begun.clock.store(clock, std::memory_order_release);
  begun.next = owner.threads;
  owner.threads = a;
  ++region_.running;
  region_.last_thread = std::max(region_.last_thread, a + 1);
  return a;
}

void World::end(int a) {
  Actor& ended = actor(a);
  Rank& owner = rank(ended.rank);
  int* link = &owner.threads;
  while (*link != a) link = &actor(*link).next;
  *link = ended.next;
  if (ended.waiting == Waiting::running) --region_.running;
  ended.waiting = Waiting::absent;
  touch(ended.rank);
  refresh(ended.rank);
  driver_.changed(*this);
}

bool World::has_threads(int r) const { return rank(r).threads != 0; }

bool World::sleeps(int a) const {
  return actor(a).waiting == Waiting::sleeping || actor(a).waiting == Waiting::dozing;
}

bool World::anybody_dozes() const {
  for (int r = 0; r < region_.ranks; ++r) {
    const bool all_else =
        all_actors(r, [](const Actor& one) { return one.waiting != Waiting::dozing; });
    if (!all_else) return true;
  }
  return false;
}

void World::sleep_thread(int a, bool by_any) {
  block(a, by_any ? Waiting::dozing : Waiting::sleeping);
}

void World::wake_thread(int a, double time) {
  Actor& woken = actor(a);
  if (!sleeps(a)) return;
  // Who is woken from outside of the program comes no sooner than what is decided.
  run(woken, std::max(time, region_.bound));
  refresh(woken.rank);
}

void World::run(Actor& woken, double time) {
  woken.waiting = Waiting::running;
  ++region_.running;
  const double clock = woken.clock.load(std::memory_order_relaxed);
  woken.clock.store(std::max(clock, time), std::memory_order_release);
}

bool World::turn(int a, double time) {
  Actor& own = actor(a);
  if (!has_threads(own.rank)) return true;
  if (!is_turn(own, time)) {
    own.time = time;
    own.example = 0;
    block(a, Waiting::turn);
    return false;
  }
  // Others of the rank may have waited for this clock.
  driver_.changed(*this);
  return true;
}

/// Of two at the same time the one goes first that doesn't follow another (Actor::follows); of such
/// the one that began first.
bool World::is_turn(const Actor& waiter, double time) const {
  const auto place = [&](const Actor& one) {
    return std::pair{one.follows == time ? one.behind : 0, one.number};
  };
  const auto own = place(waiter);
  return all_actors(waiter.rank, [&](const Actor& other) {
    double earliest = other.clock.load(std::memory_order_acquire);
    if (&other == &waiter || earliest > time) return true;
    switch (other.waiting) {
      case Waiting::absent:
      case Waiting::finished:
      case Waiting::sleeping:
      case Waiting::dozing:
        return true;
      case Waiting::running:
        break;
      case Waiting::known:
      case Waiting::passed:
      case Waiting::turn:
        earliest = other.time;
        break;
      case Waiting::synchronising:
        // If that ends at this time, the other one follows.
        return std::pair{1, other.number} > own ? region_.bound >= time : region_.bound > time;
      default:
        if (is_ready(other)) {
          earliest = std::max(earliest, end_of_wait(other));
          break;
        }
        if (std::min(rank(waiter.rank).pending, horizon(waiter.rank)) > time) return true;
        return region_.bound >= time && place(other) > own;
    }
    return earliest != time ? earliest > time : place(other) > own;
  });
}

}  // namespace commgauge::simulate
