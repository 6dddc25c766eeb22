// What a rank waits for, tests and probes; collective operations that go on meanwhile.

#include <algorithm>
#include <mutex>

#include "commgauge/simulate/process/process.hpp"

namespace commgauge::simulate {

Activity* current_activity = nullptr;

void Process::start_collective(Request& collective, Task task) {
  collective.active = true;
  collective.done = false;
  collective.activity = std::make_unique<Activity>();
  collective.activity->carried_on_by = this;
  collective.task.emplace(std::move(task));
  collective.activity->resume = collective.task->handle();
  activities_.push_back(&collective);
  resume(collective);
}

void Process::resume(Request& collective) {
  Activity& activity = *collective.activity;
  quiet_.first = 0;
  activity.awaited.clear();
  current_activity = &activity;
  activity.resume.resume();
  current_activity = nullptr;
  if (!collective.task->done()) return;
  std::erase(activities_, &collective);
  collective.done = true;
}

/// Collective operations that another thread has started, and this one waits for.
void Process::take_over(std::span<Request* const> requests) {
  for (Request* const request : requests) {
    if (request->done || request->kind != Request::Kind::collective) continue;
    Process*& owner = request->activity->carried_on_by;
    if (owner == this) continue;
    std::erase(owner->activities_, request);
    activities_.push_back(request);
    quiet_.first = 0;
    owner = this;
  }
}

void Process::hand_over_to(Process& other) { other.take_over(std::vector(activities_)); }

/// @throws what went wrong in collective operations that are over
void Process::check(std::span<Request* const> requests) {
  for (const Request* const request : requests) {
    if (request->kind == Request::Kind::collective && request->done) request->task->check();
  }
}

/// @return whether any did
bool Process::go_on_with_activities() {
  bool any = false;
  for (bool changed = !activities_.empty(); changed;) {
    changed = false;
    for (Request* const collective : std::vector(activities_)) {
      if (!std::ranges::all_of(collective->activity->awaited, &Request::done)) continue;
      resume(*collective);
      any = changed = true;
    }
  }
  return any;
}

/// Puts into parts_ the messages that the requests, and all collective operations under way, wait
/// for, and their operations into operations_.
void Process::find_parts(std::span<Request* const> requests) {
  parts_.clear();
  operations_.clear();
  const auto add = [&](Request* request) {
    if (request->done || !request->is_message()) return;
    parts_.push_back(request);
    operations_.push_back(request->operation);
  };
  // Of what is over at one time that of others comes first: nobody may ask for it later.
  for (const Request* const collective : activities_) {
    std::ranges::for_each(collective->activity->awaited, add);
  }
  std::ranges::for_each(requests, add);
}

double Process::last_event(std::span<Request* const> requests) {
  double last = 0;
  for (const Request* const request : requests) {
    last = std::max(last, world_.operation(request->operation).event);
  }
  return last;
}

Request& Process::first_over(std::span<Request* const> requests) {
  return **std::ranges::min_element(requests, {}, [&](const Request* request) {
    const Operation& operation = world_.operation(request->operation);
    return operation.known ? operation.event : never;
  });
}

/// Waits for what the requests wait for: for all of it where the order doesn't matter, else for
/// what is over first, and takes it. @return whether it is certain
bool Process::wait_for_parts(std::span<Request* const> requests, bool for_all) {
  find_parts(requests);
  const bool alone =
      activities_.size() == 1 && std::ranges::all_of(requests, [&](const Request* request) {
        return request->done || request == activities_.front();
      });
  publish();
  std::unique_lock lock(world_);
  // What nothing is known to end ends when somebody else of this rank says so, if ever.
  const auto is_by_others = [](const Request* request) {
    return !request->done && request->kind == Request::Kind::generalised;
  };
  const bool may_end_otherwise =
      parts_.empty() || (!for_all && std::ranges::any_of(requests, is_by_others));
  if (!may_end_otherwise && (parts_.size() == 1 || alone || (for_all && activities_.empty()))) {
    if (!world_.wait_all(actor_, operations_)) return false;
    const double last = last_event(parts_);
    if (!world_.turn(actor_, std::max(last, clock_))) return false;
    lock.unlock();
    catch_up(last);
    conclude_in_order(parts_);
    return true;
  }
  const std::optional<Offset> first = world_.wait_first(actor_, operations_);
  if (!first) return false;
  const double event = world_.operation(*first).event;
  if (!world_.turn(actor_, std::max(event, clock_))) return false;
  lock.unlock();
  catch_up(event);
  conclude(**std::ranges::find(parts_, *first, &Request::operation));
  return true;
}

bool Process::wait(std::span<Request* const> requests, bool for_all) {
  const auto is_done = [&] {
    return for_all ? std::ranges::all_of(requests, &Request::done)
                   : std::ranges::any_of(requests, &Request::done);
  };
  take_over(requests);
  while (!is_done()) {
    if (!wait_for_parts(requests, for_all)) return false;
    go_on_with_activities();
  }
  for (const Request* const request : requests) {
    if (request->done && request->kind == Request::Kind::generalised) go_on_from(request->over);
  }
  check(requests);
  return true;
}

bool Process::make_known(double time) {
  publish();
  const std::lock_guard lock(world_);
  if (!world_.wait_known(actor_, time)) return false;
  catch_up(time);
  return true;
}

bool Process::is_over(const Request& request, double time) {
  if (request.done) return true;
  if (!request.is_message()) return false;
  const Operation& operation = world_.operation(request.operation);
  return operation.known && operation.event <= time;
}

std::vector<Request*> Process::over_by(std::span<Request* const> requests, double time) {
  std::vector<Request*> over;
  for (Request* const request : requests) {
    if (!request->done && is_over(*request, time)) over.push_back(request);
  }
  return over;
}

/// Whether collective operations under way wait for what isn't over by then, if that is known
/// without looking at all of it.
bool Process::is_quiet(double time) {
  const std::lock_guard lock(world_);
  return time < quiet_.first && world_.known_ends(rank_) == quiet_.known_ends;
}

/// Lets collective operations under way go on with what is over by then. @return whether it is
/// certain what is
bool Process::progress(double time) {
  if (!make_known(time)) return false;
  if (is_quiet(time)) return true;
  for (;;) {
    {
      const std::lock_guard lock(world_);
      quiet_.known_ends = world_.known_ends(rank_);
    }
    find_parts({});
    std::vector<Request*> over = over_by(parts_, time);
    if (over.empty()) {
      quiet_.first = never;
      for (const Offset one : operations_) {
        const Operation& operation = world_.operation(one);
        if (operation.known) quiet_.first = std::min(quiet_.first, operation.event);
      }
      return true;
    }
    for (bool changed = false; !changed && !over.empty();) {
      Request& first = first_over(over);
      std::erase(over, &first);
      conclude(first);
      changed = go_on_with_activities();
    }
  }
}

std::optional<bool> Process::test_all(std::span<Request* const> requests) {
  const double now = clock_;
  take_over(requests);
  const auto is_open = [&](const Request* request) {
    return !request->done && request->is_message() && !world_.operation(request->operation).known;
  };
  if (!activities_.empty()) {
    if (!progress(now)) return std::nullopt;
  } else if (std::ranges::any_of(requests, is_open)) {
    if (!make_known(now)) return std::nullopt;
  }
  if (!std::ranges::all_of(requests, [&](const Request* r) { return is_over(*r, now); })) {
    return false;
  }
  conclude_in_order(over_by(requests, now));
  check(requests);
  return true;
}

/// Asks unsuccessfully until then, for parts_ of which the last is over then.
void Process::ask_until(double time) {
  const Moment first = now_;
  poll_until(time);
  if (!world_.keeps_causes() || now_ == first) return;
  now_ = first;
  for (const Request* const part : parts_) {
    const Operation& operation = world_.operation(part->operation);
    const bool is_last = operation.event == time;
    const std::uint32_t message =
        operation.message != 0 ? world_.message(operation.message).id : no_message;
    note(clock_, {{now_, 0, Why::same},
                  {operation.is_over, is_last ? clock_ - time : 0, Why::waiting, message}});
  }
}

bool Process::poll_until_over(std::span<Request* const> requests) {
  if (!activities_.empty()) {
    for (;;) {
      const std::optional<bool> are_over = test_all(requests);
      if (!are_over) return false;
      if (*are_over) return true;
      poll_unsuccessfully();
    }
  }
  // Nothing else goes on meanwhile, so it is enough to know when they are over.
  find_parts(requests);
  publish();
  {
    const std::lock_guard lock(world_);
    if (!world_.wait_all(actor_, operations_)) return false;
  }
  const double over = last_event(parts_);
  ask_until(over);
  conclude_in_order(parts_);
  check(requests);
  return true;
}

bool Process::test_some(std::span<Request* const> requests, double time) {
  take_over(requests);
  if (!progress(time)) return false;
  conclude_in_order(over_by(requests, time));
  check(requests);
  return true;
}

bool Process::test_any(std::span<Request* const> requests) {
  const double now = clock_;
  take_over(requests);
  if (!progress(now)) return false;
  if (std::ranges::any_of(requests, &Request::done)) {
    check(requests);
    return true;
  }
  const std::vector<Request*> over = over_by(requests, now);
  if (!over.empty()) conclude(first_over(over));
  return true;
}

std::optional<bool> Process::cancel(Request& receive) {
  const double now = clock_;
  if (!progress(now)) return std::nullopt;
  if (receive.done) return false;
  const std::lock_guard lock(world_);
  if (!world_.withdraw(rank_, receive.operation, now)) return false;
  receive.operation = 0;
  receive.source = receive.found_tag = wildcard;
  receive.bytes = 0;
  receive.done = receive.is_cancelled = true;
  return true;
}

std::optional<Offset> Process::probe(const Envelope& wanted) {
  for (;;) {
    find_parts({});
    publish();
    std::unique_lock lock(world_);
    const std::optional<Offset> found = world_.wait_message(actor_, wanted, operations_);
    if (!found) return std::nullopt;
    const double event = *found != 0 ? world_.message(*found).arrival
                                     : world_.operation(first_over(parts_).operation).event;
    if (!world_.turn(actor_, std::max(event, clock_))) return std::nullopt;
    if (*found != 0) {
      const Message& message = world_.message(*found);
      advance(message.arrival, &Shares::waiting);
      note(clock_, {{now_, 0, Why::same}, {message.arrived, 0, Why::waiting, message.id}});
      catch_up(clock_);
      return found;
    }
    lock.unlock();
    Request& first = first_over(parts_);
    catch_up(world_.operation(first.operation).event);
    conclude(first);
    go_on_with_activities();
  }
}

std::optional<Offset> Process::probe_now(const Envelope& wanted) {
  const double now = clock_;
  if (!progress(now)) return std::nullopt;
  {
    const std::lock_guard lock(world_);
    if (const Offset found = world_.find_message(rank_, wanted, now); found != 0) return found;
  }
  poll_unsuccessfully();
  return 0;
}

bool Process::synchronise(std::span<const int> members, int meeting) {
  publish();
  const std::lock_guard lock(world_);
  const std::optional<double> time = world_.synchronise(actor_, members, now_, meeting);
  if (!time) return false;
  advance(*time, &Shares::waiting);
  note(clock_, {{now_, 0, Why::same}, {world_.met(actor_), 0, Why::meeting}});
  catch_up(clock_);
  return true;
}

}  // namespace commgauge::simulate
