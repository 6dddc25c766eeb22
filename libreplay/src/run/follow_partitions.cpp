// What a rank does with messages in partitions.

#include <algorithm>

#include "run/follow.hpp"

namespace commgauge::replay {

using simulate::Division;
using simulate::Request;
using simulate::Task;
using trace::Event;

namespace {

/// Beyond it there is no memory for a message each.
constexpr std::uint32_t most_partitions = 1 << 20;

}  // namespace

/// One of its messages, or the receive of one. With nobody it is over at once. Whoever lets the
/// whole go on starts it: that may be another thread than the one that prepared it.
std::unique_ptr<Request> Follower::start_part(const Event& prepared, const Division& division,
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

void Follower::prepare(const Event& event) {
  (void)communicator(event.context);
  if (event.peer != trace::nobody && (event.peer < 0 || event.peer >= process_.machine().ranks)) {
    refuse("there is no such rank");
  }
  if (rank_.prepared_.contains(event.request)) refuse("its request is still in use");
  if (event.count > most_partitions) refuse("it has too many partitions");
  rank_.acting_ = &process_;
  auto made = std::make_unique<FollowedRank::Prepared>();
  made->kind = Request::Kind::collective;
  made->done = true;
  made->partitions = static_cast<int>(event.count);
  const Division* const found = rank_.divisions_.find(rank_.rank_, at_);
  const Division division = found != nullptr ? *found : Division{};
  const auto start = [this, &event, division](Request::Kind kind, int partition) {
    return start_part(event, division, kind, partition);
  };
  if (event.kind == Event::Kind::prepare_send) {
    made->send.emplace(made->partitions, start);
    made->send->prepare();
  } else {
    if (division.partitions > static_cast<int>(most_partitions))
      refuse("its sender has too many partitions");
    made->receive.emplace(
        start, [division] { return division; }, event.bytes);
    made->receive->prepare();
  }
  rank_.prepared_[event.request] = std::move(made);
}

FollowedRank::Prepared& Follower::prepared(std::uint32_t request) {
  const auto found = rank_.prepared_.find(request);
  if (found == rank_.prepared_.end()) refuse("its request isn't of a message in partitions");
  return *found->second;
}

/// One that is waited for, of partitions or not.
Request& Follower::started(std::uint32_t number) {
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

void Follower::start_prepared(const Event& event) {
  FollowedRank::Prepared& what = prepared(event.request);
  if (!what.done) refuse("its request is still in use");
  if (const std::uint32_t number = rank_.request_of(event); number != event.request) {
    rank_.crossing_prepared_[number] = &what;
  }
  process_.start_collective(what, what.send ? what.send->send() : what.receive->receive());
}

void Follower::make_ready(const Event& event) {
  rank_.acting_ = &process_;
  FollowedRank::Prepared& what = prepared(event.request);
  for (std::uint32_t i = 0; i < event.count; ++i) {
    const int partition = event.tag + static_cast<int>(i);
    if (!what.send || !what.send->lacks(partition)) {
      refuse("there is no such partition that isn't ready");
    }
    what.send->ready(partition);
  }
}

/// Asks until it has come.
Task Follower::until_arrived(const Event& event) {
  FollowedRank::Prepared& what = prepared(event.request);
  if (!what.receive || !what.task) refuse("its receive isn't started");
  if (event.tag < 0 || event.tag >= what.partitions) refuse("there is no such partition");
  Request* const one[]{&what};
  for (std::uint64_t attempt = 0; !what.receive->has(event.tag); ++attempt) {
    if (attempt > most_attempts) refuse("it asks for a partition that never comes");
    const bool is_over = co_await process_.until([&] { return process_.test_all(one); });
    if (is_over) co_return;
    if (what.receive->has(event.tag)) co_return;
    process_.poll_in_vain();
  }
}

}  // namespace commgauge::replay
