// What a rank does in collective operations.

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <utility>

#include "commgauge/schedule/choice.hpp"
#include "run/interpreter.hpp"

namespace commgauge::replay {

using simulate::Request;
using simulate::Task;
using trace::Event;
namespace event = trace::event;

namespace {

/// Of one collective operation; more than any has rounds in two directions.
constexpr int tags = 1 << 10;
constexpr int numbers = 1 << 20;  ///< of operations, before tags are used again

std::string mpi_name(const trace::Collective& called) {
  if (called.is_own) return "MPI_Finalize";
  if (called.is_neighbourhood) return "a neighbourhood collective";
  std::string name = to_text(called.what.operation);
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "MPI_" + name;
}

}  // namespace

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

simulate::Group Interpreter::group(std::uint32_t context) {
  const trace::Communicator& members = communicator(context);
  const auto own = std::ranges::find(members.members, process_.rank());
  if (own == members.members.end()) refuse("it isn't of that communicator");
  const int number = rank_.collectives_[context]++ % numbers;
  return {members.members, static_cast<int>(own - members.members.begin()),
          collective_context(context), number * tags};
}

/// Of an intercommunicator, the rank's own first.
simulate::Group Interpreter::both_groups(std::uint32_t context) {
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
schedule::TwoGroups Interpreter::two_groups(std::uint32_t context) const {
  const trace::Communicator& members = communicator(context);
  const bool is_first =
      std::ranges::find(members.members, process_.rank()) != members.members.end();
  const auto first = static_cast<int>(members.members.size());
  const auto second = static_cast<int>(members.others.size());
  return {is_first ? first : second, is_first ? second : first, is_first};
}

Task Interpreter::carry_out(simulate::Group group, schedule::Operation operation,
                            schedule::Schedule what, Bytes unit) {
  const auto turns = in_turn(process_.machine(), operation, what, group.ranks);
  simulate::MessagesOnly performer(std::move(group), unit);
  co_await simulate::perform(std::move(what), performer, turns);
}

/// A neighbourhood collective: to all and from all at once.
Task Interpreter::exchange(simulate::Group group, const trace::Collective& what) {
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

void Interpreter::check(const schedule::Collective& what) const {
  const auto ranks = static_cast<std::size_t>(what.ranks);
  const auto fits = [ranks](const std::vector<std::uint64_t>& counts, bool may_be_none) {
    return counts.size() == 1 || counts.size() == ranks || (may_be_none && counts.empty());
  };
  if (!fits(what.counts, false) || !fits(what.counts_in, true)) {
    refuse("its counts are not as many as ranks");
  }
  if (what.root < 0 || what.root >= what.ranks) refuse("its root is no rank of the communicator");
}

void Interpreter::check(const schedule::Collective& what, const schedule::TwoGroups& groups) const {
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

void Interpreter::start_collective(Request& started, const event::Collective& start) {
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

std::optional<Task> Interpreter::act(const event::Collective& start) {
  if (start.operation >= recorded_.collectives.size()) refuse("there is no such operation");
  Request& started = request(rank_.request_of(at_, start.request));
  if (started.task && !started.done) refuse("its request is still in use");
  started.kind = Request::Kind::collective;
  start_collective(started, start);
  rank_.has_started(at_);
  return go_on(started, start.request);
}

/// Of threads that make communicators of the same ranks at once each has a meeting of its own.
Task Interpreter::act(const event::Meet& meet) {
  const trace::Communicator& made = communicator(meet.context);
  std::vector<std::int32_t> members = made.members;
  members.insert(members.end(), made.others.begin(), made.others.end());
  const int meeting = static_cast<int>(meet.context);
  co_await process_.until([&] { return process_.synchronise(members, meeting); });
}

}  // namespace commgauge::replay
