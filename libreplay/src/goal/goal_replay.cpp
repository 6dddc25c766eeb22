#include "commgauge/replay/goal/goal_replay.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "goal/goal_events.hpp"
#include "goal/goal_graph.hpp"
#include "goal/goal_matching.hpp"

namespace commgauge::replay {
namespace {

using namespace detail;
using trace::Goal;
using trace::GoalOperation;
using Kind = GoalOperation::Kind;
using Time = std::uint64_t;

/// Per byte counts what follows the first one. A message without data costs as one of a byte.
Time per_byte(std::uint64_t size, Time each) { return size > 0 ? (size - 1) * each : 0; }

class Replay {
 public:
  Replay(const Goal& goal, const LogGops& parameters)
      : parameters_{parameters},
        graph_{goal},
        matching_{graph_},
        cpus_(goal.ranks.size() * graph_.cpus),
        nics_out_(goal.ranks.size() * graph_.nics),
        nics_in_(nics_out_),
        lanes_(goal.ranks.size() * lanes_of_rank()) {}

  GoalTimes run();

 private:
  void begin_all();
  void happen(const Event& event);
  void compute(const Event& event);
  void send(const Event& event);
  void receive(const Event& event);
  void arrive(const Event& event);

  void start(Index i, Time now) { fulfil(graph_.after_start(i), now); }
  void end(Index i, Time then);
  void end_rendezvous(Index message, Time now);
  void fulfil(std::span<const Index> dependents, Time then);
  void begin_freed();
  void begin(std::span<Index> freed);
  [[nodiscard]] Time earliest(const Node& node);

  void check_end() const;

  // What a rank has, and when it is free.
  Time& cpu(std::uint32_t rank, const GoalOperation& of) {
    return cpus_[std::size_t{rank} * graph_.cpus + of.cpu];
  }
  Time& nic_out(std::uint32_t rank, const GoalOperation& of) {
    return nics_out_[std::size_t{rank} * graph_.nics + of.nic];
  }
  Time& nic_in(std::uint32_t rank, const GoalOperation& of) {
    return nics_in_[std::size_t{rank} * graph_.nics + of.nic];
  }

  // Lanes of a rank: of each cpu those that compute, of each cpu and nic those out and in.
  [[nodiscard]] std::size_t lanes_of_rank() const {
    return std::size_t{graph_.cpus} + 2 * std::size_t{graph_.places};
  }
  Lane& lane_computing(const Node& node) {
    return lanes_[node.rank * lanes_of_rank() + node.operation.cpu];
  }
  Lane& lane_out(const Node& send) {
    return lanes_[send.rank * lanes_of_rank() + graph_.cpus + send.place];
  }
  Lane& lane_in(const Node& send) {
    return lanes_[send.operation.peer * lanes_of_rank() + graph_.cpus + graph_.places + send.place];
  }

