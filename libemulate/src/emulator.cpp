#include "emulator.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <mutex>

#include "commgauge/base/error.hpp"
#include "datatypes.hpp"
#include "mpi_library.hpp"
#include "real_time.hpp"

namespace commgauge::emulate {

Activity* current_activity = nullptr;

namespace {

constexpr double clock_cost = 20e-9;  ///< [s] of reading the clock
constexpr double poll_cost = 100e-9;  ///< [s] of a test or probe that finds nothing
/// Up to this size copying is quicker than giving the lock back meanwhile.
constexpr std::uint64_t small = 4096;  ///< [bytes]

std::vector<Offset> operations_of(std::span<Request* const> requests) {
  std::vector<Offset> operations;
  for (const Request* const request : requests) operations.push_back(request->operation);
  return operations;
}

/// Gives the lock back for a while.
class Unlocked {
 public:
  explicit Unlocked(Engine& engine) : engine_{engine} { engine_.unlock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() { engine_.lock(); }

 private:
  Engine& engine_;
};

}  // namespace

std::uint64_t bytes_of(const Place& place) {
  return static_cast<std::uint64_t>(place.count) * size_of(place.type);
}

/// A program need not free its requests, so this may run after MPI_Finalize, when no type can be
/// freed.
Request::~Request() {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (owns_type && !finalized) real::Type_free(&place.type);
}

Emulator::Emulator(SharedMemory memory, Offset region, Machine machine, int rank,
                   const Settings& settings)
    : memory_{std::move(memory)},
      machine_{std::move(machine)},
      processor_{machine_.disturbances, rank},
      engine_{memory_, region, machine_, rank},
      rank_{rank},
      settings_{settings} {
  if (settings_.measures_computing) cpu_mark_ = cpu_time();
}

void Emulator::follow_real_time(double real_start) {
  prctl(PR_SET_TIMERSLACK, 1);
  real_start_ = real_entry_ = real_start;
  engine_.follow_real_time(real_start);
}

void Emulator::enter(const char* name) {
  inside_ = true;
  if (settings_.follows_real_time) real_entry_ = real_time();
  if (settings_.measures_computing) {
    use_processor((cpu_time() - cpu_mark_) * settings_.time_ratio, shares_.computing);
  }
  advance(engine_.least_time(), shares_.computing);
  publish();
  call_ = name;
  call_start_ = clock_;
}

/// Where real time is followed: if it has gone on past the clock meanwhile, so does the clock.
/// @param due  when the rank would have gone on [s]; what is beyond is counted as being late
void Emulator::catch_up(double due) {
  const double now = engine_.least_time();
  late_ += std::max(0.0, now - std::max(due, clock_));
  advance(now, shares_.waiting);
}

void Emulator::wait_for_real_time() {
  if (call_ != nullptr) {
    account_.taken += real_time() - real_entry_;
    account_.emulated += clock_ - call_start_ - late_;
    account_.behind += late_;
  }
  late_ = 0;
  sleep_until(real_start_ + clock_);
}

/// The program goes on when the rank has its processor.
void Emulator::leave() {
  use_processor(0, shares_.waiting);
  if (settings_.traces && call_ != nullptr && clock_ > call_start_) {
    trace_.push_back({call_, call_start_, clock_});
  }
  publish();
  if (settings_.follows_real_time) wait_for_real_time();
  if (settings_.measures_computing) cpu_mark_ = cpu_time();
  inside_ = false;
}

void Emulator::advance(double to, double& share) {
  if (to <= clock_) return;
  share += to - clock_;
  const double got = processor_.got(clock_, to);
  use_.got += got;
  use_.lost += to - clock_ - got;
  use_.losses += processor_.losses(clock_, to);
  clock_ = to;
}

/// Work of the rank's own: disturbances of its processor make it longer.
void Emulator::use_processor(double seconds, double& share) {
  advance(clock_ + seconds + processor_.loss(clock_, seconds), share);
}

void Emulator::sleep(double seconds) {
  const ProcessorUse before = use_;
  advance(clock_ + seconds, shares_.computing);
  use_ = before;
  ++use_.sleeps;
}

void Emulator::compute(const std::function<void()>& work) {
  const double start = settings_.measures_computing ? cpu_time() : 0;
  work();
  if (!settings_.measures_computing) return;
  use_processor((cpu_time() - start) * settings_.time_ratio, shares_.computing);
}

double Emulator::read_clock() {
  use_processor(clock_cost, shares_.computing);
  return clock_;
}

void Emulator::poll_in_vain() { use_processor(poll_cost, shares_.waiting); }

bool Emulator::uses_rendezvous(const Request& request, std::uint64_t size) const {
  if (request.peer == rank_ || request.mode == Mode::buffered) return false;
  return request.mode == Mode::synchronous || static_cast<double>(size) > machine_.eager_limit;
}

/// @pre the lock is held; it may be given back meanwhile
Offset Emulator::store(const Place& place, std::uint64_t size) {
  if (size == 0) return 0;
  const Offset payload = memory_.allocate(size);
  auto* const bytes = memory_.at<std::byte>(payload);
  std::optional<Unlocked> meanwhile;
  if (size > small) meanwhile.emplace(engine_);
  pack(place.buffer, place.count, place.type, bytes);
  return payload;
}

void Emulator::send(Request& request) {
  const std::uint64_t size = bytes_of(request.place);
  const PairCosts& costs = machine_.pair(rank_, request.peer);
  Sending sending{.to = request.peer, .context = request.context, .tag = request.tag, .size = size};
  sending.rendezvous = uses_rendezvous(request, size);
  catch_up(clock_);
  advance(send_free_, shares_.sending);
  use_processor(0, shares_.sending);
  sending.start = clock_;
  if (!sending.rendezvous) {
    const double overhead = costs.send_overhead.at(static_cast<double>(size));
    // What others take of the sender's processor meanwhile delays the message, too.
    const double loss = processor_.loss(clock_, overhead);
    sending.start += loss;
    advance(clock_ + overhead + loss, shares_.sending);
    send_free_ = sending.start + costs.gap.at(static_cast<double>(size));
    request.done = true;
  }
  const std::lock_guard lock(engine_);
  sending.payload = store(request.place, size);
  publish();
  request.operation = engine_.send(sending);
  request.bytes = size;
}

void Emulator::start(Request& request) {
  if (is_finished_) {
    throw InputError(
        "a message within MPI_Finalize is not emulated (a callback of an attribute sends or "
        "receives): communicate before");
  }
  request.active = true;
  if (request.kind == Request::Kind::collective) {
    launch(request, request.make_task());
    return;
  }
  request.done = request.peer == MPI_PROC_NULL;
  request.error = MPI_SUCCESS;
  if (request.done) {
    request.source = MPI_PROC_NULL;
    request.found_tag = MPI_ANY_TAG;
    request.bytes = 0;
    return;
  }
  if (request.kind == Request::Kind::send) {
    send(request);
    return;
  }
  const std::lock_guard lock(engine_);
  request.operation = engine_.post({request.context, request.peer, request.tag}, clock_);
}

std::unique_ptr<Request> make_request(Request::Kind kind, const CommunicatorPtr& comm,
                                      const Place& place, int peer, int tag, int context,
                                      Mode mode) {
  auto request = std::make_unique<Request>();
  request->kind = kind;
  request->comm = comm;
  request->place = place;
  request->peer = peer;
  request->tag = tag;
  request->context = context;
  request->mode = mode;
  return request;
}

std::unique_ptr<Request> Emulator::start_send(const CommunicatorPtr& comm, const Place& place,
                                              int to, int tag, int context, Mode mode) {
  auto request = make_request(Request::Kind::send, comm, place, to, tag, context, mode);
  start(*request);
  return request;
}

std::unique_ptr<Request> Emulator::start_receive(const CommunicatorPtr& comm, const Place& place,
                                                 int from, int tag, int context) {
  auto request =
      make_request(Request::Kind::receive, comm, place, from, tag, context, Mode::standard);
  start(*request);
  return request;
}

void Emulator::conclude_send(Request& request, const Operation& operation) {
  const double part =
      machine_.pair(rank_, request.peer).rendezvous_sender.at(static_cast<double>(request.bytes));
  advance(operation.event - part, shares_.waiting);
  advance(operation.event, shares_.sending);
}

/// Eager messages pass the receiver's port one after the other, whatever the rank does meanwhile.
/// They are concluded in the order in which the program waits for them, so one may have passed
/// before the port was last idle: then it delays nothing and nothing delays it.
/// @param needs  for how long it keeps the port [s]. @return when it has passed
double Emulator::pass_port(double arrival, double needs) {
  if (arrival <= port_idle_) return arrival;
  if (arrival - needs > port_free_) port_idle_ = arrival - needs;
  port_free_ = std::max(arrival, port_free_ + needs);
  return port_free_;
}

void Emulator::conclude_receive(Request& request, const Message& message, double event) {
  if (message.rendezvous) {
    const double part = machine_.pair(message.envelope.source, rank_)
                            .rendezvous_receiver.at(static_cast<double>(message.size));
    advance(event - part, shares_.waiting);
    advance(event, shares_.receiving);
  } else {
    const double here = pass_port(message.end - message.receive_overhead, message.port);
    const double start = std::max({here, clock_, receive_free_});
    const double end =
        start + message.receive_overhead + processor_.loss(start, message.receive_overhead);
    receive_free_ = end - message.receive_overhead + message.gap;
    advance(end - message.receive_overhead, shares_.waiting);
    advance(end, shares_.receiving);
  }
  request.source = message.envelope.source;
  request.found_tag = message.envelope.tag;
  request.bytes = message.size;
  if (message.size > bytes_of(request.place)) {
    request.error = MPI_ERR_TRUNCATE;
    return;
  }
  if (message.size == 0) return;
  unpack(memory_.at<std::byte>(message.payload), message.size, request.place.buffer,
         request.place.type);
}

/// Advances the clock to the end of an operation, and hands over its data. @pre its end is known
void Emulator::conclude(Request& request) {
  const Operation& operation = engine_.operation(request.operation);
  if (request.kind == Request::Kind::send) {
    conclude_send(request, operation);
  } else {
    conclude_receive(request, engine_.message(operation.message), operation.event);
  }
  const std::lock_guard lock(engine_);
  engine_.drop(request.operation);
  request.operation = 0;
  request.done = true;
}

void Emulator::conclude_in_order(std::vector<Request*> requests) {
  std::ranges::stable_sort(requests, [&](const Request* a, const Request* b) {
    const Operation& first = engine_.operation(a->operation);
    const Operation& second = engine_.operation(b->operation);
    if (first.event != second.event) return first.event < second.event;
    if (first.message == 0 || second.message == 0) return first.message < second.message;
    return engine_.message(first.message).envelope.source <
           engine_.message(second.message).envelope.source;
  });
  for (Request* const request : requests) conclude(*request);
}

std::unique_ptr<Request> Emulator::start_collective(const CommunicatorPtr& comm, Task task) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::collective;
  request->comm = comm;
  launch(*request, std::move(task));
  return request;
}

void Emulator::launch(Request& collective, Task task) {
  collective.done = false;
  collective.activity = std::make_unique<Activity>();
  collective.task.emplace(std::move(task));
  collective.activity->resume = collective.task->handle();
  activities_.push_back(&collective);
  resume(collective);
}

void Emulator::run(const CommunicatorPtr& comm, Task task) {
  const auto request = start_collective(comm, std::move(task));
  Request* const waited[]{request.get()};
  wait_all(waited);
}

void Emulator::synchronise(std::span<const int> members) {
  publish();
  const std::lock_guard lock(engine_);
  advance(engine_.synchronise(members), shares_.waiting);
  catch_up(clock_);
}

void Emulator::resume(Request& collective) {
  Activity& activity = *collective.activity;
  activity.awaited.clear();
  current_activity = &activity;
  activity.resume.resume();
  current_activity = nullptr;
  if (!collective.task->done()) return;
  std::erase(activities_, &collective);
  collective.done = true;
  collective.task->check();
}

void Emulator::go_on_with_activities() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Request* const collective : std::vector(activities_)) {
      if (!std::ranges::all_of(collective->activity->awaited, &Request::done)) continue;
      resume(*collective);
      changed = true;
    }
  }
}

