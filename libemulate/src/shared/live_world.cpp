#include "shared/live_world.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/real_time.hpp"
#include "base/say.hpp"

namespace commgauge::emulate {

namespace {

/// Where there is a core for every rank it pays to look for a while before sleeping.
constexpr int spins_with_a_core = 2000;
constexpr double between_works = 1e-3;    ///< [s]
constexpr double between_doubts = 50e-3;  ///< [s]
constexpr double between_words = 60;      ///< [s] about a stall
constexpr int note_lists = 1024;

int cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Of the operation that it belongs to. Persistent ones have negative tags.
int first_tag(int tag) { return tag & ~(tags_of_one - 1); }

/// Of this thread: the actor that it is.
[[gnu::tls_model("initial-exec")]] thread_local int acting = -1;

}  // namespace

struct alignas(64) LiveWorld::Sleeper {
  std::atomic<std::uint32_t> wake;
  double until;  ///< in real time, where that is followed
  SharedLock memory;
};

struct LiveWorld::Shared {
  SharedLock lock;
  std::atomic<int> numbers;
  std::atomic<bool> has_failed;
  std::atomic<bool> has_warned;
  std::atomic<bool> has_told_of_rest;
  std::atomic<std::uint32_t> has_told;
  Offset world;
  Offset sleepers;
  Offset machine;  ///< its bytes
  std::size_t machine_size;
  Offset agreed;  ///< the first Agreed, or 0
  Offset notes;   ///< lists of Noted, by a hash: the first of each, or 0
};

/// A number that some ranks have asked for, and others will.
struct LiveWorld::Agreed {
  Offset next;
  int context;
  int tag;
  int number;
  int left;  ///< ranks that haven't asked
};

/// A collective operation that some ranks have called. Where all have it stays until the list
/// grows: who is in a deadlock then may still wait for it.
struct LiveWorld::Noted {
  Offset next;
  int context;
  int tag;
  int left;  ///< ranks that haven't called it
  CollectiveNote first;
};

Offset LiveWorld::set_up(const SharedMemory& memory, const Machine& machine) {
  Arena arena(memory.base(), memory.bytes(), true);
  const Offset place = arena.reserve(sizeof(Shared));
  auto* const shared = new (arena.at<Shared>(place)) Shared{};
  const auto n = static_cast<std::size_t>(machine.ranks);
  // Threads' parts of the memory are used, and thereby there, where there are threads.
  shared->sleepers = arena.reserve(n * (1 + threads_per_rank) * sizeof(Sleeper));
  for (std::size_t r = 0; r < n; ++r) new (arena.at<Sleeper>(shared->sleepers) + r) Sleeper{};
  shared->notes = arena.reserve(note_lists * sizeof(Offset));
  std::fill_n(arena.at<Offset>(shared->notes), note_lists, 0);
  shared->world = World::set_up(arena, machine, threads_per_rank);
  const std::string bytes = simulate::to_bytes(machine);
  shared->machine = arena.reserve(bytes.size());
  shared->machine_size = bytes.size();
  std::ranges::copy(bytes, arena.at<char>(shared->machine));
  return place;
}

LiveWorld::LiveWorld(SharedMemory memory, Offset place, int self)
    : memory_{std::move(memory)},
      arena_{memory_.base(), memory_.bytes(), false},
      shared_{*arena_.at<Shared>(place)},
      machine_{simulate::machine_from_bytes(
          std::string_view{arena_.at<char>(shared_.machine), shared_.machine_size})},
      sleepers_{arena_.at<Sleeper>(shared_.sleepers)},
      self_{self},
      spins_{machine_.ranks <= cores() ? spins_with_a_core : 0},
      world_{arena_, shared_.world, machine_, *this} {
  act_as(self);
}

void LiveWorld::act_as(int actor) { acting = actor; }

SharedLock& LiveWorld::memory_of(int rank) { return sleepers_[rank].memory; }

void LiveWorld::lock() { shared_.lock.lock(); }
void LiveWorld::unlock() { shared_.lock.unlock(); }

double LiveWorld::least_time() const {
  return follows_real_time() ? std::max(0.0, real_time() - real_start_) : 0;
}

int LiveWorld::next_number() { return ++shared_.numbers; }

int LiveWorld::number_for(int context, int tag, int members, int number) {
  const std::lock_guard lock(world_);
  Offset* link = &shared_.agreed;
  const auto is_it = [&](const Agreed& one) { return one.context == context && one.tag == tag; };
  while (*link != 0 && !is_it(*arena_.at<Agreed>(*link))) link = &arena_.at<Agreed>(*link)->next;
  if (*link == 0) {
    const Offset place = arena_.allocate(sizeof(Agreed));
    const int first = number != 0 ? number : next_number();
    new (arena_.at<Agreed>(place)) Agreed{0, context, tag, first, members};
    *link = place;
  }
  const Offset place = *link;
  Agreed& found = *arena_.at<Agreed>(place);
  const int agreed = found.number;
  if (--found.left == 0) {
    *link = found.next;
    arena_.release(place);
  }
  return agreed;
}

Offset& LiveWorld::notes(int context, int tag) const {
  const auto number = static_cast<unsigned>(first_tag(tag)) / tags_of_one;
  const unsigned list = (static_cast<unsigned>(context) * 65599U + number) % note_lists;
  return arena_.at<Offset>(shared_.notes)[list];
}

CollectiveNote LiveWorld::note_collective(int context, int tag, int members,
                                          const CollectiveNote& own) {
  const std::lock_guard lock(world_);
  Offset* link = &notes(context, tag);
  while (*link != 0) {
    Noted& one = *arena_.at<Noted>(*link);
    if (one.context == context && one.tag == tag && one.left > 0) {
      --one.left;
      return one.first;
    }
    if (one.left > 0) {
      link = &one.next;
      continue;
    }
    const Offset over = *link;
    *link = one.next;
    arena_.release(over);
  }
  *link = arena_.allocate(sizeof(Noted));
  new (arena_.at<Noted>(*link)) Noted{0, context, tag, members - 1, own};
  return own;
}

std::string LiveWorld::collective(int context, int tag) const {
  for (Offset place = notes(context, tag); place != 0; place = arena_.at<Noted>(place)->next) {
    const Noted& one = *arena_.at<Noted>(place);
    if (one.context == context && one.tag == first_tag(tag)) {
      return one.first.name.data();
    }
  }
  return {};
}

bool LiveWorld::work_meanwhile() {
  if (meanwhile_ && !meanwhile_()) meanwhile_ = nullptr;
  return meanwhile_ != nullptr;
}

bool LiveWorld::is_first_to_fail() { return !shared_.has_failed.exchange(true); }

bool LiveWorld::is_first_to_warn() { return !shared_.has_warned.exchange(true); }

bool LiveWorld::is_first_to_tell_of_rest() { return !shared_.has_told_of_rest.exchange(true); }

void LiveWorld::has_told() {
  shared_.has_told = 1;
  wake_sleepers(shared_.has_told, machine_.ranks);
}

void LiveWorld::wait_until_told() {
  constexpr double longest = 20;  // [s]
  const double end = real_time() + longest;
  while (shared_.has_told == 0 && real_time() < end) sleep_on(shared_.has_told, 0, longest);
}

void LiveWorld::rouse(int actor) {
  std::atomic<std::uint32_t>& word = sleepers_[actor].wake;
  word.fetch_add(1, std::memory_order_release);
  wake_sleepers(word, 1);
}

void LiveWorld::wake(int actor) {
  if (actor != acting) rouse(actor);
}

void LiveWorld::changed(World& world) {
  world.settle();
  if (follows_real_time()) rouse_sleepers();
}

/// Where real time is followed: ranks that sleep longer than they have to by now look again.
void LiveWorld::rouse_sleepers() {
  for (int r = 0; r < machine_.ranks; ++r) {
    if (r == self_ || !world_.is_blocked(r) || world_.may_go_on(r) >= sleepers_[r].until) continue;
    sleepers_[r].until = world_.may_go_on(r);
    rouse(r);
  }
}

/// Where a thread dozes it may be awake and wait for a core: only after a while is it sure.
bool LiveWorld::is_deadlocked() {
  constexpr double sure = 2;  // [s]
  if (!world_.nobody_can_go_on()) {
    stuck_since_ = never;
    return false;
  }
  if (!world_.anybody_dozes()) return true;
  stuck_since_ = std::min(stuck_since_, real_time());
  return real_time() - stuck_since_ > sure;
}

/// After a sleep that has changed nothing for the caller.
std::string LiveWorld::look_for_stall() {
  const double now = real_time();
  const double next = stall_.since + std::min(stall_limit_, (stall_.told + 1) * between_words);
  if (stall_.since != never && now < next) return {};
  std::uint64_t ends = 0;
  for (int r = 0; r < machine_.ranks; ++r) ends += world_.known_ends(r);
  if (stall_.since == never || ends != stall_.ends) {
    stall_ = {ends, now, 0};
    return {};
  }
  std::ostringstream text;
  text << "nothing that ranks wait for has happened for " << std::floor(now - stall_.since)
       << " s (" << world_.describe_ranks() << "): ";
  if (now - stall_.since >= stall_limit_) {
    text << "that is the --stall-limit, the job ends";
    throw StallError(text.str());
  }
  ++stall_.told;
  for (int r = 0; r < acting; ++r) {
    if (world_.is_blocked(r)) return {};
  }
  text << "see what those do that don't wait; "
       << (stall_limit_ < never ? "--stall-limit will end the job"
                                : "--stall-limit ends such a job");
  return text.str();
}

void LiveWorld::let_all_ask() {
  for (int r = 0; r < machine_.ranks; ++r) rouse(r);
}

bool LiveWorld::block(double longest) {
  Sleeper& own = sleepers_[acting];
  std::unique_lock lock(world_);
  const double end = longest != never ? real_time() + longest : never;
  while (world_.is_blocked(acting)) {
    if (is_deadlocked()) throw DeadlockError(world_);
    own.until = follows_real_time() ? world_.may_go_on(acting) : never;
    double pause = std::max(0.0, own.until - least_time());
    if (stuck_since_ != never) pause = std::min(pause, between_doubts);
    if (end != never) pause = std::min(pause, end - real_time());
    pause = std::min({pause, stall_limit_, between_words});
    if (pause <= 0 && end != never) return false;
    const std::uint32_t ticket = own.wake.load(std::memory_order_acquire);
    // The rank's other threads may need the core.
    const int spins = world_.has_threads(self_) ? 0 : spins_;
    lock.unlock();
    for (int k = 0; k < spins && own.wake.load(std::memory_order_acquire) == ticket; ++k) {
      pause_briefly();
    }
    if (longest == never && work_meanwhile()) pause = std::min(pause, between_works);
    if (own.wake.load(std::memory_order_acquire) == ticket) sleep_on(own.wake, ticket, pause);
    lock.lock();
    if (!world_.is_blocked(acting)) break;
    if (follows_real_time()) changed(world_);
    if (const std::string text = look_for_stall(); !text.empty()) {
      const Unlocked unlocked(*this);
      say(text);
    }
  }
  stall_.since = never;
  return true;
}

}  // namespace commgauge::emulate
