#include "commgauge/simulate/process/process.hpp"

#include <algorithm>
#include <mutex>

#include "commgauge/simulate/world/partition_contexts.hpp"
#include "process/repeated_sum.hpp"

namespace commgauge::simulate {

namespace {

constexpr double poll_cost = 100e-9;  ///< [s] of a test or probe that finds nothing

}  // namespace

Process::Process(World& world, int rank) : world_{world}, rank_{rank}, actor_{rank} {}

Process::Process(Process& first, int actor, const Process& parent)
    : world_{first.world_},
      rank_{first.rank_},
      actor_{actor},
      clock_{parent.clock_},
      ports_{first.ports_},
      now_{parent.now_} {
  in_turn_.follow(parent.in_turn_.behind);
}

bool Process::turn() {
  if (!world_.has_threads(rank_)) return true;
  publish();
  const std::lock_guard lock(world_);
  return world_.turn(actor_, clock_);
}

void Process::sleep_until_woken() {
  publish();
  const std::lock_guard lock(world_);
  world_.sleep_thread(actor_, false);
}

void Process::go_on_from(double time, Moment at) {
  advance(time, &Shares::waiting);
  note(clock_, {{now_, 0, Why::same}, {at, 0, Why::thread}});
}

void Process::wait_for_core(double time) {
  if (time <= clock_) return;
  note(time, {{now_, time - clock_, Why::thread}});
  advance(time, &Shares::waiting);
}

void Process::advance(double to, double Shares::*share) {
  if (to <= clock_) return;
  shares_.*share += to - clock_;
  if (observer_ != nullptr) observer_->passed(*this, share, clock_, to);
  const double got = processor().got(clock_, to);
  use_.got += got;
  use_.lost += to - clock_ - got;
  use_.losses += processor().losses(clock_, to);
  clock_ = to;
}

void Process::use_processor(double seconds, double Shares::*share, Why why) {
  const double loss = processor().loss(clock_, seconds);
  advance(clock_ + seconds + loss, share);
  if (world_.keeps_causes()) note(clock_, {{now_, seconds + loss, why}});
}

/// What has brought the clock to where it is.
void Process::note(double time, std::initializer_list<Cause> causes) {
  now_ = world_.happens(rank_, time, causes);
}

void Process::use_processor(double seconds, double Shares::*share, std::uint64_t times, Why why) {
  if (processor().is_disturbed()) {
    for (; times > 0; --times) use_processor(seconds, share, why);
    return;
  }
  const double since = clock_;
  while (times > 0) {
    const EqualSteps steps = equal_steps(clock_, seconds, times);
    const double from = clock_;
    clock_ = steps.end;
    if (clock_ == from) break;
    add_repeatedly(shares_.*share, steps.each, steps.count);
    add_repeatedly(use_.got, steps.each, steps.count);
    if (observer_ != nullptr) observer_->passed(*this, share, from, clock_);
    times -= steps.count;
  }
  if (world_.keeps_causes()) note(clock_, {{now_, clock_ - since, why}});
}

void Process::compute(double seconds, std::uint64_t times) {
  use_processor(seconds, &Shares::computing, times);
}

void Process::sleep(double seconds) {
  const ProcessorUse before = use_;
  advance(clock_ + seconds, &Shares::sleeping);
  note(clock_, {{now_, seconds, Why::sleeping}});
  use_ = before;
  ++use_.sleeps;
}

void Process::wait_for_processor() { use_processor(0, &Shares::waiting); }

void Process::poll_unsuccessfully(std::uint64_t times) {
  use_processor(poll_cost, &Shares::waiting, times, Why::asking);
}

void Process::poll_until(double time) {
  while (clock_ < time) {
    // Not quite there: what each attempt takes is rounded.
    const double most = (time - clock_) / poll_cost / 2;
    poll_unsuccessfully(most < 1 ? 1 : static_cast<std::uint64_t>(std::min(most, 1e15)));
  }
}

bool Process::uses_rendezvous(const Request& request) const {
  if (request.kind == Request::Kind::access) return false;
  if (request.mode == Mode::buffered) return false;
  return request.mode == Mode::synchronous ||
         static_cast<double>(request.capacity) > machine().eager_limit;
}

void Process::send(Request& request) {
  const auto size = static_cast<double>(request.capacity);
  const PairCosts& costs = machine().pair(rank_, request.peer);
  Sending sending{
      .to = request.peer, .context = request.context, .tag = request.tag, .size = request.capacity};
  sending.longer = in_turn_.behind;
  const double called = clock_;
  sending.rendezvous = uses_rendezvous(request);
  sending.effect = request.effect;
  sending.answer = request.answer;
  sending.id = world_.announce(rank_, sending);
  catch_up(clock_);
  advance(ports_.send_free, &Shares::sending);
  note(clock_, {{now_, 0, Why::same}, ports_.frees_sending});
  use_processor(0, &Shares::sending);
  sending.start = clock_;
  sending.at = now_;
  if (!sending.rendezvous) {
    const double overhead = costs.send_overhead.at(size);
    // What others take of the sender's processor meanwhile delays the message, too.
    const double loss = processor().loss(clock_, overhead);
    const double gap = costs.gap.at(size);
    sending.start += loss;
    note(sending.start, {{now_, loss, Why::computing}});
    sending.at = now_;
    advance(sending.start + overhead, &Shares::sending);
    if (request.peer != rank_) count_own_part(called);
    note(clock_, {{now_, overhead, Why::sending, sending.id}});
    ports_.send_free = sending.start + gap;
    ports_.frees_sending = {sending.at, gap, Why::gap_sending, sending.id};
    request.done = request.kind == Request::Kind::send;
  }
  const std::lock_guard lock(world_);
  sending.payload = store(request);
  publish();
  request.started = sending.start;
  request.operation = world_.send(rank_, sending);
  request.bytes = request.capacity;
}

void Process::start(Request& request) {
  request.active = true;
  request.done = false;
  request.is_truncated = false;
  request.is_cancelled = false;
  if (request.kind != Request::Kind::receive) {
    // A program may ask for what is in its own memory again and again.
    if (request.kind == Request::Kind::access && request.peer == rank_) poll_unsuccessfully();
    send(request);
    return;
  }
  const std::lock_guard lock(world_);
  request.operation =
      world_.post(rank_, {request.context, request.peer, request.tag}, clock_, now_);
}

void Process::conclude_send(Request& request, const Operation& operation) {
  const double part =
      machine().pair(rank_, request.peer).rendezvous_sender.at(static_cast<double>(request.bytes));
  const double own_part = std::clamp(operation.event - clock_, 0.0, part);
  wait_and_do(operation.event, part, &Shares::sending);
  note(clock_, {{operation.is_over, 0, Why::waiting_to_send}, {now_, own_part, Why::own_part}});
}

/// What has gone to the window, and what has come back. An answer to oneself is there at once.
void Process::observe_access(const Request& request, const Operation& operation) {
  if (observer_ == nullptr || request.effect != Effect::access) return;
  const double reached =
      operation.message != 0 ? world_.message(operation.message).ready : operation.event;
  const bool fetches = request.answer != no_answer;
  if (request.capacity > 0 || !fetches) {
    observer_->moved({rank_, request.peer, request.capacity, request.started, reached});
  }
  if (fetches) {
    observer_->moved({request.peer, rank_, request.answer, reached, operation.event});
  }
}

void Process::conclude_access(Request& request, const Operation& operation) {
  observe_access(request, operation);
  request.over = operation.event;
  request.over_at = operation.is_over;
  advance(operation.event, &Shares::waiting);
  note(clock_, {{now_, 0, Why::same}, {operation.is_over, 0, Why::waiting}});
}

void Process::hear_of(int peer, double over, Moment at) {
  const double latency = machine().pair(peer, rank_).arrival.at(0);
  const std::uint32_t id = world_.announce(peer, {.to = rank_});
  const Moment told = world_.happens(rank_, over + latency, {{at, latency, Why::flight, id}});
  advance(over + latency, &Shares::waiting);
  note(clock_, {{now_, 0, Why::same}, {told, 0, Why::waiting, id}});
}

bool Process::find_accesses() {
  publish();
  const std::lock_guard lock(world_);
  if (!world_.wait_passed(actor_, clock_)) return false;
  catch_up(clock_);
  return true;
}

/// Eager messages pass the receiver's port one after the other, whatever the rank does meanwhile.
/// They are concluded in the order in which the program waits for them, so one may have passed
/// before the port was last idle: then it delays nothing and nothing delays it.
/// @return when it has passed
Process::Passing Process::pass_port(const Message& message) {
  const double arrival = message.end - message.receive_overhead;
  const double needs = message.port;
  const Cause comes{message.arrived, arrival - message.arrival, Why::delivery, message.id};
  if (!message.has_port) return {arrival, world_.happens(rank_, arrival, {comes})};
  if (arrival <= ports_.idle) return {arrival, world_.happens(rank_, arrival, {comes})};
  if (arrival - needs > ports_.free) ports_.idle = arrival - needs;
  ports_.free = std::max(arrival, ports_.free + needs);
  ports_.passed = world_.happens(rank_, ports_.free,
                                 {comes, {ports_.passed, needs, Why::port_receiving, message.id}});
  return {ports_.free, ports_.passed};
}

/// @return when a rank that waits for it has it
double Process::conclude_receive(Request& request, const Message& message, double event,
                                 Moment is_over) {
  double is_there = event;
  if (message.rendezvous) {
    const double part = machine()
                            .pair(message.envelope.source, rank_)
                            .rendezvous_receiver.at(static_cast<double>(message.size));
    const double own_part = std::clamp(event - clock_, 0.0, part);
    wait_and_do(event, part, &Shares::receiving);
    note(clock_,
         {{is_over, 0, Why::waiting, message.id}, {now_, own_part, Why::own_part, message.id}});
  } else {
    const double overhead = message.receive_overhead;
    const Passing here = pass_port(message);
    is_there = here.time + overhead;
    const double start = std::max({here.time, clock_, ports_.receive_free});
    const double end = start + overhead + processor().loss(start, overhead);
    ports_.receive_free = end - overhead + message.gap;
    wait_and_do(end, overhead, &Shares::receiving);
    note(
        start,
        {{now_, 0, Why::same}, {here.moment, 0, Why::waiting, message.id}, ports_.frees_receiving});
    note(clock_, {{now_, end - start, Why::receiving, message.id}});
    ports_.frees_receiving = {now_, message.gap - overhead, Why::gap_receiving, message.id};
  }
  request.source = message.envelope.source;
  request.found_tag = message.envelope.tag;
  request.bytes = message.size;
  request.is_truncated = message.size > request.capacity;
  if (observer_ != nullptr && !tells_oneself(message.envelope)) {
    observer_->moved({message.envelope.source, rank_, message.size, message.start, clock_});
  }
  if (message.size > 0 && !request.is_truncated) deliver(request, message);
  return is_there;
}

/// @param until  when the message is there
void Process::count_transit(const Request& request, const Message& message, double until) {
  const int from = message.envelope.source;
  if (from == rank_) return;
  in_turn_.follow(message.longer);
  const double since = std::max(world_.operation(request.operation).posted, message.ready);
  Transit transit{.since = since, .until = std::max(since, until), .at_once = at_once(machine())};
  const auto host = [&](int r) -> const std::string& {
    return machine().hosts[static_cast<std::size_t>(r)];
  };
  if (request.in_turn && message.size > 0 && host(from) != host(rank_)) {
    const PairCosts& costs = machine().pair(from, rank_);
    transit.in_turn = request.in_turn;
    transit.is_rendezvous = message.rendezvous;
    transit.empty = message.rendezvous ? costs.rendezvous_receiver.at(0) : costs.one_way.at(0);
  }
  in_turn_.add(transit);
  if (!message.rendezvous) count_own_part(clock_ - message.receive_overhead);
}

/// What a message keeps the rank busy for, until now.
void Process::count_own_part(double since) {
  in_turn_.add({.since = since, .until = clock_, .at_once = at_once(machine())});
}

/// Waits, and does its own part of a message.
void Process::wait_and_do(double end, double part, double Shares::*share) {
  advance(end - part, &Shares::waiting);
  advance(end, share);
}

/// Advances the clock to the end of an operation, and hands over its data. @pre its end is known
void Process::conclude(Request& request) {
  const Operation& operation = world_.operation(request.operation);
  if (request.kind == Request::Kind::send) {
    conclude_send(request, operation);
  } else if (request.kind == Request::Kind::access) {
    conclude_access(request, operation);
  } else {
    const Message& message = world_.message(operation.message);
    const double is_there = conclude_receive(request, message, operation.event, operation.is_over);
    count_transit(request, message, is_there);
  }
  {
    const std::lock_guard lock(world_);
    world_.drop(request.operation);
    request.operation = 0;
    request.done = true;
  }
  if (request.kind == Request::Kind::access) reached(request);
}

void Process::conclude_in_order(std::span<Request* const> requests) {
  if (requests.size() == 1) {
    conclude(*requests.front());
    return;
  }
  std::vector<Request*> ordered(requests.begin(), requests.end());
  std::ranges::stable_sort(ordered, [&](const Request* a, const Request* b) {
    const Operation& first = world_.operation(a->operation);
    const Operation& second = world_.operation(b->operation);
    if (first.event != second.event) return first.event < second.event;
    if (first.message == 0 || second.message == 0) return first.message < second.message;
    return world_.message(first.message).envelope.source <
           world_.message(second.message).envelope.source;
  });
  for (Request* const request : ordered) conclude(*request);
}

void Process::take(Offset message) {
  const std::lock_guard lock(world_);
  world_.take_message(rank_, message);
}

void Process::receive(Request& request, Offset place) {
  const Message& message = world_.message(place);
  if (message.rendezvous) {
    const std::lock_guard lock(world_);
    request.operation = world_.post_for(rank_, place, clock_, now_);
    return;
  }
  conclude_receive(request, message, 0, beginning);
  const std::lock_guard lock(world_);
  world_.drop_message(place);
  request.done = true;
}

void Process::receive_unawaited(int source, std::uint64_t bytes, bool is_rendezvous) {
  const PairCosts& costs = machine().pair(source, rank_);
  const auto size = static_cast<double>(bytes);
  if (is_rendezvous) {
    const double part = costs.rendezvous_receiver.at(size);
    advance(clock_ + part, &Shares::receiving);
    note(clock_, {{now_, part, Why::receiving}});
    return;
  }
  const double overhead = costs.receive_overhead.at(size);
  advance(ports_.receive_free, &Shares::waiting);
  note(clock_, {{now_, 0, Why::same}, ports_.frees_receiving});
  const double taken = overhead + processor().loss(clock_, overhead);
  ports_.receive_free = clock_ + taken - overhead + costs.gap.at(size);
  advance(clock_ + taken, &Shares::receiving);
  note(clock_, {{now_, taken, Why::receiving}});
  ports_.frees_receiving = {now_, costs.gap.at(size) - overhead, Why::gap_receiving};
}

void Process::finish() {
  publish();
  const std::lock_guard lock(world_);
  world_.finish(rank_);
}

}  // namespace commgauge::simulate
