#include "engine.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <ranges>
#include <tuple>

#include "real_time.hpp"

namespace commgauge::emulate {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Where there is a core for every rank it pays to look for a while before sleeping.
constexpr int spins_with_a_core = 2000;

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

/// The order of arrival; ranks decide where two arrive at the same time.
bool comes_before(const Message& a, const Message& b) {
  if (a.arrival != b.arrival) return a.arrival < b.arrival;
  return a.envelope.source < b.envelope.source;
}

}  // namespace

bool matches(const Envelope& message, const Envelope& wanted) {
  return message.context == wanted.context &&
         (wanted.source == wildcard || wanted.source == message.source) &&
         (wanted.tag == wildcard || wanted.tag == message.tag);
}

struct alignas(128) Engine::Rank {
  std::atomic<std::uint32_t> wake;
  std::atomic<double> clock;
  Waiting waiting;
  Offset inbox;  ///< unmatched messages, in the order of arrival (MPI's unexpected messages)
  Offset inbox_last;
  Offset posted;  ///< unmatched receives, in the order in which they were posted
  Offset posted_last;
  double pending;      ///< arrival of the first message that fits a posted receive, not yet matched
  double horizon;      ///< messages that aren't in the inbox yet arrive at this time or later
  bool has_undecided;  ///< whether its row of undecided_ has a time in it
  int sent;            ///< messages
  int open_sends;      ///< rendezvous messages that aren't matched yet
  double send_free;    ///< when its port is free to send the next rendezvous message [s]
  double receive_free;  ///< and to receive the next [s]
  // While it waits:
  double sleeps_until;  ///< in real time
  int missing;          ///< awaited operations whose end isn't known
  double first;         ///< earliest event of those that are
  double latest;        ///< and the latest
  double time;          ///< of Waiting::known
  Envelope wanted;      ///< of Waiting::message
  Offset example;       ///< one of the awaited operations
};

struct Engine::Region {
  SharedLock lock;
  int ranks;
  int running;
  std::atomic<int> numbers;
  std::atomic<bool> has_failed;
  Offset rank_states;
  Offset look_ahead;
  Offset last_arrival;
  Offset undecided;
  Offset members;
  Offset link_free;
  Offset transfers;  ///< matched rendezvous messages that wait for ports, in the order of matching
};

Offset Engine::set_up(SharedMemory& memory, const Machine& machine) {
  const int n = machine.ranks;
  const std::size_t matrix = at(n) * at(n) * sizeof(double);
  const Offset start = memory.reserve(sizeof(Region));
  auto* region = new (memory.at<Region>(start)) Region{};
  region->ranks = region->running = n;
  region->rank_states = memory.reserve(at(n) * sizeof(Rank) + alignof(Rank));
  region->rank_states = (region->rank_states + alignof(Rank) - 1) / alignof(Rank) * alignof(Rank);
  region->look_ahead = memory.reserve(matrix);
  region->last_arrival = memory.reserve(matrix);
  region->undecided = memory.reserve(matrix);
  region->link_free = memory.reserve(matrix);
  region->members = memory.reserve(at(n) * at(n));
  for (int i = 0; i < n; ++i) {
    auto* rank = new (memory.at<Rank>(region->rank_states) + i) Rank{};
    rank->pending = never;
    for (int j = 0; j < n; ++j) {
      const std::size_t k = at(i) * at(n) + at(j);
      memory.at<double>(region->look_ahead)[k] =
          i == j ? never : simulate::look_ahead(machine, i, j);
      memory.at<double>(region->undecided)[k] = never;
    }
  }
  return start;
}

