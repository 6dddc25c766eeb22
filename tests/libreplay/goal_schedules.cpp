#include "goal_schedules.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace commgauge::goals {
namespace {

using namespace trace;
using Index = std::uint32_t;
using Kind = GoalOperation::Kind;

/// Adds to the operations of one rank.
class Writer {
 public:
  explicit Writer(GoalRank& rank) : rank_{rank} {}
  Index send(std::uint32_t to, std::uint64_t bytes, std::uint32_t tag = 0) {
    return add({Kind::send, 0, 0, to, tag, bytes});
  }
  Index receive(std::uint32_t from, std::uint64_t bytes, std::uint32_t tag = 0) {
    return add({Kind::receive, 0, 0, from, tag, bytes});
  }
  Index compute(std::uint64_t ns, std::uint8_t cpu = 0) {
    return add({Kind::compute, cpu, 0, 0, 0, ns});
  }
  void after_end(Index operation, Index on) { depend(operation, on, {}); }
  void after_start(Index operation, Index on) {
    depend(operation, on, GoalDependency::Kind::requires_start);
  }
  [[nodiscard]] Index operations() const { return static_cast<Index>(rank_.operations.size()); }

 private:
  Index add(const GoalOperation& operation) {
    rank_.operations.push_back(operation);
    return operations() - 1;
  }
  void depend(Index operation, Index on, GoalDependency::Kind kind) {
    rank_.dependencies.push_back({operation, on, kind});
  }
  GoalRank& rank_;
};

}  // namespace

Goal dissemination(std::uint32_t ranks, std::uint64_t bytes) {
  Goal goal{std::vector<GoalRank>(ranks)};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Writer writer{goal.ranks[rank]};
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
      const Index sent = writer.send((rank + distance) % ranks, bytes);
      if (distance > 1) writer.after_end(sent, sent - 1);
      writer.receive((rank + ranks - distance) % ranks, bytes);
    }
  }
  return goal;
}

Goal binomial_tree(std::uint32_t ranks, std::uint64_t bytes) {
  Goal goal{std::vector<GoalRank>(ranks)};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Writer writer{goal.ranks[rank]};
    const std::uint32_t own = std::bit_floor(rank);
    if (rank > 0) writer.receive(rank - own, bytes);
    for (std::uint32_t distance = rank == 0 ? 1 : 2 * own; rank + distance < ranks; distance *= 2) {
      const Index sent = writer.send(rank + distance, bytes);
      if (rank > 0) writer.after_end(sent, 0);
    }
  }
  return goal;
}

Goal ring(std::uint32_t ranks, std::uint32_t rounds, std::uint64_t bytes) {
  Goal goal{std::vector<GoalRank>(ranks)};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Writer writer{goal.ranks[rank]};
    const auto add = [&](Index next) {
      if (next > 0) writer.after_end(next, next - 1);
    };
    for (std::uint32_t round = 0; round < rounds; ++round) {
      if (rank > 0) add(writer.receive(rank - 1, bytes));
      add(writer.compute(1000 + 10 * rank));
      add(writer.send((rank + 1) % ranks, bytes));
      if (rank == 0) add(writer.receive(ranks - 1, bytes));
    }
  }
  return goal;
}

Goal linear_all_to_all(std::uint32_t ranks, std::uint64_t bytes) {
  Goal goal{std::vector<GoalRank>(ranks)};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Writer writer{goal.ranks[rank]};
    for (std::uint32_t step = 1; step < ranks; ++step) {
      writer.send((rank + step) % ranks, bytes);
      writer.receive((rank + ranks - step) % ranks, bytes);
    }
  }
  return goal;
}

Goal overlap(std::uint32_t ranks, std::uint32_t rounds, std::uint64_t bytes) {
  Goal goal{std::vector<GoalRank>(ranks)};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    Writer writer{goal.ranks[rank]};
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const Index first = writer.operations();
      writer.receive((rank + ranks - 1) % ranks, bytes, 1);
      writer.receive((rank + 1) % ranks, bytes, 2);
      writer.send((rank + 1) % ranks, bytes, 1);
      writer.send((rank + ranks - 1) % ranks, bytes, 2);
      const Index computing = writer.compute(3000 + 500 * rank);
      for (Index i = first + 1; i <= computing; ++i) writer.after_start(i, i - 1);
      const Index after = writer.compute(10);
      for (Index i = first; i <= computing; ++i) writer.after_end(after, i);
      if (round > 0) writer.after_end(first, first - 1);
    }
    const Index other = writer.compute(2000, 1);
    writer.after_end(writer.compute(3000, 1), other);
  }
  return goal;
}

Goal any_source(std::uint32_t ranks, std::uint64_t bytes) {
  Goal goal{std::vector<GoalRank>(ranks)};
  Writer master{goal.ranks[0]};
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    const Index got = master.receive(goal_any, bytes, rank % 2 == 0 ? goal_any : 7);
    if (got > 0) master.after_end(got, got - 1);
    Writer writer{goal.ranks[rank]};
    writer.after_end(writer.send(0, bytes, 7), writer.compute(10000 / rank));
    writer.after_end(writer.receive(0, bytes, 8), 1);
  }
  const Index last = master.operations() - 1;
  for (std::uint32_t rank = 1; rank < ranks; ++rank)
    master.after_end(master.send(rank, bytes, 8), last);
  return goal;
}

Goal random_goal(std::uint32_t seed) {
  std::mt19937 engine{seed};
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); };
  const std::uint32_t ranks = 2 + below(9);
  Goal goal{std::vector<GoalRank>(ranks)};
  const auto depend = [&](std::uint32_t rank, Index added) {
    Writer writer{goal.ranks[rank]};
    for (std::uint32_t many = below(3); many > 0 && added > 0; --many) {
      const Index on = added - 1 - below(std::min(added, 6U));
      below(3) == 0 ? writer.after_start(added, on) : writer.after_end(added, on);
    }
  };
  for (int left = 100; left > 0; --left) {
    const std::uint32_t from = below(ranks);
    const std::uint32_t to = below(ranks);
    const std::uint32_t tag = below(3);
    if (from == to || below(5) == 0) {
      depend(from, Writer{goal.ranks[from]}.compute(below(5000)));
      continue;
    }
    const std::uint64_t bytes = std::uint64_t{1} << (from + 2 * to + 5 * tag + seed) % 18;
    depend(from, Writer{goal.ranks[from]}.send(to, bytes, tag));
    depend(to, Writer{goal.ranks[to]}.receive(from, bytes, tag));
  }
  return goal;
}

std::map<std::string, Goal> stored_schedules() {
  std::map<std::string, Goal> goals{
      {"dissemination-13", dissemination(13, 1)},
      {"dissemination-16-large", dissemination(16, 100000)},
      {"dissemination-64", dissemination(64, 8)},
      {"binomial-tree-16", binomial_tree(16, 1)},
      {"binomial-tree-11-large", binomial_tree(11, 200000)},
      {"ring-8", ring(8, 3, 1000)},
      {"ring-5-large", ring(5, 2, 70000)},
      {"linear-all-to-all-12", linear_all_to_all(12, 400)},
      {"linear-all-to-all-16-large", linear_all_to_all(16, 80000)},
      {"overlap-6", overlap(6, 3, 300)},
      {"overlap-7-large", overlap(7, 2, 66000)},
      {"any-source-9", any_source(9, 600)},
      {"any-source-6-large", any_source(6, 90000)},
  };
  for (const std::uint32_t seed : {2U, 3U, 4U, 5U})
    goals["random-" + std::to_string(seed)] = random_goal(seed);
  return goals;
}

}  // namespace commgauge::goals
