// Which decisions can't be changed any more by what is still to come.

#include <algorithm>
#include <cmath>

#include "world/world_state.hpp"

namespace commgauge::simulate {

/// When the first decision about a rank may fall: how its wait ends, what its receives get, or what
/// happens to its memory.
void World::refresh(int r) {
  double first = rank(r).pending;
  for_each_actor(r, [&](const Actor& actor) {
    if (actor.waiting != Waiting::running) first = std::min(first, need(actor));
  });
  if (const Offset effect = rank(r).effects; effect != 0) {
    first = std::min(first, message(effect).arrival);
  }
  first_decisions_.set(r, first);
}

/// Nothing that isn't known yet happens before this time, but for what messages do that ask for
/// links.
double World::bound() const {
  double least = first_decisions_.least();
  if (!first_in_queues_.is_empty()) {
    least = std::min(least, std::nextafter(first_in_queues_.least(), never));
  }
  int left = region_.running;
  const auto add = [&](const Actor& actor) {
    if (actor.waiting != Waiting::running) return;
    least = std::min(least, actor.clock.load(std::memory_order_acquire));
    --left;
  };
  for (int r = 0; r < region_.ranks && left > 0; ++r) add(rank(r).first_thread);
  for (int a = region_.ranks; left > 0 && a < region_.last_thread; ++a) add(actor(a));
  return std::max(least, driver_.least_time());
}

void World::find_undecided() {
  undecided_.clear();
  first_decisions_.for_each_before(region_.horizon, [&](int r) { undecided_.push_back(r); });
  std::ranges::sort(undecided_);
}

/// Matches what is certain by now. @return whether anything was
bool World::match_certain() {
  bool any = false;
  find_undecided();
  for (const int r : undecided_) {
    if (rank(r).pending >= region_.horizon || !match(r)) continue;
    any = true;
    wake_if_ready(r);
  }
  return any;
}

bool World::nothing_is_undecided() const {
  return first_decisions_.is_empty() && first_in_queues_.is_empty() && region_.asking == 0 &&
         region_.flows_left == 0;
}

/// What isn't known by then arrives no sooner than this. Bytes that are under way on shared links
/// may pass before the look-ahead is over; where nothing is to be decided before that, it isn't
/// worth looking.
double World::horizon_by(double least) const {
  const double all = least + region_.look_ahead;
  // Bytes that pass at that time bring a message that isn't known yet.
  const bool ends_now = RankHeap(arena_, region_.flow_ends).least() <= least;
  const double next = ends_now ? least : std::nextafter(least, never);
  if (first_decisions_.least() >= all) return next;
  return std::max(next, std::min(all, least_end_of_flows()));
}

void World::settle() {
  while (!nothing_is_undecided()) {
    const double others = bound();
    const bool flows = region_.flows_left > 0;
    double least = std::min(others, first_to_ask());
    double known = least + region_.look_ahead;
    if (flows) [[unlikely]] {
      least = std::min(least, first_of_flows());
      known = horizon_by(least);
    }
    region_.bound = std::max(region_.bound, least);
    region_.horizon = std::max(region_.horizon, known);
    if (match_certain() || take_effects(least) || serve_next(least) || give_links(others) ||
        (flows && pass_flows(others))) {
      continue;
    }
    find_undecided();
    for (const int r : undecided_) wake_if_ready(r);
    return;
  }
}

bool World::nobody_can_go_on() const {
  if (region_.running > 0) return false;
  if (!driver_.follows_real_time()) return true;
  return nothing_is_undecided();
}

}  // namespace commgauge::simulate