Engine::Engine(SharedMemory& memory, Offset region, const Machine& machine, int self)
    : memory_{memory},
      region_{*memory.at<Region>(region)},
      ranks_{memory.at<Rank>(region_.rank_states)},
      look_ahead_{memory.at<double>(region_.look_ahead)},
      last_arrival_{memory.at<double>(region_.last_arrival)},
      undecided_{memory.at<double>(region_.undecided)},
      link_free_{memory.at<double>(region_.link_free)},
      members_{memory.at<char>(region_.members)},
      machine_{machine},
      self_{self},
      spins_{region_.ranks <= cores() ? spins_with_a_core : 0},
      bounds_(at(region_.ranks)),
      has_to_wait_(at(region_.ranks)) {
  for (int r = 0; r < region_.ranks; ++r) processors_.emplace_back(machine.disturbances, r);
}

Engine::Rank& Engine::rank(int r) const { return ranks_[r]; }
std::size_t Engine::index(int row, int column) const {
  return at(row) * at(region_.ranks) + at(column);
}

void Engine::lock() { region_.lock.lock(); }
void Engine::unlock() { region_.lock.unlock(); }

void Engine::follow_real_time(double start) { real_start_ = start; }
double Engine::least_time() const {
  return real_start_ == never ? 0 : std::max(0.0, real_time() - real_start_);
}

void Engine::publish(double clock) { rank(self_).clock.store(clock, std::memory_order_release); }

int Engine::next_number() { return ++region_.numbers; }
bool Engine::is_first_to_fail() { return !region_.has_failed.exchange(true); }

Offset Engine::send(const Sending& sending) {
  const PairCosts& costs = machine_.pair(self_, sending.to);
  const auto size = static_cast<double>(sending.size);
  const Offset place = memory_.allocate(sizeof(Message));
  auto& message = *new (memory_.at<Message>(place)) Message{};
  message.envelope = {sending.context, self_, sending.tag};
  message.rendezvous = sending.rendezvous;
  message.number = rank(self_).sent++;
  // Of a rendezvous only the request, without data, travels before the receiver answers.
  const double travels = sending.rendezvous ? 0 : size;
  double& last = last_arrival_[index(self_, sending.to)];
  const double unhindered = sending.start + costs.arrival.at(travels);
  message.arrival = std::max(unhindered, last + costs.link.at(travels));
  last = message.arrival;
  message.start = sending.start + (message.arrival - unhindered);
  message.end = message.start + costs.one_way.at(size);
  message.receive_overhead = costs.receive_overhead.at(size);
  message.gap = costs.gap.at(size);
  message.port = costs.port.at(size);
  message.size = sending.size;
  message.payload = sending.payload;
  if (sending.rendezvous) {
    message.sender = memory_.allocate(sizeof(Operation));
    auto& operation = *new (memory_.at<Operation>(message.sender)) Operation{};
    operation.wanted = {sending.context, sending.to, sending.tag};
    operation.posted = sending.start;
    operation.owner = self_;
    operation.is_send = true;
    ++rank(self_).open_sends;
  }
  const Offset sender = message.sender;
  insert(sending.to, place);
  match(sending.to);
  wake_if_ready(sending.to);
  settle();
  return sender;
}

Offset Engine::post(const Envelope& wanted, double now) {
  const Offset place = memory_.allocate(sizeof(Operation));
  auto& operation = *new (memory_.at<Operation>(place)) Operation{};
  operation.wanted = wanted;
  operation.posted = now;
  operation.owner = self_;
  Rank& me = rank(self_);
  (me.posted_last != 0 ? this->operation(me.posted_last).next : me.posted) = place;
  me.posted_last = place;
  match(self_);
  if (region_.transfers != 0) settle();
  return place;
}

Offset Engine::post_for(Offset message, double now) {
  const Offset place = memory_.allocate(sizeof(Operation));
  auto& operation = *new (memory_.at<Operation>(place)) Operation{};
  operation.wanted = this->message(message).envelope;
  operation.posted = now;
  operation.owner = self_;
  match_with(self_, message, place);
  settle();
  return place;
}

void Engine::drop(Offset place) {
  if (const Offset message = operation(place).message; message != 0) drop_message(message);
  memory_.release(place);
}