/// Messages that the requests, and all collective operations under way, wait for.
std::vector<Request*> Emulator::open_parts(std::span<Request* const> requests) const {
  std::vector<Request*> parts;
  const auto add = [&](Request* request) {
    if (!request->done && request->kind != Request::Kind::collective) parts.push_back(request);
  };
  std::ranges::for_each(requests, add);
  for (const Request* const collective : activities_) {
    std::ranges::for_each(collective->activity->awaited, add);
  }
  return parts;
}

double Emulator::last_event(std::span<Request* const> requests) {
  double last = 0;
  for (const Request* const request : requests) {
    last = std::max(last, engine_.operation(request->operation).event);
  }
  return last;
}

Request& Emulator::first_over(std::span<Request* const> requests) {
  return **std::ranges::min_element(requests, {}, [&](const Request* request) {
    const Operation& operation = engine_.operation(request->operation);
    return operation.known ? operation.event : never;
  });
}

void Emulator::wait_for(std::span<Request* const> requests, bool all) {
  const auto is_done = [&] {
    return all ? std::ranges::all_of(requests, &Request::done)
               : std::ranges::any_of(requests, &Request::done);
  };
  while (!is_done()) {
    const std::vector<Request*> parts = open_parts(requests);
    const std::vector<Offset> operations = operations_of(parts);
    const bool alone =
        activities_.size() == 1 && std::ranges::all_of(requests, [&](const Request* request) {
          return request->done || request == activities_.front();
        });
    const bool in_any_order = parts.size() == 1 || alone || (all && activities_.empty());
    publish();
    if (in_any_order) {
      {
        const std::lock_guard lock(engine_);
        engine_.wait_all(operations);
      }
      catch_up(last_event(parts));
      conclude_in_order(parts);
    } else {
      std::unique_lock lock(engine_);
      const Offset first = engine_.wait_first(operations);
      lock.unlock();
      catch_up(engine_.operation(first).event);
      conclude(**std::ranges::find(parts, first, &Request::operation));
    }
    go_on_with_activities();
  }
}

