#include "run/follow.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "commgauge/base/error.hpp"
#include "commgauge/schedule/choice.hpp"
#include "commgauge/trace/events/crossings.hpp"
#include "run/marked.hpp"

namespace commgauge::replay {

using simulate::Envelope;
using simulate::Request;
using simulate::Task;
using trace::Event;
namespace event = trace::event;

namespace {

constexpr double nanosecond = 1e-9;
constexpr double clock_cost = 20e-9;  ///< [s] of reading MPI_Wtime, as in emulation
/// Of one collective operation; more than any has rounds in two directions.
constexpr int tags = 1 << 10;
constexpr int numbers = 1 << 20;  ///< of operations, before tags are used again

std::string mpi_name(const trace::Collective& called) {
  if (called.is_own) return "MPI_Finalize";
  if (called.is_neighbourhood) return "a neighbourhood collective";
  std::string name = to_word(called.what.operation);
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "MPI_" + name;
}

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

/// Whether it begins or ends a call or region: Result::marks.
std::size_t marks_in(std::span<const Event> events) {
  return static_cast<std::size_t>(std::ranges::count_if(events, is_marked));
}

std::uint32_t number_of(const trace::Trace& trace, const char* name) {
  return static_cast<std::uint32_t>(std::ranges::find(trace.names, name) - trace.names.begin());
}

}  // namespace

Names::Names(const trace::Trace& trace)
    : finalize{number_of(trace, "MPI_Finalize")},
      session_finalize{number_of(trace, "MPI_Session_finalize")},
      wait_some{number_of(trace, "MPI_Waitsome")} {
  for (const std::string& name : trace.names) {
    asks_now.push_back(name == "MPI_Iprobe" || name == "MPI_Improbe");
    is_mpi.push_back(name.starts_with("MPI_"));
    starts_mpi.push_back(name.starts_with("MPI_Init"));
  }
  asks_now.push_back(0);  // where no call was entered
}

FollowedRank::FollowedRank(simulate::Simulation& simulation, const trace::Trace& trace,
                           const Names& names, const Divisions& divisions, const Options& options,
                           int rank)
    : simulation_{simulation},
      trace_{trace},
      recorded_{trace.ranks[static_cast<std::size_t>(rank)]},
      names_{names},
      divisions_{divisions},
      options_{options},
      rank_{rank},
      followers_(recorded_.further_threads.size() + 1),
      collectives_(trace.communicators.size()) {
  find_threads();
  find_crossings();
  if (options.cores_per_rank > 0 && has_threads()) cores_.emplace(options.cores_per_rank);
}

FollowedRank::~FollowedRank() = default;

void FollowedRank::find_threads() {
  for (std::size_t thread = 1; thread < followers_.size(); ++thread) {
    const auto events = events_of(recorded_, thread);
    const auto* const begin = events.empty() ? nullptr : events.front().as<event::ThreadBegin>();
    by_number_[begin != nullptr ? begin->number : 0] = thread;
  }
}

void FollowedRank::find_crossings() {
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

namespace {

template <class Key>
std::uint32_t found_or(const std::map<Key, std::uint32_t>& all, Key key, std::uint32_t otherwise) {
  if (all.empty()) return otherwise;
  const auto found = all.find(key);
  return found == all.end() ? otherwise : found->second;
}

}  // namespace

/// Of an event that starts it.
std::uint32_t FollowedRank::request_of(std::size_t event, std::uint32_t request) const {
  return found_or(crossing_starts_, event, request);
}
/// That was set aside for it.
std::uint32_t FollowedRank::message_of(std::size_t event, std::uint32_t message) const {
  return found_or(crossing_messages_, event, message);
}
std::uint32_t FollowedRank::request_at(std::uint32_t entry) const {
  return found_or(crossing_entries_, entry, recorded_.requests[entry]);
}

/// Those that wait for what other threads start look again.
void FollowedRank::has_started(std::size_t event) {
  if (crossing_starts_.empty()) return;
  const auto found = crossing_starts_.find(event);
  if (found == crossing_starts_.end()) return;
  crossing_started_.insert(found->second);
  for (const int actor : std::exchange(awaiting_starts_, {})) simulation_.wake_thread(actor, 0);
}

/// Else the thread sleeps until another one starts something.
bool FollowedRank::have_started(simulate::CoroutineProcess& process, std::uint32_t list,
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

void FollowedRank::keep_marks(std::vector<Mark>& marks) {
  marks_ = &marks;
  std::size_t count = 0;
  for (std::size_t thread = 0; thread < followers_.size(); ++thread) {
    first_mark_.push_back(count);
    count += marks_in(events_of(recorded_, thread));
  }
  marks.resize(count);
}

void FollowedRank::begin(const simulate::CoroutineProcess& parent, std::size_t thread) {
  ++running_;
  simulation_.begin_thread(parent, [&](simulate::CoroutineProcess& process) {
    if (observer_ != nullptr) process.set_observer(*observer_);
    followers_[thread] = std::make_unique<Follower>(*this, process, thread);
    return followers_[thread]->run();
  });
}

/// One that did nothing more has no events.
void FollowedRank::start_thread(const simulate::CoroutineProcess& parent, std::uint32_t number) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) return;
  begin(parent, found->second);
  by_number_.erase(found);
}

/// Those that were there before the recording began, or whose start wasn't seen.
void FollowedRank::begin_unstarted(const simulate::CoroutineProcess& first) {
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
void FollowedRank::end(Follower& ended) {
  ended.process_.hand_over_to(followers_.front()->process_);
  result_.work += ended.work_;
  result_.shares += ended.process_.shares();
  result_.further_threads += ended.process_.clock() - ended.begun_;
  result_.in_turn += ended.process_.in_turn();
  if (--running_ == 0 && outlasting_ >= 0) simulation_.wake_thread(outlasting_, 0);
}

Task FollowedRank::outlast_others(simulate::CoroutineProcess& first) {
  outlasting_ = first.actor();
  co_await first.until([&] {
    if (running_ == 0) return true;
    first.sleep_until_woken();
    return false;
  });
}

FollowedRank::Object& FollowedRank::object(std::uint32_t number) {
  if (objects_.size() <= number) objects_.resize(number + 1);
  return objects_[number];
}

void FollowedRank::release(simulate::CoroutineProcess& process, std::uint32_t number) {
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
bool FollowedRank::has_happened(simulate::CoroutineProcess& process,
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

bool FollowedRank::has_collectives() const {
  return std::ranges::any_of(followers_, [](const auto& one) {
    return one != nullptr && one->process_.has_collectives();
  });
}

double FollowedRank::least_clock() const {
  double least = simulate::never;
  for (const auto& one : followers_) {
    if (one != nullptr && !one->has_ended_) least = std::min(least, one->process_.clock());
  }
  return least;
}

Task FollowedRank::run(simulate::CoroutineProcess& first) {
  // Where others access a window of this rank's, or might.
  const auto is_window = [](const trace::Communicator& one) { return one.is_window; };
  if (std::ranges::any_of(trace_.communicators, is_window)) first.world().expose(rank_, 1);
  if (observer_ != nullptr) first.set_observer(*observer_);
  followers_.front() = std::make_unique<Follower>(*this, first, 0);
  if (has_threads()) begin_unstarted(first);
  co_await followers_.front()->run();
  if (running_ > 0) co_await outlast_others(first);
}

Follower::Follower(FollowedRank& rank, simulate::CoroutineProcess& process, std::size_t thread)
    : rank_{rank},
      process_{process},
      thread_{thread},
      trace_{rank.trace_},
      recorded_{rank.recorded_},
      options_{rank.options_},
      mark_{rank.marks_ != nullptr ? rank.first_mark_[thread] : 0},
      call_{static_cast<std::uint32_t>(trace_.names.size())},
      begun_{process.clock()} {}

std::string name_of_collective(const trace::Trace& trace, int context, int tag) {
  if (context >= simulate::first_window_context) return {};
  const auto communicator = static_cast<std::uint32_t>(context / 2);
  for (const std::int32_t member : trace.communicators[communicator].members) {
    const trace::Rank& rank = trace.ranks[static_cast<std::size_t>(member)];
    int left = tag / tags;
    for (const Event& event : rank.events) {
      const auto* const start = event.as<event::Collective>();
      if (start == nullptr || start->context != communicator) continue;
      if (left-- == 0) return mpi_name(rank.collectives[start->operation]);
    }
  }
  return {};
}

/// Messages of the program's own have even contexts, those of collective operations odd ones.
int Follower::program_context(std::uint32_t context) const {
  const int first = communicator(context).is_window ? simulate::first_window_context : 0;
  return first + static_cast<int>(2 * context);
}
int Follower::collective_context(std::uint32_t context) const {
  return program_context(context) + 1;
}

void Follower::refuse(const std::string& why) const {
  throw InputError("rank " + std::to_string(process_.rank()) + ", event " + std::to_string(at_) +
                   " of the trace (" + why + "): record the program again");
}

const trace::Communicator& Follower::communicator(std::uint32_t context) const {
  if (context >= trace_.communicators.size()) refuse("there is no such communicator");
  return trace_.communicators[context];
}

Request& Follower::request(std::uint32_t number) {
  if (number == trace::no_request) return own_;
  constexpr std::uint32_t most = 1 << 24;
  if (number >= most) refuse("a request's number is beyond all reason");
  while (rank_.requests_.size() <= number) rank_.requests_.push_back(std::make_unique<Request>());
  if (!rank_.requests_[number]) rank_.requests_[number] = std::make_unique<Request>();
  return *rank_.requests_[number];
}

std::span<Request* const> Follower::requests(std::uint32_t list, std::uint32_t count) {
  asked_.clear();
  if (std::size_t{list} + count > recorded_.requests.size()) {
    refuse("it waits for requests that aren't there");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    asked_.push_back(&started(rank_.request_at(list + i)));
  }
  return asked_;
}

/// What the program's computing is told by: CPU time, or that of the event.
std::int64_t Follower::program_time(std::int64_t processor) const {
  return trace_.has_processor_time ? processor : recorded_.events[at_].time;
}

/// What the program computed since its last call.
void Follower::compute_until(std::int64_t now) {
  const auto passed = static_cast<double>(std::max<std::int64_t>(now - program_since_, 0));
  if (!options_.computes || passed == 0) {
    if (rank_.notes_idleness_) process_.compute_nothing();
    return;
  }
  const auto rank = static_cast<std::size_t>(process_.rank());
  const double ratio = process_.machine().time_ratios[rank].value;
  const double needs = passed * nanosecond * ratio;
  work_ += passed * nanosecond;
  computed_ += needs;
  if (rank_.cores_) {
    process_.wait_for_core(
        rank_.cores_->take(process_.clock(), needs, [&] { return rank_.least_clock(); }));
  }
  process_.compute(needs);
}

void Follower::mark() {
  if (rank_.marks_ == nullptr) return;
  (*rank_.marks_)[mark_++] = {process_.clock(), computed_, process_.now()};
}

/// @return the first thread's event that enters MPI_Finalize, or ends a session and is the last
/// call of MPI; else none
std::size_t Follower::find_end_of_mpi() const {
  const Names& names = rank_.names_;
  bool calls_mpi_after = false;
  for (std::size_t i = events_of(recorded_, 0).size(); i-- > 0;) {
    const auto* const call = recorded_.events[i].as<event::Enter>();
    if (call == nullptr || call->name >= names.is_mpi.size()) continue;
    if (call->name == names.finalize) return i;
    if (names.is_mpi[call->name] == 0) continue;
    if (call->name == names.session_finalize && !calls_mpi_after) return i;
    calls_mpi_after = true;
  }
  return recorded_.events.size();
}

/// Of the first thread.
void Follower::note_end() {
  RankResult& result = rank_.result_;
  result.end = process_.clock();
  result.work += work_;
  result.shares += process_.shares();
  result.in_turn += process_.in_turn();
  if (options_.causes != nullptr) options_.causes->set_end(process_.rank(), process_.now());
}

Request& Follower::start_message(Request::Kind kind, std::uint32_t number, const Envelope& envelope,
                                 std::uint64_t bytes, simulate::Mode mode) {
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
void Follower::hear_of(std::span<Request* const> accesses) {
  for (const Request* access : accesses) {
    if (access->kind != Request::Kind::access) refuse("it hears of what is no access");
    if (access->answer == simulate::no_answer)
      process_.hear_of(access->peer, access->over, access->over_at);
  }
}

/// The event's, if there is one.
const Unawaited* Follower::unawaited() const {
  const auto is_here = [&](const Unawaited& one) {
    return one.rank == process_.rank() && one.event == at_;
  };
  const auto found = std::ranges::find_if(options_.unawaited, is_here);
  return found == options_.unawaited.end() ? nullptr : &*found;
}

void Follower::receive_unawaited(const event::Receive& receive, bool is_rendezvous) {
  process_.receive_unawaited(receive.found.peer, receive.found.bytes, is_rendezvous);
}

/// Of those that the event waits for.
void Follower::receive_unawaited_of(const event::Wait& wait) {
  for (std::uint32_t i = 0; i < wait.count && !rank_.unawaited_.empty(); ++i) {
    const auto found = rank_.unawaited_.find(rank_.request_at(wait.list + i));
    if (found == rank_.unawaited_.end()) continue;
    const Event& started = recorded_.events[found->second.event];
    receive_unawaited(std::get<event::Receive>(started.what), found->second.is_rendezvous);
    rank_.unawaited_.erase(found);
  }
}

/// What a receive or probe asks for here.
Envelope Follower::wanted(const auto& receive) const {
  const bool is_free = options_.rematches || receive.found.peer == trace::any;
  return {program_context(receive.context), or_any(is_free ? receive.peer : receive.found.peer),
          or_any(is_free ? receive.tag : receive.found.tag)};
}

simulate::Group Follower::group(std::uint32_t context) {
  const trace::Communicator& members = communicator(context);
  const auto own = std::ranges::find(members.members, process_.rank());
  if (own == members.members.end()) refuse("it isn't of that communicator");
  const int number = rank_.collectives_[context]++ % numbers;
  return {members.members, static_cast<int>(own - members.members.begin()),
          collective_context(context), number * tags};
}

/// Of an intercommunicator, the rank's own first.
simulate::Group Follower::both_groups(std::uint32_t context) {
  const trace::Communicator& members = communicator(context);
  const bool is_first = two_groups(context).is_first;
  const std::vector<std::int32_t>& own = is_first ? members.members : members.others;
  const std::vector<std::int32_t>& other = is_first ? members.others : members.members;
  const auto place = std::ranges::find(own, process_.rank());
  if (place == own.end()) refuse("it isn't of that communicator");
  const int number = rank_.collectives_[context]++ % numbers;
  simulate::Group group{own, static_cast<int>(place - own.begin()), collective_context(context),
                        number * tags};
  group.ranks.insert(group.ranks.end(), other.begin(), other.end());
  return group;
}

/// The first one has the smallest rank: as emulated.
schedule::TwoGroups Follower::two_groups(std::uint32_t context) const {
  const trace::Communicator& members = communicator(context);
  const bool is_first =
      std::ranges::find(members.members, process_.rank()) != members.members.end();
  const auto first = static_cast<int>(members.members.size());
  const auto second = static_cast<int>(members.others.size());
  return {is_first ? first : second, is_first ? second : first, is_first};
}

Task Follower::carry_out(simulate::Group group, schedule::Operation operation,
                         schedule::Schedule what, Bytes unit) {
  const auto turns = in_turn(process_.machine(), operation, what, group.ranks);
  simulate::MessagesOnly performer(std::move(group), unit);
  co_await simulate::perform(std::move(what), performer, turns);
}

/// A neighbourhood collective: to all and from all at once.
Task Follower::exchange(simulate::Group group, const trace::Collective& what) {
  simulate::Requests started;
  const auto start = [&](Request::Kind kind, const trace::Collective::Neighbour& neighbour) {
    Request& one = *started.emplace_back(std::make_unique<Request>());
    if (neighbour.peer < 0 || neighbour.peer >= process_.machine().ranks) {
      refuse("there is no such neighbour");
    }
    one.kind = kind;
    one.peer = neighbour.peer;
    one.tag = group.tag + neighbour.tag;
    one.context = group.context;
    one.capacity = neighbour.bytes;
    process_.start(one);
  };
  for (const auto& neighbour : what.from) start(Request::Kind::receive, neighbour);
  for (const auto& neighbour : what.to) start(Request::Kind::send, neighbour);
  co_await simulate::Over{started};
}

void Follower::check(const schedule::Collective& what) const {
  const auto ranks = static_cast<std::size_t>(what.ranks);
  const auto fits = [ranks](const std::vector<std::uint64_t>& counts, bool may_be_none) {
    return counts.size() == 1 || counts.size() == ranks || (may_be_none && counts.empty());
  };
  if (!fits(what.counts, false) || !fits(what.counts_in, true)) {
    refuse("its counts are not as many as ranks");
  }
  if (what.root < 0 || what.root >= what.ranks) refuse("its root is no rank of the communicator");
}

void Follower::check(const schedule::Collective& what, const schedule::TwoGroups& groups) const {
  using enum schedule::Operation;
  if (what.operation == scan || what.operation == exscan) refuse("two groups can't do that");
  const bool is_of_own = what.operation == reduce_scatter || what.operation == reduce_scatter_block;
  const auto counted = static_cast<std::size_t>(is_of_own ? groups.local : groups.remote);
  const auto remote = static_cast<std::size_t>(groups.remote);
  const auto& in = what.counts_in;
  if ((what.counts.size() != 1 && what.counts.size() != counted) ||
      (in.size() > 1 && in.size() != remote)) {
    refuse("its counts are not as many as ranks");
  }
  const bool is_role =
      what.root == schedule::root_is_caller || what.root == schedule::root_is_beside;
  if (!is_role && (what.root < 0 || what.root >= groups.remote)) {
    refuse("its root is no rank of the other group");
  }
}

void Follower::start_collective(Request& started, const event::Collective& start) {
  const trace::Collective& recorded = recorded_.collectives[start.operation];
  if (!communicator(start.context).others.empty()) {
    const schedule::TwoGroups groups = two_groups(start.context);
    check(recorded.what, groups);
    simulate::Group members = both_groups(start.context);
    schedule::Schedule steps =
        between_groups(recorded.what, groups, members.own, options_.collectives);
    return process_.start_collective(started, carry_out(std::move(members), recorded.what.operation,
                                                        std::move(steps), recorded.what.unit));
  }
  simulate::Group members = group(start.context);
  if (recorded.is_neighbourhood) {
    return process_.start_collective(started, exchange(std::move(members), recorded));
  }
  schedule::Collective what = recorded.what;
  what.ranks = static_cast<int>(members.ranks.size());
  check(what);
  schedule::Choice choice =
      recorded.is_own ? schedule::Choice{schedule::Deciders::trees, {}} : options_.collectives;
  schedule::Schedule steps = schedule_of(what, algorithm_for(choice, what), members.own);
  process_.start_collective(
      started, carry_out(std::move(members), what.operation, std::move(steps), what.unit));
}

void Follower::give_up(std::uint32_t number) {
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
std::optional<simulate::Offset> Follower::look_for(const Envelope& envelope, bool waits) {
  return waits ? process_.probe(envelope) : process_.probe_now(envelope);
}

bool Follower::has_collectives() const {
  return rank_.has_threads() ? rank_.has_collectives() : process_.has_collectives();
}

void Follower::check_object(std::uint32_t object) const {
  constexpr std::uint32_t most = 1 << 24;
  if (object >= most) refuse("an object's number is beyond all reason");
}

Task Follower::over(Request& started) { co_await process_.one(started); }

/// The call itself waits for what it started, or a later one does.
std::optional<Task> Follower::go_on(Request& started, std::uint32_t number) {
  if (number != trace::no_request) return std::nullopt;
  return over(started);
}

// Calls and regions.

/// A call within a call, or within MPI_Init, computes nothing of the program's.
std::optional<Task> Follower::act(const event::Enter& call) {
  if (call.name >= trace_.names.size()) refuse("its name isn't there");
  if (depth_++ == 0 && !rank_.names_.starts_mpi[call.name]) {
    compute_until(program_time(call.processor));
  }
  if (rank_.has_threads() && rank_.names_.is_mpi[call.name]) return enter_in_turn(call);
  enter(call);
  return std::nullopt;
}

Task Follower::enter_in_turn(const event::Enter& call) {
  co_await process_.own_turn();
  enter(call);
}

void Follower::enter(const event::Enter& call) {
  mark();
  call_ = call.name;
  if (at_ == end_of_mpi_) note_end();
}

void Follower::act(const event::Leave& call) {
  process_.wait_for_processor();
  mark();
  depth_ = std::max(depth_ - 1, 0);
  program_since_ = program_time(call.processor);
}

void Follower::act(const event::RegionBegin& region) { pass_border(region.processor); }
void Follower::act(const event::RegionEnd& region) { pass_border(region.processor); }

void Follower::pass_border(std::int64_t processor) {
  if (depth_ == 0) compute_until(program_time(processor));
  program_since_ = program_time(processor);
  mark();
}

// Messages.

std::optional<Task> Follower::act(const event::Send& send) {
  const Envelope envelope{program_context(send.context), or_any(send.peer), or_any(send.tag)};
  Request& started =
      start_message(Request::Kind::send, send.request, envelope, send.bytes, mode_of(send.mode));
  return go_on(started, send.request);
}

std::optional<Task> Follower::act(const event::Receive& receive) {
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

Task Follower::act(const event::Wait& wait) {
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

Task Follower::act(const event::Poll& poll) {
  co_await process_.until([&] { return rank_.have_started(process_, poll.list, poll.count); });
  const auto asked = requests(poll.list, poll.count);
  co_await process_.until([&] { return process_.poll_until_over(asked); });
}

Task Follower::act(const event::PollsInVain& polls) {
  if (polls.attempts > most_attempts) refuse("it asks in vain beyond all reason");
  std::uint64_t left = polls.attempts;
  for (; left > 0 && has_collectives(); --left) {
    const double now = process_.clock();
    co_await process_.until([&] { return process_.test_some({}, now); });
    process_.poll_in_vain();
  }
  process_.poll_in_vain(left);
}

/// Asks until there is one that fits.
Task Follower::find(Envelope envelope, std::uint64_t attempts, simulate::Offset& found) {
  const bool waits = rank_.names_.asks_now[call_] == 0 && attempts == 0;
  for (std::uint64_t attempt = 0; found == 0; ++attempt) {
    if (attempt > most_attempts) refuse("it asks for a message that never comes");
    found = co_await process_.until([&] { return look_for(envelope, waits); });
  }
}

Task Follower::act(const event::Probe& probe) {
  simulate::Offset found = 0;
  co_await find(wanted(probe), probe.attempts, found);
}

Task Follower::act(const event::MatchedProbe& probe) {
  simulate::Offset found = 0;
  co_await find(wanted(probe), probe.attempts, found);
  process_.take(found);
  if (probe.request == trace::no_request) refuse("the message is set aside for nothing");
  const std::uint32_t number = rank_.request_of(at_, probe.request);
  if (rank_.set_aside_.size() <= number) rank_.set_aside_.resize(number + 1);
  rank_.set_aside_[number] = found;
}

std::optional<Task> Follower::act(const event::MatchedReceive& receive) {
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

void Follower::act(const event::Free& free) { give_up(free.request); }

void Follower::act(const event::Cancel&) { refuse("a receive is cancelled that was posted"); }

// Collective operations.

std::optional<Task> Follower::act(const event::Collective& start) {
  if (start.operation >= recorded_.collectives.size()) refuse("there is no such operation");
  Request& started = request(rank_.request_of(at_, start.request));
  if (started.task && !started.done) refuse("its request is still in use");
  started.kind = Request::Kind::collective;
  start_collective(started, start);
  rank_.has_started(at_);
  return go_on(started, start.request);
}

/// Of threads that make communicators of the same ranks at once each has a meeting of its own.
Task Follower::act(const event::Meet& meet) {
  const trace::Communicator& made = communicator(meet.context);
  std::vector<std::int32_t> members = made.members;
  members.insert(members.end(), made.others.begin(), made.others.end());
  const int meeting = static_cast<int>(meet.context);
  co_await process_.until([&] { return process_.synchronise(members, meeting); });
}

// Accesses.

void Follower::act(const event::Access& access) {
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

Task Follower::act(const event::Flush& flush) {
  co_await process_.until([&] { return rank_.have_started(process_, flush.list, flush.count); });
  const auto asked = requests(flush.list, flush.count);
  co_await process_.all(asked);
  hear_of(asked);
}

// What the program does without MPI.

/// Measured computing has what the readings took.
void Follower::act(const event::ClockReads& reads) {
  if (options_.computes && !trace_.is_virtual) return;
  if (reads.count > most_attempts) refuse("it reads the clock beyond all reason");
  process_.compute(clock_cost, reads.count);
}

Task Follower::act(const event::Sleep& sleep) {
  if (rank_.has_threads()) co_await process_.own_turn();
  process_.sleep(static_cast<double>(sleep.nanoseconds) * nanosecond);
}

/// The CPU clock of a thread is at 0 then.
void Follower::act(const event::ThreadBegin&) {
  if (at_ != first_ || thread_ == 0) refuse("a thread begins that has begun");
  program_since_ = program_time(0);
}

void Follower::act(const event::ThreadEnd&) {}

void Follower::act(const event::ThreadStart& start) { rank_.start_thread(process_, start.number); }

void Follower::act(const event::Release& release) {
  check_object(release.object);
  rank_.release(process_, release.object);
}

Task Follower::act(const event::Acquire& acquire) {
  check_object(acquire.object);
  if (acquire.count == 0) refuse("it waits for nothing");
  co_await process_.until([&] { return rank_.has_happened(process_, acquire); });
}

std::optional<Task> Follower::act(const Event& event) {
  return std::visit(
      [this](const auto& what) -> std::optional<Task> {
        if constexpr (!std::is_void_v<decltype(act(what))>) {
          return act(what);
        } else {
          act(what);
          return std::nullopt;
        }
      },
      event.what);
}

Task Follower::run() {
  const auto own = events_of(recorded_, thread_);
  end_of_mpi_ = thread_ == 0 ? find_end_of_mpi() : recorded_.events.size();
  first_ = static_cast<std::size_t>(own.data() - recorded_.events.data());
  for (at_ = first_; at_ < first_ + own.size(); ++at_) {
    process_.set_place(static_cast<std::uint32_t>(at_));
    if (std::optional<Task> goes_on = act(recorded_.events[at_])) co_await std::move(*goes_on);
  }
  if (thread_ == 0) {
    if (end_of_mpi_ == recorded_.events.size()) note_end();
  } else {
    has_ended_ = true;
    rank_.end(*this);
  }
}

}  // namespace commgauge::replay