void Engine::drop_message(Offset place) {
  if (const Offset payload = message(place).payload; payload != 0) memory_.release(payload);
  memory_.release(place);
}

void Engine::insert(int r, Offset place) {
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

void Engine::take_message(Offset place) {
  Rank& me = rank(self_);
  Offset before = 0;
  Offset* link = &me.inbox;
  while (*link != place) {
    before = *link;
    link = &message(*link).next;
  }
  *link = message(place).next;
  if (me.inbox_last == place) me.inbox_last = before;
}

/// Leaves a message that fits a posted receive unmatched, for another that is still unknown may
/// come before it and take that receive.
void Engine::skip(int r, Offset place) {
  const Message& skipped = message(place);
  Rank& receiver = rank(r);
  skipped_.push_back(place);
  receiver.pending = std::min(receiver.pending, skipped.arrival);
  if (!skipped.rendezvous) return;
  double& earliest = undecided_[index(r, skipped.envelope.source)];
  earliest = std::min(earliest, skipped.arrival);
  receiver.has_undecided = true;
}

/// Whether it is certain that the receive matches this message and no other: nothing that is still
/// to come arrives before it. Or the receive names its source: then, because messages of one sender
/// don't overtake each other, only one of that sender that was skipped before could still claim it.
bool Engine::may_take(const Rank& receiver, Offset receive, const Message& candidate) const {
  if (candidate.arrival < receiver.horizon) return true;
  const Envelope& wanted = memory_.at<Operation>(receive)->wanted;
  return wanted.source != wildcard && std::ranges::none_of(skipped_, [&](Offset skipped) {
           return matches(memory_.at<Message>(skipped)->envelope, wanted);
         });
}

/// Matches a rank's messages, in the order of arrival, each with the first posted receive that it
/// fits, as far as that is certain. @return whether any was matched
bool Engine::match(int r) {
  Rank& receiver = rank(r);
  receiver.pending = never;
  if (receiver.has_undecided) {
    std::fill_n(undecided_ + index(r, 0), region_.ranks, never);
    receiver.has_undecided = false;
  }
  if (receiver.posted == 0) return false;
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
    if (found == 0 || !may_take(receiver, found, candidate)) {
      if (found != 0) skip(r, place);
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
  return any;
}

void Engine::match_with(int r, Offset place, Offset receive) {
  Message& matched = message(place);
  Operation& operation = this->operation(receive);
  operation.message = place;
  if (!matched.rendezvous) {
    become_known(r, operation, matched.arrival);
    return;
  }
  const PairCosts& costs = machine_.pair(matched.envelope.source, r);
  --rank(matched.envelope.source).open_sends;
  matched.receive = receive;
  matched.receiver = r;
  matched.matched = std::max(matched.arrival, operation.posted);
  const double answered = std::max(matched.start + costs.request, operation.posted);
  matched.ready = answered + processors_[at(r)].loss(answered, 0) + costs.reply;
  queue_transfer(place);
}

void Engine::queue_transfer(Offset place) {
  Message& added = message(place);
  const auto order = [](const Message& m) {
    return std::tuple{m.matched, m.envelope.source, m.number};
  };
  Offset* link = &region_.transfers;
  while (*link != 0 && order(message(*link)) < order(added)) link = &message(*link).next;
  added.next = *link;
  *link = place;
}

/// The earliest time at which a rendezvous message is over: strictly later than it was matched, if
/// only by the smallest step of a double. What a rank does next begins when its message is over. If
/// that could be at the time of matching itself, another message could be matched at that same time
/// because of it: then of two messages that are matched at one time neither could ever have its
/// ports (grant_transfer()), for each would have to wait until the other can't cause such a match.
double after_matching(const Message& message) { return std::nextafter(message.matched, never); }

/// No rendezvous message of the rank, sent or received, that is matched and waits for its ports is
/// over before this time; `never` if there is none.
double Engine::first_transfer(int r) const {
  double first = never;
  for (Offset place = region_.transfers; place != 0;) {
    const Message& waiting = *memory_.at<Message>(place);
    const int sender = waiting.envelope.source;
    const PairCosts& costs = machine_.pair(sender, waiting.receiver);
    const auto size = static_cast<double>(waiting.size);
    if (waiting.receiver == r || sender == r) {
      const Curve& part = sender == r ? costs.rendezvous_sender : costs.rendezvous_receiver;
      first = std::min(first, std::max(waiting.ready + part.at(size), after_matching(waiting)));
    }
    place = waiting.next;
  }
  return first;
}

/// Gives the ports of its two ranks to the first rendezvous message of which it is certain that no
/// message still to be matched comes before it at either port. Another message of a rank that has
/// receives posted or rendezvous sends open can be matched by what any rank does, so the bounds of
/// all must be past the time of matching; without those, only by what that rank does itself. A
/// message that has to wait for a port keeps those behind it waiting for the same port.
/// @return whether there is one. @pre find_bounds()
bool Engine::grant_transfer() {
  if (region_.transfers == 0) return false;
  const double least = *std::ranges::min_element(bounds_);
  const auto is_next = [&](int r, double matched) {
    const bool others_may_come = rank(r).posted != 0 || rank(r).open_sends > 0;
    return !has_to_wait_[at(r)] && matched < (others_may_come ? least : bounds_[at(r)]);
  };
  std::ranges::fill(has_to_wait_, 0);
  for (Offset* link = &region_.transfers; *link != 0; link = &message(*link).next) {
    Message& next = message(*link);
    const int sender = next.envelope.source;
    if (is_next(sender, next.matched) && is_next(next.receiver, next.matched)) {
      *link = next.next;
      transfer(next);
      return true;
    }
    has_to_wait_[at(sender)] = has_to_wait_[at(next.receiver)] = 1;
  }
  return false;
}

void Engine::transfer(Message& granted) {
  const int sender = granted.envelope.source;
  const int receiver = granted.receiver;
  const PairCosts& costs = machine_.pair(sender, receiver);
  const auto size = static_cast<double>(granted.size);
  double& link_free = link_free_[index(sender, receiver)];
  double start = std::max({granted.ready, rank(sender).send_free, link_free});
  if (costs.keeps_receiver) start = std::max(start, rank(receiver).receive_free);
  // What others take of the sender's processor meanwhile delays the message, and those after it.
  start += processors_[at(sender)].loss(start, costs.send_overhead.at(size));
  const double end = start + costs.rendezvous_receiver.at(size);
  const double overhead = costs.receive_overhead.at(size);
  const double loss = processors_[at(receiver)].loss(end - overhead, overhead);
  const double received =
      std::max(end + loss, rank(receiver).receive_free + costs.rendezvous_receive_port.at(size));
  const double sent =
      start + costs.rendezvous_sender.at(size) + (costs.ends_together ? received - end : 0);
  rank(sender).send_free = start + costs.rendezvous_send_port.at(size);
  rank(receiver).receive_free = received;
  link_free = start + costs.link.at(size);
  const double earliest = after_matching(granted);
  become_known(receiver, operation(granted.receive), std::max(received, earliest));
  become_known(sender, operation(granted.sender), std::max(sent, earliest));
  wake_if_ready(receiver);
  wake_if_ready(sender);
}

void Engine::become_known(int r, Operation& operation, double event) {
  operation.event = event;
  operation.known = true;
  if (!operation.awaited) return;
  Rank& owner = rank(r);
  --owner.missing;
  owner.first = std::min(owner.first, event);
  owner.latest = std::max(owner.latest, event);
}

/// The first message in the inbox that fits, or 0.
Offset Engine::candidate(const Rank& receiver, const Envelope& wanted) const {
  for (Offset place = receiver.inbox; place != 0; place = memory_.at<Message>(place)->next) {
    if (matches(memory_.at<Message>(place)->envelope, wanted)) return place;
  }
  return 0;
}

/// Before this time nothing ends the rank's wait that is known already. `never`: only a message
/// that is still to come does.
double Engine::need(const Rank& waiter) const {
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
      return std::min(waiter.time, waiter.pending);
    case Waiting::message: {
      const double first = std::min(waiter.first, waiter.pending);
      const Offset place = candidate(waiter, waiter.wanted);
      return place == 0 ? first : std::min(memory_.at<Message>(place)->arrival, first);
    }
  }
  return never;
}

/// No receive or rendezvous send of the rank is over before this time, except for those of which it
/// is known when they are.
double Engine::horizon(int r) const {
  return std::min({rank(r).horizon, first_transfer(r), first_undecided(r)});
}

/// When the first rendezvous message that the rank has sent may be matched, of those that wait for
/// a decision at their receivers.
double Engine::first_undecided(int r) const {
  double earliest = never;
  for (int receiver = 0; receiver < region_.ranks; ++receiver) {
    if (!rank(receiver).has_undecided) continue;
    earliest = std::min(earliest, undecided_[index(receiver, r)]);
  }
  return earliest;
}

/// Where real time is followed, the passing of time alone makes things certain: when that may let
/// the rank go on.
double Engine::may_go_on(int r) const {
  return std::min({need(rank(r)), first_transfer(r), first_undecided(r)});
}

bool Engine::nobody_can_go_on() const {
  if (region_.running > 0) return false;
  if (real_start_ == never) return true;
  for (int r = 0; r < region_.ranks; ++r) {
    if (may_go_on(r) < never) return false;
  }
  return true;
}

bool Engine::is_ready(int r) const {
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
    case Waiting::message:
      return certain_message(r) != 0 || waiter.first < horizon(r);
  }
  return false;
}