void Emulator::wait_all(std::span<Request* const> requests) { wait_for(requests, true); }
void Emulator::wait_any(std::span<Request* const> requests) { wait_for(requests, false); }

void Emulator::make_known(double time) {
  publish();
  const std::lock_guard lock(engine_);
  engine_.wait_known(time);
  catch_up(time);
}

bool Emulator::is_over(const Request& request, double time) {
  if (request.done) return true;
  if (request.kind == Request::Kind::collective) return false;
  const Operation& operation = engine_.operation(request.operation);
  return operation.known && operation.event <= time;
}

std::vector<Request*> Emulator::over_by(std::span<Request* const> requests, double time) {
  std::vector<Request*> over;
  for (Request* const request : requests) {
    if (!request->done && is_over(*request, time)) over.push_back(request);
  }
  return over;
}

/// Lets collective operations under way go on with what is over by then.
void Emulator::progress(double time) {
  make_known(time);
  for (;;) {
    const std::vector<Request*> parts = open_parts({});
    std::vector<Request*> over = over_by(parts, time);
    if (over.empty()) return;
    conclude(first_over(over));
    go_on_with_activities();
  }
}

bool Emulator::test_all(std::span<Request* const> requests) {
  const double now = clock_;
  const auto is_open = [&](const Request* request) {
    return !request->done && request->kind != Request::Kind::collective &&
           !engine_.operation(request->operation).known;
  };
  if (!activities_.empty()) {
    progress(now);
  } else if (std::ranges::any_of(requests, is_open)) {
    make_known(now);
  }
  if (!std::ranges::all_of(requests, [&](const Request* r) { return is_over(*r, now); })) {
    return false;
  }
  conclude_in_order(over_by(requests, now));
  return true;
}

