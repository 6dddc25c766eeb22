#include "rank/emulator.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/real_time.hpp"
#include "base/say.hpp"
#include "commgauge/base/error.hpp"
#include "commgauge/simulate/process/collective.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/real_calls.hpp"
#include "rank/own_windows.hpp"
#include "rank/request.hpp"
#include "rank/threads.hpp"
#include "shared/access.hpp"

namespace commgauge::emulate {

namespace {

double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

constexpr double clock_cost = 20e-9;  ///< [s] of reading the clock
/// Up to this size copying is quicker than giving the lock back meanwhile.
constexpr std::uint64_t small = 4096;  ///< [bytes]

}  // namespace

Emulator::Emulator(LiveWorld& live, int rank, const Settings& settings)
    : Process{live.world(), rank}, live_{live}, settings_{settings} {
  if (!settings_.measures_computing) return;
  processor_clock_.calibrate();
  forget_computing();
}

Emulator::Emulator(Emulator& first, int actor, const Emulator& parent)
    : Process{first, actor, parent},
      live_{first.live_},
      settings_{first.settings_},
      processor_clock_{first.processor_clock_.of_another()} {}

void Emulator::follow_real_time(double real_start) {
  prctl(PR_SET_TIMERSLACK, 1);
  real_start_ = real_entry_ = real_start;
  live_.follow_real_time(real_start);
}

void Emulator::count_computing() {
  if (!settings_.measures_computing) return;
  const double computed = computed_at(seconds(processor_clock_.at_enter()));
  computed_ += computed;
  const double needs = computed * settings_.time_ratio;
  if (settings_.cores > 0 && threads::are_several()) {
    go_on_from(threads::core(settings_.cores, clock(), needs));
  }
  use_processor(needs, &Shares::computing);
}

/// What the library that does it has taken since the last call of MPI.
void Emulator::count_files() {
  if (settings_.files.are_measured) pass_files(real_time() - file_mark_);
}

/// The rank's processor has nothing to do meanwhile.
void Emulator::pass_files(double seconds) {
  const ProcessorUse before = use_;
  advance(clock() + seconds, &Shares::files);
  use_ = before;
}

void Emulator::enter_files(const char* name) {
  enter(name);
  file_calls_.push_back({name, call_start_, 0});
  call_ = nullptr;
  leave();
}

void Emulator::leave_files(const FileTraffic& moved) {
  enter(nullptr);
  const std::uint64_t bytes = moved.read + moved.written;
  pass_files(settings_.files.stated.value * static_cast<double>(bytes));
  file_traffic_.read += moved.read;
  file_traffic_.written += moved.written;
  call_ = file_calls_.back().name;
  call_start_ = file_calls_.back().start;
  file_calls_.pop_back();
  leave();
}

void Emulator::pause() {
  if (!is_paused_) count_computing();
  is_paused_ = true;
}

void Emulator::go_on() {
  is_paused_ = false;
  forget_computing();
}

void Emulator::forget_computing() {
  if (settings_.measures_computing) cpu_mark_ = seconds(processor_clock_.at_leave());
}
void Emulator::forget_computing(double cpu) { cpu_mark_ = cpu; }

double Emulator::computed_at(double cpu) const {
  return std::max(0.0, cpu - cpu_mark_ - seconds(processor_clock_.least_gap()));
}
double Emulator::clock_at(double cpu) const {
  constexpr double surely = 1e-6;  // [s] by which readings of the two clocks differ
  return clock() + computed_at(cpu - surely) * settings_.time_ratio;
}

void Emulator::end(Emulator& heir) {
  hand_over_to(heir);
  std::ranges::move(left_alone_, std::back_inserter(heir.left_alone_));
  left_alone_.clear();
  std::ranges::move(left_receives_, std::back_inserter(heir.left_receives_));
  left_receives_.clear();
}

void Emulator::enter(const char* name) {
  threads::come_in();
  threads::is_in_mpi(true);
  if (settings_.follows_real_time) real_entry_ = real_time();
  if (is_in_files()) {
    count_files();
  } else if (!is_paused_) {
    count_computing();
  }
  advance(live_.least_time(), is_in_files() ? &Shares::files : &Shares::computing);
  publish();
  live_.work_meanwhile();
  threads::is_awake(*this);
  call_ = name;
  call_start_ = clock();
  if (name == nullptr) return;
  while (!turn()) block();
}

void Emulator::enter_from_sleep() {
  const bool was_paused = std::exchange(is_paused_, true);
  enter(nullptr);
  is_paused_ = was_paused;
}

/// Where real time is followed: if it has gone on past the clock meanwhile, so does the clock.
/// @param due  when the rank would have gone on [s]; what is beyond is counted as being late
void Emulator::catch_up(double due) {
  const double now = live_.least_time();
  late_ += std::max(0.0, now - std::max(due, clock()));
  advance(now, &Shares::waiting);
}

void Emulator::wait_for_real_time() {
  if (call_ != nullptr) {
    account_.taken += real_time() - real_entry_;
    account_.emulated += clock() - call_start_ - late_;
    account_.behind += late_;
  }
  late_ = 0;
  sleep_until(real_start_ + clock());
}

/// The program goes on when the rank has its processor.
void Emulator::leave() {
  if (call_ != nullptr && !std::exchange(polls_unsuccessfully_, false)) unsuccessful_polls_ = 0;
  wait_for_processor();
  if (settings_.traces && call_ != nullptr && clock() > call_start_) {
    trace_.push_back({call_, call_start_, clock()});
  }
  publish();
  if (settings_.follows_real_time) wait_for_real_time();
  forget_computing();
  if (is_in_files()) file_mark_ = real_time();
  threads::is_in_mpi(is_in_files() || is_finished_);
  threads::go_out();
}

/// While other threads of the process run outside of MPI, looks at times whether they do.
void Emulator::block() {
  if (!threads::are_guarded()) {
    live_.block();
    return;
  }
  constexpr double shortest = 1e-3;  // [s]
  constexpr double longest = 10e-3;
  const auto most = [] { return threads::are_several() ? longest : 0.1; };
  double pause = threads::were_seen_asleep() ? 0 : threads::are_several() ? shortest : most();
  for (;;) {
    if (live_.work_meanwhile()) pause = std::min(pause, shortest);
    {
      const threads::Outside meanwhile;
      if (live_.block(pause)) return;
    }
    threads::look();
    pause = std::clamp(2 * pause, shortest, most());
  }
}

void Emulator::compute(const std::function<void()>& work) {
  const double start = settings_.measures_computing ? cpu_time() : 0;
  work();
  if (!settings_.measures_computing) return;
  use_processor((cpu_time() - start) * settings_.time_ratio, &Shares::computing);
}

void Emulator::run_program(const std::function<void()>& work) {
  const char* const name = call_;
  leave();
  work();
  enter(name);
}

double Emulator::read_clock() {
  if (is_paused_) return clock();
  use_processor(clock_cost, &Shares::computing);
  return clock();
}

/// @pre the lock is held; it may be given back meanwhile
Offset Emulator::store(simulate::Request& request) {
  if (request.kind == Request::Kind::access) return static_cast<Request&>(request).stored;
  if (request.capacity == 0) return 0;
  Arena& arena = world().arena();
  const Offset payload = arena.allocate(request.capacity);
  std::optional<LiveWorld::Unlocked> meanwhile;
  if (request.capacity > small) meanwhile.emplace(live_);
  const Place& place = static_cast<Request&>(request).place;
  pack(place.buffer, place.count, place.type, arena.at<std::byte>(payload));
  return payload;
}

/// A message to oneself is copied by the rank's own processor: that is computing. Of the two copies
/// that are made here the second counts, for MPI needs but one.
void Emulator::deliver(simulate::Request& request, const Message& message) {
  auto& receive = static_cast<Request&>(request);
  const Place& place = receive.place;
  receive.is_of_other_type = ends_within_element(message.size, place.type);
  const auto take_out = [&] {
    unpack(world().arena().at<std::byte>(message.payload), message.size, place.buffer, place.type);
  };
  if (message.envelope.source == rank()) {
    compute(take_out);
  } else {
    take_out();
  }
}

void Emulator::reached(simulate::Request& request) {
  static_cast<Request&>(request).reached(*this);
}

void Emulator::start(Request& request) {
  if (is_finished_) {
    throw InputError(
        "a message within MPI_Finalize is not emulated (a callback of an attribute sends or "
        "receives): communicate before");
  }
  if (request.kind == Request::Kind::collective) {
    Process::start_collective(request, request.make_task());
    return;
  }
  request.is_of_other_type = false;
  if (request.peer != MPI_PROC_NULL) {
    Process::start(request);
    return;
  }
  request.active = request.done = true;
  request.source = MPI_PROC_NULL;
  request.found_tag = MPI_ANY_TAG;
  request.bytes = 0;
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

std::unique_ptr<Request> Emulator::start_collective(const CommunicatorPtr& comm, Task task) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::collective;
  request->comm = comm;
  Process::start_collective(*request, std::move(task));
  return request;
}

namespace {

Task until_over(simulate::Requests requests) { co_await simulate::Over{requests}; }

/// What came by one of them, the receive, is what came by the whole.
Task until_both_are_over(Request& whole, simulate::Requests both) {
  co_await simulate::Over{both};
  const auto in = std::ranges::find(both, Request::Kind::receive, &simulate::Request::kind);
  whole.source = (*in)->source;
  whole.found_tag = (*in)->found_tag;
  whole.bytes = (*in)->bytes;
  whole.is_truncated = (*in)->is_truncated;
  whole.is_of_other_type = static_cast<const Request&>(**in).is_of_other_type;
}

}  // namespace

std::unique_ptr<Request> Emulator::start_together(std::unique_ptr<Request> first,
                                                  std::unique_ptr<Request> second) {
  auto whole = std::make_unique<Request>();
  whole->kind = Request::Kind::collective;
  whole->is_sendrecv = true;
  whole->comm = first->comm;
  simulate::Requests both;
  for (auto* const one : {&first, &second}) {
    start(**one);
    both.push_back(std::move(*one));
  }
  Process::start_collective(*whole, until_both_are_over(*whole, std::move(both)));
  return whole;
}

bool Emulator::cancel(Request& receive) {
  for (;;) {
    if (const std::optional<bool> is_cancelled = Process::cancel(receive)) return *is_cancelled;
    block();
  }
}

void Emulator::complete(Request& generalised) {
  generalised.over = clock();
  generalised.done = true;
  const std::lock_guard lock(world());
  world().ask_again(rank());
}

void Emulator::leave_alone(std::unique_ptr<Request> request) {
  const auto is_done = [](const auto& one) { return one->done; };
  std::erase_if(left_alone_, is_done);
  std::erase_if(left_receives_, is_done);
  if (request->kind != Request::Kind::receive) {
    left_alone_.push_back(std::move(request));
    return;
  }
  // Somebody has to put its data where they belong when they are there.
  const CommunicatorPtr comm = request->comm;
  simulate::Requests only;
  only.push_back(std::move(request));
  left_receives_.push_back(start_collective(comm, until_over(std::move(only))));
}

void Emulator::wait_for_left_alone() {
  std::vector<simulate::Request*> collective;
  for (const auto& one : left_alone_) {
    if (one->kind == Request::Kind::collective) collective.push_back(one.get());
  }
  wait_all(collective);
}

void Emulator::run(const CommunicatorPtr& comm, Task task) {
  const auto request = start_collective(comm, std::move(task));
  simulate::Request* const waited[]{request.get()};
  wait_all(waited);
}

void Emulator::synchronise(std::span<const int> members, int meeting) {
  while (!Process::synchronise(members, meeting)) block();
}

void Emulator::find_accesses() {
  while (!Process::find_accesses()) block();
}

/// In memory that ranks share they see one another's own writing, which the emulation doesn't: no
/// rank waits for another's time where there are only such windows.
void Emulator::show_memory() {
  if (own_windows.all == 0) return;
  if (own_windows.shared < own_windows.all) find_accesses();
  carry_out_accesses(live_, rank());
}

void Emulator::wait_all(std::span<simulate::Request* const> requests) {
  while (!wait(requests, true)) block();
}

void Emulator::wait_all_of(const std::function<std::vector<simulate::Request*>()>& asked) {
  while (!wait(asked(), true)) block();
}

void Emulator::wait_any(std::span<simulate::Request* const> requests) {
  while (!wait(requests, false)) block();
}

bool Emulator::test_all(std::span<simulate::Request* const> requests) {
  for (;;) {
    if (const std::optional<bool> are_over = Process::test_all(requests)) return *are_over;
    block();
  }
}

void Emulator::test_some(std::span<simulate::Request* const> requests, double time) {
  while (!Process::test_some(requests, time)) block();
}

void Emulator::test_any(std::span<simulate::Request* const> requests) {
  while (!Process::test_any(requests)) block();
}

Offset Emulator::probe(const Envelope& wanted, bool blocking) {
  for (;;) {
    const std::optional<Offset> found = blocking ? Process::probe(wanted) : probe_now(wanted);
    if (found && *found == 0) {
      show_memory();
      tell_of_hopeless_loop();
    }
    if (found) return *found;
    block();
  }
}

std::string Emulator::call_name() const {
  const std::string_view name = call_ != nullptr ? call_ : "";
  return std::string{name.ends_with("_c") ? name.substr(0, name.size() - 2) : name};
}

void Emulator::tell_of_hopeless_loop() {
  constexpr double first = 10;         // [s]
  constexpr double again = 60;         // [s]
  constexpr double least_rate = 2000;  // [1/s]: who computes in between does something else, too
  constexpr long often = 1 << 10;      // so that the clock is hardly read
  polls_unsuccessfully_ = true;
  if (unsuccessful_polls_++ % often != 0) return;
  const double now = real_time();
  if (unsuccessful_polls_ == 1) {
    first_asked_ = now;
    next_word_ = now + first;
  }
  if (now < next_word_) return;
  const bool is_quick =
      static_cast<double>(unsuccessful_polls_) > least_rate * (now - first_asked_);
  next_word_ = now + again;
  {
    const std::lock_guard lock(world());
    if (!is_quick || !world().is_left_alone(rank())) return;
  }
  say("rank " + std::to_string(rank()) + " calls " + call_name() +
      " again and again, and finds nothing (all other ranks have ended, or wait): if it waits for a"
      " message, none will come");
}

void Emulator::poll_unsuccessfully() {
  Process::poll_unsuccessfully();
  tell_of_hopeless_loop();
  show_memory();
}

void Emulator::finish() {
  Process::finish();
  is_finished_ = true;
}

}  // namespace commgauge::emulate
