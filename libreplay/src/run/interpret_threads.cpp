// What the threads of a rank have in common, and how they wait for each other.

#include <algorithm>
#include <set>
#include <utility>

#include "commgauge/trace/events/crossings.hpp"
#include "run/interpreter.hpp"
#include "run/marked.hpp"

namespace commgauge::replay {

using simulate::Task;
using trace::Event;
namespace event = trace::event;

namespace {

/// Whether it begins or ends a call or region: Result::marks.
std::size_t marks_in(std::span<const Event> events) {
  return static_cast<std::size_t>(std::ranges::count_if(events, is_marked));
}

template <class Key>
std::uint32_t found_or(const std::map<Key, std::uint32_t>& all, Key key, std::uint32_t otherwise) {
  if (all.empty()) return otherwise;
  const auto found = all.find(key);
  return found == all.end() ? otherwise : found->second;
}

}  // namespace

InterpretedRank::InterpretedRank(simulate::Simulation& simulation, const trace::Trace& trace,
                                 const Names& names, const Divisions& divisions,
                                 const Options& options, int rank)
    : simulation_{simulation},
      trace_{trace},
      recorded_{trace.ranks[static_cast<std::size_t>(rank)]},
      names_{names},
      divisions_{divisions},
      options_{options},
      rank_{rank},
      interpreters_(recorded_.further_threads.size() + 1),
      collectives_(trace.communicators.size()) {
  find_threads();
  find_crossings();
  if (options.cores_per_rank > 0 && has_threads()) cores_.emplace(options.cores_per_rank);
}

InterpretedRank::~InterpretedRank() = default;

void InterpretedRank::find_threads() {
  for (std::size_t thread = 1; thread < interpreters_.size(); ++thread) {
    const auto events = events_of(recorded_, thread);
    const auto* const begin = events.empty() ? nullptr : events.front().as<event::ThreadBegin>();
    by_number_[begin != nullptr ? begin->number : 0] = thread;
  }
}

void InterpretedRank::find_crossings() {
  if (!has_threads()) return;
  std::uint32_t next = 0;
  for (const Event& event : recorded_.events) {
    const std::uint32_t request = request_in(event);
    if (request != trace::no_request) next = std::max(next, request + 1);
  }
  for (const trace::Crossing& one : crossings(recorded_)) {
    // Of partitions, which were prepared by that number.
    if (recorded_.events[one.start].is<event::Start>()) continue;
    const std::uint32_t number = crossing_starts_.try_emplace(one.start, next).first->second;
    if (number == next) ++next;
    if (one.entry == trace::no_entry) {
      crossing_messages_[one.end] = number;
    } else {
      crossing_entries_[one.entry] = number;
    }
  }
}

/// Of an event that starts it.
std::uint32_t InterpretedRank::request_of(std::size_t event, std::uint32_t request) const {
  return found_or(crossing_starts_, event, request);
}
/// That was set aside for it.
std::uint32_t InterpretedRank::message_of(std::size_t event, std::uint32_t message) const {
  return found_or(crossing_messages_, event, message);
}
std::uint32_t InterpretedRank::request_at(std::uint32_t entry) const {
  return found_or(crossing_entries_, entry, recorded_.requests[entry]);
}

/// Those that wait for what other threads start look again.
void InterpretedRank::has_started(std::size_t event) {
  if (crossing_starts_.empty()) return;
  const auto found = crossing_starts_.find(event);
  if (found == crossing_starts_.end()) return;
  crossing_started_.insert(found->second);
  for (const int actor : std::exchange(awaiting_starts_, {})) simulation_.wake_thread(actor, 0);
}

/// Else the thread sleeps until another one starts something.
bool InterpretedRank::have_started(simulate::CoroutineProcess& process, std::uint32_t list,
                                   std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && !crossing_entries_.empty(); ++i) {
    const std::uint32_t entry = list + i;
    if (!crossing_entries_.contains(entry)) continue;
    const std::uint32_t number = request_at(entry);
    if (crossing_started_.contains(number)) continue;
    awaiting_starts_.push_back(process.actor());
    process.sleep_until_woken();
    return false;
  }
  return true;
}

void InterpretedRank::keep_marks(std::vector<Mark>& marks) {
  marks_ = &marks;
  std::size_t count = 0;
  for (std::size_t thread = 0; thread < interpreters_.size(); ++thread) {
    first_mark_.push_back(count);
    count += marks_in(events_of(recorded_, thread));
  }
  marks.resize(count);
}

void InterpretedRank::begin(const simulate::CoroutineProcess& parent, std::size_t thread) {
  ++running_;
  simulation_.begin_thread(parent, [&](simulate::CoroutineProcess& process) {
    if (observer_ != nullptr) process.set_observer(*observer_);
    interpreters_[thread] = std::make_unique<Interpreter>(*this, process, thread);
    return interpreters_[thread]->run();
  });
}

