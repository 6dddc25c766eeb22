// What a rank does with messages and accesses, and with the requests of both.

#include <algorithm>
#include <memory>
#include <utility>

#include "run/interpreter.hpp"

namespace commgauge::replay {

using simulate::Envelope;
using simulate::Request;
using simulate::Task;
using trace::Event;
namespace event = trace::event;

namespace {

int or_any(std::int32_t value) { return value == trace::any ? simulate::wildcard : value; }

simulate::Mode mode_of(trace::Mode mode) {
  switch (mode) {
    case trace::Mode::buffered:
      return simulate::Mode::buffered;
    case trace::Mode::synchronous:
      return simulate::Mode::synchronous;
    case trace::Mode::standard:
      break;
  }
  return simulate::Mode::standard;
}

simulate::Effect effect_of(trace::Effect effect) {
  switch (effect) {
    case trace::Effect::shared_lock:
      return simulate::Effect::shared_lock;
    case trace::Effect::exclusive_lock:
      return simulate::Effect::exclusive_lock;
    case trace::Effect::unlock:
      return simulate::Effect::unlock;
    case trace::Effect::access:
      break;
  }
  return simulate::Effect::access;
}

}  // namespace

Request& Interpreter::request(std::uint32_t number) {
  if (number == trace::no_request) return own_;
  constexpr std::uint32_t most = 1 << 24;
  if (number >= most) refuse("a request's number is beyond all reason");
  while (rank_.requests_.size() <= number) rank_.requests_.push_back(std::make_unique<Request>());
  if (!rank_.requests_[number]) rank_.requests_[number] = std::make_unique<Request>();
  return *rank_.requests_[number];
}

std::span<Request* const> Interpreter::requests(std::uint32_t list, std::uint32_t count) {
  asked_.clear();
  if (std::size_t{list} + count > recorded_.requests.size()) {
    refuse("it waits for requests that aren't there");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    asked_.push_back(&started(rank_.request_at(list + i)));
  }
  return asked_;
}

Request& Interpreter::start_message(Request::Kind kind, std::uint32_t number,
                                    const Envelope& envelope, std::uint64_t bytes,
                                    simulate::Mode mode) {
  Request& started = request(rank_.request_of(at_, number));
  started.kind = kind;
  started.peer = envelope.source;
  started.tag = envelope.tag;
  started.context = envelope.context;
  started.capacity = bytes;
  started.mode = mode;
  started.effect = simulate::Effect::none;
  started.answer = simulate::no_answer;
  const bool is_rank = started.peer >= 0 && started.peer < process_.machine().ranks;
  const bool is_any = kind == Request::Kind::receive && started.peer == simulate::wildcard;
  if (!is_rank && !is_any) refuse("there is no such rank");
  process_.start(started);
  rank_.has_started(at_);
  return started;
}

/// Of those that nothing came back from.
void Interpreter::hear_of(std::span<Request* const> accesses) {
  for (const Request* access : accesses) {
    if (access->kind != Request::Kind::access) refuse("it hears of what is no access");
    if (access->answer == simulate::no_answer)
      process_.hear_of(access->peer, access->over, access->over_at);
  }
}

/// The event's, if there is one.
const Unawaited* Interpreter::unawaited() const {
  const auto is_here = [&](const Unawaited& one) {
    return one.rank == process_.rank() && one.event == at_;
  };
  const auto found = std::ranges::find_if(options_.unawaited, is_here);
  return found == options_.unawaited.end() ? nullptr : &*found;
}

void Interpreter::receive_unawaited(const event::Receive& receive, bool is_rendezvous) {
  process_.receive_unawaited(receive.found.peer, receive.found.bytes, is_rendezvous);
}

/// Of those that the event waits for.
void Interpreter::receive_unawaited_of(const event::Wait& wait) {
  for (std::uint32_t i = 0; i < wait.count && !rank_.unawaited_.empty(); ++i) {
    const auto found = rank_.unawaited_.find(rank_.request_at(wait.list + i));
    if (found == rank_.unawaited_.end()) continue;
    const Event& started = recorded_.events[found->second.event];
    receive_unawaited(std::get<event::Receive>(started.what), found->second.is_rendezvous);
    rank_.unawaited_.erase(found);
  }
}

/// What a receive or probe asks for here.
Envelope Interpreter::wanted(const auto& receive) const {
  const bool is_free = options_.rematches || receive.found.peer == trace::any;
  return {program_context(receive.context), or_any(is_free ? receive.peer : receive.found.peer),
          or_any(is_free ? receive.tag : receive.found.tag)};
}

void Interpreter::give_up(std::uint32_t number) {
  if (number == trace::no_request) refuse("it gives up no request");
  auto& prepared = rank_.prepared_;
  if (const auto found = prepared.find(number); found != prepared.end()) {
    rank_.given_up_.push_back(std::move(found->second));
    prepared.erase(found);
    return;
  }
  (void)request(number);
  rank_.given_up_.push_back(std::exchange(rank_.requests_[number], nullptr));
}

/// @return a message that fits, 0: none by now; nothing: not certain yet
std::optional<simulate::Offset> Interpreter::look_for(const Envelope& envelope, bool waits) {
  return waits ? process_.probe(envelope) : process_.probe_now(envelope);
}

bool Interpreter::has_collectives() const {
  return rank_.has_threads() ? rank_.has_collectives() : process_.has_collectives();
}

Task Interpreter::over(Request& started) { co_await process_.one(started); }

/// The call itself waits for what it started, or a later one does.
std::optional<Task> Interpreter::go_on(Request& started, std::uint32_t number) {
  if (number != trace::no_request) return std::nullopt;
  return over(started);
}

std::optional<Task> Interpreter::act(const event::Send& send) {
  const Envelope envelope{program_context(send.context), or_any(send.peer), or_any(send.tag)};
  Request& started =
      start_message(Request::Kind::send, send.request, envelope, send.bytes, mode_of(send.mode));
  return go_on(started, send.request);
}

std::optional<Task> Interpreter::act(const event::Receive& receive) {
  Request& started = start_message(Request::Kind::receive, receive.request, wanted(receive),
                                   receive.bytes, simulate::Mode::standard);
  const Unawaited* const how = unawaited();
  if (how == nullptr) return go_on(started, receive.request);
  started.done = true;
  if (receive.request == trace::no_request) {
    receive_unawaited(receive, how->is_rendezvous);
  } else {
    rank_.unawaited_[rank_.request_of(at_, receive.request)] = *how;
  }
  return std::nullopt;
}

Task Interpreter::act(const event::Wait& wait) {
  co_await process_.until([&] { return rank_.have_started(process_, wait.list, wait.count); });
  const double now = process_.clock();
  const auto asked = requests(wait.list, wait.count);
  receive_unawaited_of(wait);
  if (call_ == rank_.names_.wait_some) {
    // The first, and what was over when it was called; when recorded that was all.
    co_await process_.any(asked);
    co_await process_.until([&] { return process_.test_some(asked, now); });
  }
  co_await process_.all(asked);
}

Task Interpreter::act(const event::Poll& poll) {
  co_await process_.until([&] { return rank_.have_started(process_, poll.list, poll.count); });
  const auto asked = requests(poll.list, poll.count);
  co_await process_.until([&] { return process_.poll_until_over(asked); });
}

Task Interpreter::act(const event::UnsuccessfulPolls& polls) {
  if (polls.attempts > most_attempts) refuse("it asks in vain beyond all reason");
  std::uint64_t left = polls.attempts;
  for (; left > 0 && has_collectives(); --left) {
    const double now = process_.clock();
    co_await process_.until([&] { return process_.test_some({}, now); });
    process_.poll_unsuccessfully();
  }
  process_.poll_unsuccessfully(left);
}

/// Asks until there is one that fits.
Task Interpreter::find(Envelope envelope, std::uint64_t attempts, simulate::Offset& found) {
  const bool waits = rank_.names_.asks_now[call_] == 0 && attempts == 0;
  for (std::uint64_t attempt = 0; found == 0; ++attempt) {
    if (attempt > most_attempts) refuse("it asks for a message that never comes");
    found = co_await process_.until([&] { return look_for(envelope, waits); });
  }
}

Task Interpreter::act(const event::Probe& probe) {
  simulate::Offset found = 0;
  co_await find(wanted(probe), probe.attempts, found);
}

Task Interpreter::act(const event::MatchedProbe& probe) {
  simulate::Offset found = 0;
  co_await find(wanted(probe), probe.attempts, found);
  process_.take(found);
  if (probe.request == trace::no_request) refuse("the message is set aside for nothing");
  const std::uint32_t number = rank_.request_of(at_, probe.request);
  if (rank_.set_aside_.size() <= number) rank_.set_aside_.resize(number + 1);
  rank_.set_aside_[number] = found;
}

std::optional<Task> Interpreter::act(const event::MatchedReceive& receive) {
  const std::uint32_t message = rank_.message_of(at_, receive.message);
  if (message >= rank_.set_aside_.size() || rank_.set_aside_[message] == 0) {
    refuse("no message was set aside for it");
  }
  Request& started = request(rank_.request_of(at_, receive.request));
  started.kind = Request::Kind::receive;
  started.active = true;
  started.done = false;
  started.capacity = receive.bytes;
  process_.Process::receive(started, std::exchange(rank_.set_aside_[message], 0));
  rank_.has_started(at_);
  return go_on(started, receive.request);
}

void Interpreter::act(const event::Free& free) { give_up(free.request); }

void Interpreter::act(const event::Cancel&) { refuse("a receive is cancelled that was posted"); }

void Interpreter::act(const event::Access& access) {
  if (access.request == trace::no_request) refuse("an access has no request");
  if (access.peer < 0 || access.peer >= process_.machine().ranks) refuse("there is no such rank");
  Request& started = request(rank_.request_of(at_, access.request));
  started.kind = Request::Kind::access;
  started.peer = access.peer;
  started.tag = 0;
  started.context = program_context(access.context);
  started.effect = effect_of(access.effect);
  started.capacity = access.bytes;
  started.answer = access.back > 0 ? access.back : simulate::no_answer;
  process_.start(started);
  rank_.has_started(at_);
}

Task Interpreter::act(const event::Flush& flush) {
  co_await process_.until([&] { return rank_.have_started(process_, flush.list, flush.count); });
  const auto asked = requests(flush.list, flush.count);
  co_await process_.all(asked);
  hear_of(asked);
}

}  // namespace commgauge::replay