/// The message that the probe of a blocked rank finds; 0 while another may still come before it.
Offset Engine::certain_message(int r) const {
  const Rank& waiter = rank(r);
  const Offset place = candidate(waiter, waiter.wanted);
  if (place == 0) return 0;
  const double arrival = memory_.at<Message>(place)->arrival;
  if (arrival > waiter.first) return 0;
  const bool waits_for_it_only = waiter.first == never && waiter.missing == 0;
  const bool in_order = waiter.wanted.source != wildcard && waiter.pending == never;
  return (waits_for_it_only && in_order) || arrival < horizon(r) ? place : 0;
}

/// Earliest start of each rank's next message. A running rank's is its clock. A blocked one goes on
/// by what it knows it waits for, or by a message of another rank, which takes the look-ahead of
/// the pair at least: shortest paths over the ranks (Dijkstra 1959).
void Engine::find_bounds() {
  const int n = region_.ranks;
  const double least = least_time();
  static thread_local std::vector<char> is_settled;
  is_settled.assign(at(n), 0);
  for (int r = 0; r < n; ++r) {
    const Rank& state = rank(r);
    double bound = need(state);
    if (state.waiting != Waiting::running && state.waiting != Waiting::finished) {
      bound = std::min({bound, first_transfer(r), first_undecided(r)});
    }
    bounds_[at(r)] = std::max({bound, state.clock.load(std::memory_order_acquire), least});
  }
  for (int round = 0; round < n; ++round) {
    int nearest = -1;
    for (int r = 0; r < n; ++r) {
      if (!is_settled[at(r)] && (nearest < 0 || bounds_[at(r)] < bounds_[at(nearest)])) nearest = r;
    }
    const double bound = bounds_[at(nearest)];
    if (bound == never) return;
    is_settled[at(nearest)] = 1;
    for (int r = 0; r < n; ++r) {
      const Waiting waiting = rank(r).waiting;
      if (is_settled[at(r)] || waiting == Waiting::running || waiting == Waiting::finished)
        continue;
      double next = bound + look_ahead_[index(nearest, r)];
      // No message lets it go on, only the last member's coming; that takes no time.
      if (waiting == Waiting::synchronising)
        next = waits_to_synchronise_with(r, nearest) ? bound : never;
      const double clock = rank(r).clock.load(std::memory_order_relaxed);
      bounds_[at(r)] = std::min(bounds_[at(r)], std::max({next, clock, least}));
    }
  }
}

