#include "commgauge/trace/goal/goal_of_trace.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::trace {
namespace {

using Index = std::uint32_t;

/// GOAL has one number for a communicator, a tag, and which collective operation it is. Tags of
/// MPI_COMM_WORLD stay as they are.
class Tags {
 public:
  std::uint32_t message(std::uint32_t context, std::int32_t tag) {
    return context == 0 && tag >= 0 ? static_cast<std::uint32_t>(tag)
                                    : number({context, false, tag});
  }
  /// @param which  how many of the communicator were started before.
  std::uint32_t collective(std::uint32_t context, std::int64_t which) {
    return number({context, true, which});
  }

 private:
  using Name = std::tuple<std::uint32_t, bool, std::int64_t>;
  static constexpr std::uint32_t first = std::uint32_t{1} << 31U;

  std::uint32_t number(const Name& name) {
    const auto next = first + static_cast<std::uint32_t>(numbers_.size());
    if (next == goal_any)
      throw InputError(
          "the trace has too many collective operations for GOAL (its tags have 32 bits): "
          "record a shorter run");
    return numbers_.emplace(name, next).first->second;
  }
  std::map<Name, std::uint32_t> numbers_;
};

/// What an operation that comes next has to wait for.
class Front {
 public:
  void become(Index operation, GoalDependency::Kind kind) { after_ = {{operation, kind}}; }
  void wait_for(const Front& other) {
    for (const auto& [operation, kind] : other.after_) wait_for(operation, kind);
  }
  /// That it has ended is more than that it has started.
  void wait_for(Index operation, GoalDependency::Kind kind) {
    const auto found = std::find_if(after_.begin(), after_.end(),
                                    [&](const auto& one) { return one.first == operation; });
    if (found == after_.end())
      after_.emplace_back(operation, kind);
    else if (kind == GoalDependency::Kind::requires_end)
      found->second = kind;
  }
  void add_to(GoalRank& rank, Index operation) const {
    for (const auto& [on, kind] : after_) rank.dependencies.push_back({operation, on, kind});
  }

 private:
  std::vector<std::pair<Index, GoalDependency::Kind>> after_;
};

constexpr auto at_end = GoalDependency::Kind::requires_end;
constexpr auto at_start = GoalDependency::Kind::requires_start;

/// One rank's events, in their order.
class RankConverter {
 public:
  RankConverter(const Trace& trace, const schedule::Choice& choice, std::int32_t number, Tags& tags)
      : trace_{trace},
        choice_{choice},
        number_{number},
        tags_{tags},
        rank_{trace.ranks[static_cast<std::size_t>(number)]} {}

  GoalRank convert() {
    if (!rank_.further_threads.empty()) {
      at_ = rank_.further_threads.front();
      fail("a further thread begins", "which of them lets another go on is known when it runs");
    }
    for (at_ = 0; at_ < rank_.events.size(); ++at_) {
      std::visit([this](const auto& what) { add(what); }, rank_.events[at_].what);
    }
    return std::move(goal_);
  }

 private:
  // What isn't a GOAL operation, and keeps none waiting.

  void add(const event::RegionBegin&) {}
  void add(const event::RegionEnd&) {}
  void add(const event::UnsuccessfulPolls&) {}
  void add(const event::ClockReads&) {}
  void add(const event::Free&) {}
  void add(const event::ThreadBegin&) {}
  void add(const event::ThreadEnd&) {}
  void add(const event::ThreadStart&) {}
  void add(const event::Release&) {}
  void add(const event::Acquire&) {}

  // The time outside calls is the program's computing.

  void add(const event::Enter& call) {
    if (depth_++ > 0 || !left_) return;
    if (const std::int64_t ns = clock(call.processor) - *left_; ns > 0)
      compute(static_cast<std::uint64_t>(ns));
  }
  void add(const event::Leave& call) {
    depth_ = std::max(depth_ - 1, 0);
    if (depth_ == 0) left_ = clock(call.processor);
  }
  void add(const event::Sleep& sleep) {
    if (trace_.has_processor_time) compute(sleep.nanoseconds);
  }
  [[nodiscard]] std::int64_t clock(std::int64_t processor) const {
    return trace_.has_processor_time ? processor : rank_.events[at_].time;
  }
  void compute(std::uint64_t ns) {
    front_.become(append({GoalOperation::Kind::compute, 0, 0, 0, 0, ns}, front_), at_end);
  }

