#include "commgauge/simulate/run/simulation.hpp"

#include <algorithm>

namespace commgauge::simulate {

void CoroutineProcess::describe_send(Request& request, int to, std::uint64_t bytes, int tag,
                                     Mode mode, int context) {
  request.kind = Request::Kind::send;
  request.peer = to;
  request.capacity = bytes;
  request.tag = tag;
  request.mode = mode;
  request.context = context;
}

void CoroutineProcess::describe_receive(Request& request, int from, std::uint64_t bytes, int tag,
                                        int context) {
  describe_send(request, from, bytes, tag, Mode::standard, context);
  request.kind = Request::Kind::receive;
}

void CoroutineProcess::describe_access(Request& request, int to, std::uint64_t bytes,
                                       std::uint64_t answer, Effect effect) {
  describe_send(request, to, bytes);
  request.kind = Request::Kind::access;
  request.effect = effect;
  request.answer = answer;
}

Task CoroutineProcess::send(int to, std::uint64_t bytes, int tag, Mode mode) {
  Request request;
  describe_send(request, to, bytes, tag, mode);
  co_await own_turn();
  start(request);
  co_await one(request);
}

Task CoroutineProcess::receive(int from, std::uint64_t bytes, int tag) {
  Request request;
  describe_receive(request, from, bytes, tag);
  co_await own_turn();
  start(request);
  co_await one(request);
}

Simulation::Simulation(const Machine& machine, int threads_per_rank)
    : world_{arena_, World::set_up(arena_, machine, threads_per_rank), machine, *this} {
  for (int rank = 0; rank < machine.ranks; ++rank) {
    processes_.push_back(std::make_unique<CoroutineProcess>(world_, rank));
  }
}

/// Until it waits again, or has ended.
void Simulation::go_on(CoroutineProcess& process) {
  if (has_threads_) world_.set_place(process.rank(), process.place_);
  if (process.suspended_ != nullptr && !process.suspended_->ask()) return;
  const std::coroutine_handle<> next =
      process.suspended_ != nullptr ? process.suspended_->resume : process.program_->handle();
  process.suspended_ = nullptr;
  next.resume();
  if (!process.program_->done()) return;
  process.program_->check();
  --unfinished_;
  if (process.actor() < ranks()) {
    process.finish();
    return;
  }
  world_.end(process.actor());
  threads_.erase(process.actor());
}

CoroutineProcess& Simulation::acting(int actor) const {
  return actor < ranks() ? *processes_[static_cast<std::size_t>(actor)] : *threads_.at(actor);
}

CoroutineProcess& Simulation::begin_thread(const CoroutineProcess& parent,
                                           const std::function<Task(CoroutineProcess&)>& program) {
  has_threads_ = true;
  const int actor = world_.begin(parent.rank(), parent.clock());
  CoroutineProcess& first = *processes_[static_cast<std::size_t>(parent.rank())];
  auto& begun = threads_[actor] = std::make_unique<CoroutineProcess>(first, actor, parent);
  begun->program_.emplace(program(*begun));
  ready_.push_back(actor);
  ++unfinished_;
  return *begun;
}

void Simulation::wake_thread(int actor, double time) {
  if (!world_.sleeps(actor)) return;
  world_.wake_thread(actor, time);
  ready_.push_back(actor);
}

void Simulation::run(const std::function<Task(CoroutineProcess&)>& program) {
  unfinished_ = ranks();
  for (const auto& process : processes_) {
    process->program_.emplace(program(*process));
    ready_.push_back(process->rank());
  }
  std::vector<int> running;
  while (unfinished_ > 0) {
    if (ready_.empty()) world_.settle();
    if (ready_.empty()) throw DeadlockError(world_);
    std::swap(running, ready_);
    if (random_) std::ranges::shuffle(running, *random_);
    for (const int actor : running) {
      if (random_ && (*random_)() % 2 == 0) world_.settle();
      go_on(acting(actor));
    }
    running.clear();
  }
}

}  // namespace commgauge::simulate