/// It never falls: what was certain stays so. @pre find_bounds()
void Engine::find_horizon(int r) {
  double horizon = never;
  for (int p = 0; p < region_.ranks; ++p) {
    if (p != r) horizon = std::min(horizon, bounds_[at(p)] + look_ahead_[index(p, r)]);
  }
  rank(r).horizon = std::max(rank(r).horizon, horizon);
}

void Engine::wake_if_ready(int r) {
  Rank& waiter = rank(r);
  if (!is_ready(r)) return;
  const double since = waiter.waiting == Waiting::all ? waiter.latest : need(waiter);
  const double clock = waiter.clock.load(std::memory_order_relaxed);
  waiter.clock.store(std::max(clock, since), std::memory_order_release);
  wake(r);
}

void Engine::wake(int r) {
  Rank& sleeper = rank(r);
  sleeper.waiting = Waiting::running;
  ++region_.running;
  if (r == self_) return;
  sleeper.wake.fetch_add(1, std::memory_order_release);
  wake_sleepers(sleeper.wake, 1);
}

/// Whether there is anything to decide about the rank.
bool Engine::is_undecided(int r) const {
  const Rank& state = rank(r);
  const bool blocked = state.waiting != Waiting::running && state.waiting != Waiting::finished;
  return state.pending < never || (blocked && need(state) < never);
}