  // Messages.

  void add(const event::Send& send) {
    if (send.mode == Mode::synchronous)
      fail("a synchronous send waits for its receive",
           "in GOAL a message's size alone decides that");
    const Index sent = message(GoalOperation::Kind::send, send.peer,
                               tags_.message(send.context, send.tag), send.bytes, front_);
    front_.become(sent, at_start);
    Front end;
    end.become(sent, send.mode == Mode::buffered ? at_start : at_end);
    start(send.request, end);
  }
  void add(const event::Receive& what) {
    const bool is_known = what.found.peer != any;
    start(what.request, receive(what, is_known ? what.found.bytes : what.bytes));
  }
  void add(const event::MatchedProbe& what) {
    const Front end = receive(what, what.found.bytes);
    front_.wait_for(end);
    start(what.request, end);
  }
  void add(const event::MatchedReceive& what) { start(what.request, ends_of(what.message)); }

  /// @return what waits until the message has come
  Front receive(const auto& what, std::uint64_t bytes) {
    const std::int32_t peer = what.peer == any ? what.found.peer : what.peer;
    const std::int32_t tag = what.tag == any ? what.found.tag : what.tag;
    if (peer == any || tag == any)
      fail("a receive from any source or of any tag doesn't say what it got",
           "the recorded partner is taken");
    const Index got = message(GoalOperation::Kind::receive, peer, tags_.message(what.context, tag),
                              bytes, front_);
    front_.become(got, at_start);
    Front end;
    end.become(got, at_end);
    return end;
  }

  /// A message without data has a byte: LogGOPSim counts the bytes behind the first one.
  Index message(GoalOperation::Kind kind, std::int32_t peer, std::uint32_t tag, std::uint64_t bytes,
                const Front& front) {
    if (peer < 0 || static_cast<std::size_t>(peer) >= trace_.ranks.size())
      fail("its partner is rank " + std::to_string(peer),
           "there are " + std::to_string(trace_.ranks.size()) + " ranks");
    return append(
        {kind, 0, 0, static_cast<std::uint32_t>(peer), tag, std::max<std::uint64_t>(bytes, 1)},
        front);
  }

  Index append(const GoalOperation& operation, const Front& front) {
    const auto index = static_cast<Index>(goal_.operations.size());
    goal_.operations.push_back(operation);
    front.add_to(goal_, index);
    return index;
  }

  // Requests.

  /// The call itself waits, or a later one.
  void start(std::uint32_t request, const Front& end) {
    if (request == no_request)
      front_.wait_for(end);
    else
      ends_[request] = end;
  }
  Front ends_of(std::uint32_t request) {
    const auto found = ends_.find(request);
    if (found == ends_.end())
      fail("it waits for request " + std::to_string(request), "none was started");
    return found->second;
  }
  void add(const event::Wait& what) { wait(what.list, what.count); }
  void add(const event::Poll& what) { wait(what.list, what.count); }
  void wait(std::uint32_t list, std::uint32_t count) {
    if (std::size_t{list} + count > rank_.requests.size())
      fail("its list of requests lacks", "the trace is damaged");
    for (std::uint32_t i = 0; i < count; ++i) front_.wait_for(ends_of(rank_.requests[list + i]));
  }

  // Collective operations.

  void add(const event::Collective& start) {
    if (start.operation >= rank_.collectives.size() || start.context >= trace_.communicators.size())
      fail("its collective operation lacks", "the trace is damaged");
    const Collective& called = rank_.collectives[start.operation];
    const std::uint32_t tag = tags_.collective(start.context, started_[start.context]++);
    Front front = front_;
    if (called.is_neighbourhood)
      exchange(called, start.context, front);
    else
      perform(called, trace_.communicators[start.context], tag, front);
    if (start.request == no_request)
      front_ = front;
    else
      ends_[start.request] = front;
  }

  [[nodiscard]] schedule::Algorithm algorithm(const Collective& called) const {
    using schedule::Algorithm;
    if (!called.is_own) return algorithm_for(choice_, called.what);
    const bool is_barrier = called.what.operation == schedule::Operation::barrier;
    return is_barrier ? Algorithm::dissemination : Algorithm::binomial;
  }

