// What a rank does with messages in partitions.

#include <algorithm>

#include "run/interpreter.hpp"

namespace commgauge::replay {

using simulate::Division;
using simulate::Request;
using simulate::Task;
namespace event = trace::event;

namespace {

/// Beyond it there is no memory for a message each.
constexpr std::uint32_t most_partitions = 1 << 20;

}  // namespace

/// One of its messages, or the receive of one. With nobody it is over at once. Whoever lets the
/// whole go on starts it: that may be another thread than the one that prepared it.
std::unique_ptr<Request> Interpreter::start_part(const auto& prepared, const Division& division,
                                                 Request::Kind kind, int partition) {
  auto part = std::make_unique<Request>();
  part->kind = kind;
  part->peer = prepared.peer;
  part->tag = partition;
  part->context = division.context;
  part->mode = simulate::Mode::buffered;
  simulate::Process& acting = simulate::current_activity != nullptr
                                  ? *simulate::current_activity->carried_on_by
                                  : *rank_.acting_;
  if (partition == simulate::tells_division) {
    part->tag = prepared.tag;
    part->context = simulate::division_context(static_cast<int>(prepared.context));
    part->capacity = sizeof division;
  } else if (partition == simulate::tells_all_ready) {
    part->peer = rank_.rank_;
  } else {
    part->capacity = division.bytes;
    part->mode = simulate::Mode::standard;
  }
  if (part->peer == trace::nobody) {
    part->done = true;
  } else {
    acting.start(*part);
  }
  return part;
}

void Interpreter::check_prepared(const auto& prepared) const {
  (void)communicator(prepared.context);
  const bool is_rank = prepared.peer >= 0 && prepared.peer < process_.machine().ranks;
  if (prepared.peer != trace::nobody && !is_rank) refuse("there is no such rank");
  if (rank_.prepared_.contains(prepared.request)) refuse("its request is still in use");
  if (prepared.partitions > most_partitions) refuse("it has too many partitions");
}

std::unique_ptr<InterpretedRank::Prepared> Interpreter::made(std::uint32_t partitions) {
  rank_.acting_ = &process_;
  auto made = std::make_unique<InterpretedRank::Prepared>();
  made->kind = Request::Kind::collective;
  made->done = true;
  made->partitions = static_cast<int>(partitions);
  return made;
}

/// As its sender divides it, whose division may not be known.
Division Interpreter::division() const {
  const Division* const found = rank_.divisions_.find(rank_.rank_, at_);
  return found != nullptr ? *found : Division{};
}

void Interpreter::act(const event::PrepareSend& send) {
  check_prepared(send);
  auto one = made(send.partitions);
  const auto start = [this, &send, parts = division()](Request::Kind kind, int partition) {
    return start_part(send, parts, kind, partition);
  };
  one->send.emplace(one->partitions, start);
  one->send->prepare();
  rank_.prepared_[send.request] = std::move(one);
}

void Interpreter::act(const event::PrepareReceive& receive) {
  check_prepared(receive);
  auto one = made(receive.partitions);
  const Division parts = division();
  const auto start = [this, &receive, parts](Request::Kind kind, int partition) {
    return start_part(receive, parts, kind, partition);
  };
  if (parts.partitions > static_cast<int>(most_partitions)) {
    refuse("its sender has too many partitions");
  }
  one->receive.emplace(
      start, [parts] { return parts; }, receive.bytes);
  one->receive->prepare();
  rank_.prepared_[receive.request] = std::move(one);
}

InterpretedRank::Prepared& Interpreter::prepared(std::uint32_t request) {
  const auto found = rank_.prepared_.find(request);
  if (found == rank_.prepared_.end()) refuse("its request isn't of a message in partitions");
  return *found->second;
}

/// One that is waited for, of partitions or not.
Request& Interpreter::started(std::uint32_t number) {
  const auto own = rank_.prepared_.find(number);
  const auto other = rank_.crossing_prepared_.find(number);
  Request* const prepared = own != rank_.prepared_.end()              ? own->second.get()
                            : other != rank_.crossing_prepared_.end() ? other->second
                                                                      : nullptr;
  const bool is_prepared = prepared != nullptr;
  Request& asked = is_prepared ? *prepared : request(number);
  const bool is_under_way = asked.operation != 0 || asked.task;
  if (!is_under_way && (is_prepared || !asked.done)) refuse("it waits for what isn't started");
  return asked;
}

void Interpreter::act(const event::Start& start) {
  InterpretedRank::Prepared& what = prepared(start.request);
  if (!what.done) refuse("its request is still in use");
  if (const std::uint32_t number = rank_.request_of(at_, start.request); number != start.request) {
    rank_.crossing_prepared_[number] = &what;
  }
  process_.start_collective(what, what.send ? what.send->send() : what.receive->receive());
  rank_.has_started(at_);
}

void Interpreter::act(const event::Ready& ready) {
  rank_.acting_ = &process_;
  InterpretedRank::Prepared& what = prepared(ready.request);
  for (std::uint32_t i = 0; i < ready.count; ++i) {
    const int partition = ready.first + static_cast<int>(i);
    if (!what.send || !what.send->lacks(partition)) {
      refuse("there is no such partition that isn't ready");
    }
    what.send->ready(partition);
  }
}

/// Asks until it has come.
Task Interpreter::act(const event::Arrived& arrived) {
  InterpretedRank::Prepared& what = prepared(arrived.request);
  const int partition = arrived.partition;
  if (!what.receive || !what.task) refuse("its receive isn't started");
  if (partition < 0 || partition >= what.partitions) refuse("there is no such partition");
  Request* const one[]{&what};
  for (std::uint64_t attempt = 0; !what.receive->has(partition); ++attempt) {
    if (attempt > most_attempts) refuse("it asks for a partition that never comes");
    const bool is_over = co_await process_.until([&] { return process_.test_all(one); });
    if (is_over) co_return;
    if (what.receive->has(partition)) co_return;
    process_.poll_unsuccessfully();
  }
}

}  // namespace commgauge::replay