/// Matches what is certain by now, of all ranks. @return whether anything was
/// @pre find_bounds()
bool Engine::match_all() {
  bool any = false;
  for (int r = 0; r < region_.ranks; ++r) {
    if (!is_undecided(r)) continue;
    find_horizon(r);
    if (rank(r).pending >= rank(r).horizon || !match(r)) continue;
    any = true;
    wake_if_ready(r);
  }
  return any;
}

/// Takes every decision that can be taken now, until none is left: each may make others certain.
void Engine::settle() {
  for (;;) {
    bool has_any = region_.transfers != 0;
    for (int r = 0; r < region_.ranks && !has_any; ++r) has_any = is_undecided(r);
    if (!has_any) return;
    find_bounds();
    if (match_all() || grant_transfer()) continue;
    for (int r = 0; r < region_.ranks; ++r) {
      if (is_undecided(r)) wake_if_ready(r);
    }
    rouse_sleepers();
    return;
  }
}

/// Where real time is followed: ranks that sleep longer than they have to by now look again.
void Engine::rouse_sleepers() {
  if (real_start_ == never) return;
  for (int r = 0; r < region_.ranks; ++r) {
    Rank& sleeper = rank(r);
    const bool sleeps = sleeper.waiting != Waiting::running && sleeper.waiting != Waiting::finished;
    if (r == self_ || !sleeps || may_go_on(r) >= sleeper.sleeps_until) continue;
    sleeper.sleeps_until = may_go_on(r);
    sleeper.wake.fetch_add(1, std::memory_order_release);
    wake_sleepers(sleeper.wake, 1);
  }
}