  const LogGops& parameters_;
  Graph graph_;
  GoalMatching matching_;
  std::vector<Time> cpus_;
  std::vector<Time> nics_out_;
  std::vector<Time> nics_in_;
  std::vector<Lane> lanes_;
  EventQueue queue_;
  std::vector<Index> freed_;  ///< by the event that happens
  std::uint32_t order_{};
  std::size_t ended_{};
};

GoalTimes Replay::run() {
  begin_all();
  while (!queue_.empty()) {
    const Event event = queue_.pop();
    happen(event);
    begin_freed();
  }
  check_end();
  GoalTimes times;
  times.events = order_;
  for (auto first = cpus_.begin(); first != cpus_.end(); first += graph_.cpus)
    times.ends_ns.push_back(*std::max_element(first, first + graph_.cpus));
  return times;
}

void Replay::happen(const Event& event) {
  if (event.is_message()) return arrive(event);
  switch (graph_.nodes[event.index()].operation.kind) {
    case Kind::compute:
      return compute(event);
    case Kind::send:
      return send(event);
    case Kind::receive:
      return receive(event);
  }
}

void Replay::compute(const Event& event) {
  const Node& node = graph_.nodes[event.index()];
  Time& free = cpu(node.rank, node.operation);
  Lane& waiting = lane_computing(node);
  if (free > event.time) return waiting.wait(event, free, queue_);
  free = event.time + node.operation.size;
  start(event.index(), event.time);
  end(event.index(), free);
  waiting.pass(event, free, queue_);
}

void Replay::send(const Event& event) {
  const Node& node = graph_.nodes[event.index()];
  const GoalOperation& operation = node.operation;
  Time& processor = cpu(node.rank, operation);
  Time& nic = nic_out(node.rank, operation);
  Lane& waiting = lane_out(node);
  if (const Time free = std::max(processor, nic); free > event.time)
    return waiting.wait(event, free, queue_);
  const LogGops& p = parameters_;
  start(event.index(), event.time);
  processor = event.time + p.overhead_ns + per_byte(operation.size, p.overhead_per_byte_ns);
  nic = event.time + p.gap_ns + per_byte(operation.size, p.gap_per_byte_ns);
  queue_.push(Event::message(event.time + p.overhead_ns + p.latency_ns, order_++, event.index()));
  if (operation.size <= p.eager_bytes) end(event.index(), processor);
  waiting.pass(event, std::max(processor, nic), queue_);
}

/// Costs nothing: what a message costs its receiver is paid when it arrives.
void Replay::receive(const Event& event) {
  start(event.index(), event.time);
  const Index message = matching_.post(event.index());
  if (message == no_index) return;
  end_rendezvous(message, event.time);
  end(event.index(), std::max(event.time, graph_.nodes[message].time));
}

void Replay::arrive(const Event& event) {
  Node& message = graph_.nodes[event.index()];
  const GoalOperation& operation = message.operation;
  Time& processor = cpu(operation.peer, operation);
  Time& nic = nic_in(operation.peer, operation);
  Lane& waiting = lane_in(message);
  if (const Time free = std::max(processor, nic); free > event.time)
    return waiting.wait(event, free, queue_);
  const LogGops& p = parameters_;
  const Time bytes = per_byte(operation.size, p.gap_per_byte_ns);
  processor = event.time + p.overhead_ns +
              std::max(bytes, per_byte(operation.size, p.overhead_per_byte_ns));
  nic = event.time + p.gap_ns + bytes;
  message.time = processor;
  waiting.pass(event, std::max(processor, nic), queue_);
  const Index receive = matching_.arrive(event.index());
  if (receive == no_index) return;
  end_rendezvous(event.index(), event.time);
  end(receive, processor);
}

void Replay::end(Index i, Time then) {
  graph_.nodes[i].has_ended = true;
  ++ended_;
  fulfil(graph_.after_end(i), then);
}

/// The sender of a rendezvous message has waited until now.
void Replay::end_rendezvous(Index message, Time now) {
  const Node& node = graph_.nodes[message];
  if (node.operation.size <= parameters_.eager_bytes) return;
  Time& processor = cpu(node.rank, node.operation);
  Time& nic = nic_out(node.rank, node.operation);
  processor = std::max(processor, now);
  nic = std::max(nic, now);
  end(message, now);
}

void Replay::fulfil(std::span<const Index> dependents, Time then) {
  for (const Index i : dependents) {
    Node& node = graph_.nodes[i];
    node.time = std::max(node.time, then);
    if (--node.awaits == 0) freed_.push_back(i);
  }
}

void Replay::begin_all() {
  const auto& first = graph_.first;
  for (std::size_t rank = 0; rank + 1 < first.size(); ++rank) {
    for (Index i = first[rank]; i < first[rank + 1]; ++i)
      if (graph_.nodes[i].awaits == 0) freed_.push_back(i);
    begin(freed_);
    freed_.clear();
  }
}

/// Of one rank, or of both ends of a rendezvous message: first the lower rank's.
void Replay::begin_freed() {
  if (freed_.empty()) return;
  const auto rank_of = [&](Index i) { return graph_.nodes[i].rank; };
  const auto by_rank = [&](Index a, Index b) { return rank_of(a) < rank_of(b); };
  if (!std::is_sorted(freed_.begin(), freed_.end(), by_rank))
    std::stable_sort(freed_.begin(), freed_.end(), by_rank);
  const auto second = std::upper_bound(freed_.begin(), freed_.end(), freed_.front(), by_rank);
  begin({freed_.begin(), second});
  begin({second, freed_.end()});
  freed_.clear();
}

/// Sends come first, then receives, then computing; within these the order is what std::sort, which
/// isn't stable, makes of it: LogGOPSim's order, where more than 16 operations begin at once.
void Replay::begin(std::span<Index> freed) {
  if (freed.size() > 1)
    std::sort(freed.begin(), freed.end(), [&](Index a, Index b) {
      return graph_.nodes[a].operation.kind < graph_.nodes[b].operation.kind;
    });
  for (const Index i : freed) queue_.push(Event::operation(earliest(graph_.nodes[i]), order_++, i));
}

Time Replay::earliest(const Node& node) {
  const Time time = std::max(node.time, cpu(node.rank, node.operation));
  const bool is_send = node.operation.kind == Kind::send;
  return is_send ? std::max(time, nic_out(node.rank, node.operation)) : time;
}

std::string text_of(const GoalOperation& operation) {
  const auto name = [](std::uint32_t number) {
    return number == trace::goal_any ? "any" : std::to_string(number);
  };
  if (operation.kind == Kind::compute) return "computing";
  return (operation.kind == Kind::send ? "a send to " : "a receive from ") + name(operation.peer) +
         ", tag " + name(operation.tag);
}

void Replay::check_end() const {
  const auto stuck = std::find_if(graph_.nodes.begin(), graph_.nodes.end(), [](const Node& node) {
    return !node.has_ended && node.awaits == 0;
  });
  const std::size_t left = graph_.nodes.size() - ended_;
  if (stuck != graph_.nodes.end())
    throw InputError(std::to_string(left) + " operations never end (rank " +
                     std::to_string(stuck->rank) + " waits in " + text_of(stuck->operation) +
                     ", that has no partner): give each message a send and a receive");
  if (left > 0)
    throw InputError(std::to_string(left) +
                     " operations never begin (they wait for one another): break the circle");
  const Index message = matching_.a_waiting_message();
  if (message == no_index) return;
  const Node& send = graph_.nodes[message];
  throw InputError("a message is never received (" + text_of(send.operation) + " of rank " +
                   std::to_string(send.rank) + "): give it a receive");
}

/// Nothing ends later than the sum of all that takes time.
void check_times(const Goal& goal, const LogGops& p) {
  constexpr double most = 9.0e18;
  const auto number = [](Time time) { return static_cast<double>(time); };
  const double message = 2 * (number(p.overhead_ns) + number(p.gap_ns)) + number(p.latency_ns);
  const double byte = 2 * (number(p.gap_per_byte_ns) + number(p.overhead_per_byte_ns));
  double sum = 0;
  for (const trace::GoalRank& rank : goal.ranks)
    for (const GoalOperation& operation : rank.operations)
      sum += operation.kind == Kind::compute ? number(operation.size)
                                             : message + number(operation.size) * byte;
  if (!(sum < most))
    throw InputError("the schedule takes too long (" + std::to_string(sum * 1e-9) +
                     " s, which 64 bits don't hold in ns): give smaller sizes and parameters");
}

}  // namespace

std::uint64_t GoalTimes::end_ns() const {
  return ends_ns.empty() ? 0 : *std::max_element(ends_ns.begin(), ends_ns.end());
}

GoalTimes replay(const Goal& goal, const LogGops& parameters) {
  check_times(goal, parameters);
  return Replay(goal, parameters).run();
}

}  // namespace commgauge::replay