void Emulator::test_some(std::span<Request* const> requests, double time) {
  progress(time);
  conclude_in_order(over_by(requests, time));
}

void Emulator::test_any(std::span<Request* const> requests) {
  const double now = clock_;
  progress(now);
  if (std::ranges::any_of(requests, &Request::done)) return;
  std::vector<Request*> over = over_by(requests, now);
  if (over.empty()) return;
  conclude(first_over(over));
}

Offset Emulator::probe(const Envelope& wanted, bool blocking) {
  while (blocking) {
    const std::vector<Request*> parts = open_parts({});
    const std::vector<Offset> operations = operations_of(parts);
    publish();
    std::unique_lock lock(engine_);
    if (const Offset found = engine_.wait_message(wanted, operations); found != 0) {
      advance(engine_.message(found).arrival, shares_.waiting);
      catch_up(clock_);
      return found;
    }
    lock.unlock();
    Request& first = first_over(parts);
    catch_up(engine_.operation(first.operation).event);
    conclude(first);
    go_on_with_activities();
  }
  const double now = clock_;
  progress(now);
  {
    const std::lock_guard lock(engine_);
    if (const Offset found = engine_.find_message(wanted, now); found != 0) return found;
  }
  poll_in_vain();
  return 0;
}

void Emulator::take(Offset message) {
  const std::lock_guard lock(engine_);
  engine_.take_message(message);
}

void Emulator::receive(Request& request, Offset place) {
  const Message& message = engine_.message(place);
  if (message.rendezvous) {
    const std::lock_guard lock(engine_);
    request.operation = engine_.post_for(place, clock_);
    return;
  }
  conclude_receive(request, message, 0);
  const std::lock_guard lock(engine_);
  engine_.drop_message(place);
  request.done = true;
}

void Emulator::finish() {
  publish();
  const std::lock_guard lock(engine_);
  engine_.finish();
  is_finished_ = true;
}

}  // namespace commgauge::emulate