  /// Messages of a round are all started, and all over before what follows.
  void perform(const Collective& called, const Communicator& members, std::uint32_t tag,
               Front& front) {
    if (!members.others.empty())
      fail("a collective operation has two groups", "GOAL's ranks are in one");
    const auto own = std::find(members.members.begin(), members.members.end(), number_);
    if (own == members.members.end() ||
        members.members.size() != static_cast<std::size_t>(called.what.ranks))
      fail("its communicator has other members", "the trace is damaged");
    const auto place = static_cast<int>(own - members.members.begin());
    const schedule::Schedule what = schedule_of(called.what, algorithm(called), place);
    Front round_end;
    for (std::size_t k = 0; k < what.steps.size(); ++k) {
      const schedule::Step& step = what.steps[k];
      if (step.is_message()) {
        const auto kind = step.kind == schedule::Step::Kind::send ? GoalOperation::Kind::send
                                                                  : GoalOperation::Kind::receive;
        const std::int32_t peer = members.members[static_cast<std::size_t>(step.peer)];
        start_of_round(message(kind, peer, tag, step.here.count * called.what.unit.value, front),
                       front, round_end);
      }
      const bool ends = k + 1 == what.steps.size() || what.steps[k + 1].round != step.round;
      if (ends) front.wait_for(std::exchange(round_end, {}));
    }
  }

  /// Tags of a neighbourhood's messages are the number of the operation's direction.
  void exchange(const Collective& called, std::uint32_t context, Front& front) {
    Front end;
    const auto tag = [&](const Collective::Neighbour& one) {
      return tags_.collective(context, -1 - std::int64_t{one.tag});
    };
    for (const auto& one : called.from)
      start_of_round(message(GoalOperation::Kind::receive, one.peer, tag(one), one.bytes, front),
                     front, end);
    for (const auto& one : called.to)
      start_of_round(message(GoalOperation::Kind::send, one.peer, tag(one), one.bytes, front),
                     front, end);
    front.wait_for(end);
  }

  static void start_of_round(Index started, Front& front, Front& round_end) {
    front.become(started, at_start);
    round_end.wait_for(started, at_end);
  }

  // What GOAL doesn't know.

  void add(const event::Probe&) { fail("a probe leaves its message", "GOAL knows no probe"); }
  void add(const event::Cancel&) { fail("a receive is cancelled", "GOAL knows no such end"); }
  void add(const event::Meet&) {
    fail("a communicator is made without messages", "GOAL knows no such meeting");
  }
  void add(const event::Access&) { fail_access(); }
  void add(const event::Flush&) { fail_access(); }
  void add(const event::PrepareSend&) { fail_partitions(); }
  void add(const event::PrepareReceive&) { fail_partitions(); }
  void add(const event::Start&) { fail_partitions(); }
  void add(const event::Ready&) { fail_partitions(); }
  void add(const event::Arrived&) { fail_partitions(); }

  [[noreturn]] void fail_access() const {
    fail("another rank's memory is accessed", "GOAL's messages are received");
  }
  [[noreturn]] void fail_partitions() const {
    fail("a message is in partitions", "GOAL's messages are sent as a whole");
  }
  [[noreturn]] void fail(const std::string& problem, const std::string& reason) const {
    throw InputError("event " + std::to_string(at_) + " of rank " + std::to_string(number_) +
                     " can't become GOAL: " + problem + " (" + reason +
                     "): replay the trace itself");
  }

  const Trace& trace_;
  const schedule::Choice& choice_;
  std::int32_t number_;
  Tags& tags_;
  const Rank& rank_;
  GoalRank goal_;
  std::size_t at_{};
  int depth_{};
  std::optional<std::int64_t> left_;
  Front front_;
  std::map<std::uint32_t, Front> ends_;            ///< of requests
  std::map<std::uint32_t, std::int64_t> started_;  ///< collective operations of each communicator
};

}  // namespace

Goal goal_of(const Trace& trace, const schedule::Choice& choice) {
  Goal goal;
  Tags tags;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    goal.ranks.push_back(
        RankConverter(trace, choice, static_cast<std::int32_t>(rank), tags).convert());
  return goal;
}

}  // namespace commgauge::trace