void Engine::block(Waiting waiting) {
  Rank& me = rank(self_);
  me.waiting = waiting;
  --region_.running;
  wake_if_ready(self_);
  if (me.waiting != Waiting::running) settle();
  while (me.waiting != Waiting::running) {
    if (nobody_can_go_on()) throw Deadlock{};
    const bool follows = real_start_ != never;
    me.sleeps_until = may_go_on(self_);
    const double longest = follows ? std::max(0.0, me.sleeps_until - least_time()) : never;
    const std::uint32_t ticket = me.wake.load(std::memory_order_acquire);
    unlock();
    for (int k = 0; k < spins_ && me.wake.load(std::memory_order_acquire) == ticket; ++k) {
      pause_briefly();
    }
    if (me.wake.load(std::memory_order_acquire) == ticket) sleep_on(me.wake, ticket, longest);
    lock();
    if (follows && me.waiting != Waiting::running) settle();
  }
}

void Engine::await(std::span<const Offset> operations) {
  Rank& me = rank(self_);
  me.missing = 0;
  me.first = never;
  me.latest = 0;
  me.example = 0;
  for (const Offset place : operations) {
    Operation& awaited = operation(place);
    awaited.awaited = true;
    if (!awaited.known) {
      ++me.missing;
      if (me.example == 0) me.example = place;
      continue;
    }
    me.first = std::min(me.first, awaited.event);
    me.latest = std::max(me.latest, awaited.event);
  }
}

void Engine::no_longer_await(std::span<const Offset> operations) {
  for (const Offset place : operations) operation(place).awaited = false;
}

void Engine::wait_all(std::span<const Offset> operations) {
  await(operations);
  if (rank(self_).missing > 0) block(Waiting::all);
  no_longer_await(operations);
}

Offset Engine::wait_first(std::span<const Offset> operations) {
  await(operations);
  block(Waiting::first);
  no_longer_await(operations);
  Offset first = 0;
  for (const Offset place : operations) {
    const Operation& one = operation(place);
    if (!one.known) continue;
    if (first == 0 || one.event < operation(first).event) first = place;
  }
  return first;
}

void Engine::wait_known(double time) {
  Rank& me = rank(self_);
  if (time < horizon(self_)) return;
  me.time = time;
  block(Waiting::known);
}

Offset Engine::wait_message(const Envelope& wanted, std::span<const Offset> operations) {
  await(operations);
  rank(self_).wanted = wanted;
  block(Waiting::message);
  no_longer_await(operations);
  const Offset place = candidate(rank(self_), wanted);
  return place != 0 && message(place).arrival <= rank(self_).first ? place : 0;
}

double Engine::synchronise(std::span<const int> members) {
  char* const own = members_ + index(self_, 0);
  std::fill_n(own, region_.ranks, 0);
  for (const int r : members) own[r] = 1;
  const auto is_missing = [&](int r) { return r != self_ && !waits_to_synchronise_with(r, self_); };
  if (std::ranges::any_of(members, is_missing)) {
    block(Waiting::synchronising);
    return rank(self_).clock.load(std::memory_order_relaxed);
  }
  const auto clock_of = [&](int r) { return rank(r).clock.load(std::memory_order_relaxed); };
  const double time = std::ranges::max(members | std::views::transform(clock_of));
  for (const int r : members) {
    rank(r).clock.store(time, std::memory_order_release);
    if (r != self_) wake(r);
  }
  return time;
}

/// Whether it is blocked in synchronise() with the other among the members.
bool Engine::waits_to_synchronise_with(int r, int other) const {
  return rank(r).waiting == Waiting::synchronising && members_[index(r, other)] != 0;
}

Offset Engine::find_message(const Envelope& wanted, double time) {
  const Offset place = candidate(rank(self_), wanted);
  return place != 0 && message(place).arrival <= time ? place : 0;
}

void Engine::finish() {
  rank(self_).waiting = Waiting::finished;
  --region_.running;
  settle();
}

std::string Engine::describe_deadlock() const {
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
    const Operation* const example = probes ? nullptr : memory_.at<Operation>(state.example);
    const Envelope& wanted = probes ? state.wanted : example->wanted;
    const std::string who =
        wanted.source == wildcard ? "any rank" : "rank " + std::to_string(wanted.source);
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

}  // namespace commgauge::emulate