/// One that did nothing more has no events.
void InterpretedRank::start_thread(const simulate::CoroutineProcess& parent, std::uint32_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return;
  begin(parent, found->second);
  by_number_.erase(found);
}

/// Those that were there before the recording began, or whose start wasn't seen.
void InterpretedRank::begin_unstarted(const simulate::CoroutineProcess& first) {
  std::set<std::uint32_t> started;
  for (const Event& event : recorded_.events) {
    const auto* const start = event.as<event::ThreadStart>();
    if (start != nullptr) started.insert(start->number);
  }
  const auto all = by_number_;
  for (const auto& [number, thread] : all) {
    if (!started.contains(number)) start_thread(first, number);
  }
}

/// What goes on when it has ended is the first thread's.
void InterpretedRank::end(Interpreter& ended) {
  ended.process_.hand_over_to(interpreters_.front()->process_);
  result_.work += ended.work_;
  result_.shares += ended.process_.shares();
  result_.further_threads += ended.process_.clock() - ended.begun_;
  result_.in_turn += ended.process_.in_turn();
  if (--running_ == 0 && outlasting_ >= 0) simulation_.wake_thread(outlasting_, 0);
}

Task InterpretedRank::outlast_others(simulate::CoroutineProcess& first) {
  outlasting_ = first.actor();
  co_await first.until([&] {
    if (running_ == 0) return true;
    first.sleep_until_woken();
    return false;
  });
}

InterpretedRank::Object& InterpretedRank::object(std::uint32_t number) {
  if (objects_.size() <= number) objects_.resize(number + 1);
  return objects_[number];
}

void InterpretedRank::release(simulate::CoroutineProcess& process, std::uint32_t number) {
  Object& what = object(number);
  const Object::Release own{process.clock(), process.now()};
  const bool is_latest = what.releases.empty() || what.releases.back().latest <= own.latest;
  what.releases.push_back(is_latest ? own : what.releases.back());
  std::erase_if(what.waiters, [&](const Object::Waiter& one) {
    if (one.count > what.releases.size()) return false;
    simulation_.wake_thread(one.actor, process.clock());
    return true;
  });
}

/// Else the thread sleeps from here on.
bool InterpretedRank::has_happened(simulate::CoroutineProcess& process,
                                   const event::Acquire& acquire) {
  Object& what = object(acquire.object);
  if (acquire.count > what.releases.size()) {
    what.waiters.push_back({process.actor(), acquire.count});
    process.sleep_until_woken();
    return false;
  }
  const Object::Release& last = what.releases[acquire.count - 1];
  process.go_on_from(last.latest, last.at);
  return true;
}

bool InterpretedRank::has_collectives() const {
  return std::ranges::any_of(interpreters_, [](const auto& one) {
    return one != nullptr && one->process_.has_collectives();
  });
}

double InterpretedRank::least_clock() const {
  double least = simulate::never;
  for (const auto& one : interpreters_) {
    if (one != nullptr && !one->has_ended_) least = std::min(least, one->process_.clock());
  }
  return least;
}

Task InterpretedRank::run(simulate::CoroutineProcess& first) {
  // Where others access a window of this rank's, or might.
  const auto is_window = [](const trace::Communicator& one) { return one.is_window; };
  if (std::ranges::any_of(trace_.communicators, is_window)) first.world().expose(rank_, 1);
  if (observer_ != nullptr) first.set_observer(*observer_);
  interpreters_.front() = std::make_unique<Interpreter>(*this, first, 0);
  if (has_threads()) begin_unstarted(first);
  co_await interpreters_.front()->run();
  if (running_ > 0) co_await outlast_others(first);
}

void Interpreter::check_object(std::uint32_t object) const {
  constexpr std::uint32_t most = 1 << 24;
  if (object >= most) refuse("an object's number is beyond all reason");
}

/// The CPU clock of a thread is at 0 then.
void Interpreter::act(const event::ThreadBegin&) {
  if (at_ != first_ || thread_ == 0) refuse("a thread begins that has begun");
  program_since_ = program_time(0);
}

void Interpreter::act(const event::ThreadEnd&) {}

void Interpreter::act(const event::ThreadStart& start) {
  rank_.start_thread(process_, start.number);
}

void Interpreter::act(const event::Release& release) {
  check_object(release.object);
  rank_.release(process_, release.object);
}

Task Interpreter::act(const event::Acquire& acquire) {
  check_object(acquire.object);
  if (acquire.count == 0) refuse("it waits for nothing");
  co_await process_.until([&] { return rank_.has_happened(process_, acquire); });
}

}  // namespace commgauge::replay
