#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "commgauge/schedule/schedule.hpp"

/// Carries schedules out for all ranks at once, on symbols instead of data.
namespace commgauge::schedule::symbolic {

/// What a unit holds: the contributions to it, in the order in which they were put together. Empty:
/// nothing was put there.
using Value = std::vector<int>;
using Values = std::vector<Value>;

/// A contribution of a rank: unit `index` of what it has for `block`.
inline int symbol(int rank, int block, std::uint64_t index) {
  return (rank * 100 + block) * 1000 + static_cast<int>(index);
}

/// What ranks have to do, and how far they are.
class Machine {
 public:
  explicit Machine(std::vector<Schedule> schedules) : schedules_{std::move(schedules)} {
    for (const Schedule& schedule : schedules_) {
      Rank& rank = ranks_.emplace_back();
      for (const std::uint64_t size : schedule.buffers) rank.buffers.emplace_back(size);
    }
    for (int rank = 0; rank < size(); ++rank) {
      int number = 0;
      for (const Block& block : schedules_[at(rank)].gives) {
        for (std::uint64_t i = 0; i < block.count; ++i) {
          unit(rank, block, i) = {symbol(rank, number, i)};
        }
        ++number;
      }
    }
  }

  /// Until nobody can go on; a send waits until its receive has been started.
  void run() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (int rank = 0; rank < size(); ++rank) goes_on = advance(rank) || goes_on;
    }
    for (int rank = 0; rank < size(); ++rank) {
      EXPECT_EQ(ranks_[at(rank)].next, schedules_[at(rank)].steps.size()) << "rank " << rank;
    }
    for (const auto& [pair, channel] : channels_) {
      EXPECT_EQ(channel.sent.size(), channel.asked.size()) << pair.first << " to " << pair.second;
    }
  }

  /// What a rank gets, one block after the other.
  Values results(int rank) {
    Values values;
    for (const Block& block : schedules_[at(rank)].gets) {
      for (std::uint64_t i = 0; i < block.count; ++i) values.push_back(unit(rank, block, i));
    }
    return values;
  }

  [[nodiscard]] int size() const { return static_cast<int>(schedules_.size()); }

 private:
  struct Rank {
    std::vector<Values> buffers;
    std::size_t next{};     ///< step
    std::size_t started{};  ///< steps, of its round
  };
  struct Channel {
    std::vector<Values> sent;
    std::vector<Block> asked;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Value& unit(int rank, const Block& block, std::uint64_t i) {
    return ranks_[at(rank)].buffers.at(at(block.buffer)).at(block.offset + i);
  }
  Values read(int rank, const Block& block) {
    Values values;
    for (std::uint64_t i = 0; i < block.count; ++i) values.push_back(unit(rank, block, i));
    return values;
  }
  void write(int rank, const Block& block, const Values& values) {
    ASSERT_EQ(block.count, values.size());
    for (std::uint64_t i = 0; i < block.count; ++i) unit(rank, block, i) = values[i];
  }
  Channel& channel(int rank, const Step& step) {
    const bool sends = step.kind == Step::Kind::send;
    return channels_[{sends ? rank : step.peer, sends ? step.peer : rank}];
  }

  /// @return whether the rank could do something
  bool advance(int rank) {
    const std::vector<Step>& steps = schedules_[at(rank)].steps;
    Rank& self = ranks_[at(rank)];
    if (self.next == steps.size()) return false;
    if (!steps[self.next].is_message()) {
      act(rank, steps[self.next++]);
      return true;
    }
    const auto end = static_cast<std::size_t>(
        std::find_if(steps.begin() + static_cast<long>(self.next), steps.end(),
                     [&](const Step& s) { return s.round != steps[self.next].round; }) -
        steps.begin());
    const bool is_new = self.started <= self.next;
    if (is_new) start(rank, self.next, end);
    self.started = end;
    if (!is_over(rank, self.next, end)) return is_new;
    deliver(rank, self.next, end);
    self.next = end;
    return true;
  }

  void act(int rank, const Step& step) {
    const Values here = read(rank, step.here);
    Values there = read(rank, step.there);
    if (step.kind == Step::Kind::copy) return write(rank, step.there, here);
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_FALSE(here[i].empty() || there[i].empty()) << "reduces what isn't there";
      there[i].insert(there[i].begin(), here[i].begin(), here[i].end());
    }
    write(rank, step.there, there);
  }

  void start(int rank, std::size_t first, std::size_t last) {
    numbers_[at(rank)].clear();
    for (std::size_t k = first; k < last; ++k) {
      const Step& step = schedules_[at(rank)].steps[k];
      ASSERT_TRUE(step.is_message() && step.peer != rank && step.peer >= 0 && step.peer < size());
      Channel& c = channel(rank, step);
      if (step.kind == Step::Kind::send) {
        c.sent.push_back(read(rank, step.here));
        numbers_[at(rank)].push_back(c.sent.size());
      } else {
        c.asked.push_back(step.here);
        numbers_[at(rank)].push_back(c.asked.size());
      }
    }
  }
  bool is_over(int rank, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const Channel& c = channel(rank, schedules_[at(rank)].steps[k]);
      if (std::min(c.sent.size(), c.asked.size()) < numbers_[at(rank)][k - first]) return false;
    }
    return true;
  }
  void deliver(int rank, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const Step& step = schedules_[at(rank)].steps[k];
      if (step.kind != Step::Kind::receive) continue;
      write(rank, step.here, channel(rank, step).sent[numbers_[at(rank)][k - first] - 1]);
    }
  }

  std::vector<Schedule> schedules_;
  std::vector<Rank> ranks_;
  std::map<std::pair<int, int>, Channel> channels_;
  std::map<std::size_t, std::vector<std::size_t>> numbers_;  ///< of a rank's messages in channels
};

/// What each rank gets. @param what  as each rank calls it, or one for all
inline std::vector<Values> results(const std::vector<Collective>& what, Algorithm algorithm) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < what.front().ranks; ++rank) {
    const Collective& own = what.size() == 1 ? what.front() : what[static_cast<std::size_t>(rank)];
    schedules.push_back(schedule_of(own, algorithm, rank));
  }
  Machine machine(std::move(schedules));
  machine.run();
  std::vector<Values> all;
  for (int rank = 0; rank < machine.size(); ++rank) all.push_back(machine.results(rank));
  return all;
}

/// Numbers of ranks that tests go through.
inline std::vector<int> numbers_of_ranks() {
  std::vector<int> numbers(17);
  std::iota(numbers.begin(), numbers.end(), 1);
  numbers.push_back(33);
  return numbers;
}

inline std::vector<int> roots(int ranks) {
  const std::set<int> some{0, ranks / 2, ranks - 1};
  return {some.begin(), some.end()};
}

/// Of each rank another, some none.
inline std::vector<std::uint64_t> uneven(int ranks) {
  std::vector<std::uint64_t> counts;
  for (int rank = 0; rank < ranks; ++rank) {
    counts.push_back(static_cast<std::uint64_t>(rank * 7 % 4));
  }
  return counts;
}

/// Units [first, last) of the ranks' sum.
inline Values reduced(int ranks, std::uint64_t first, std::uint64_t last) {
  Values values;
  for (std::uint64_t i = first; i < last; ++i) {
    Value& value = values.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) value.push_back(symbol(rank, 0, i));
  }
  return values;
}

/// For operators to which the order is nothing.
inline Values sorted(Values values) {
  for (Value& value : values) std::ranges::sort(value);
  return values;
}

/// Calls check(collective, algorithm) for each algorithm of the operation, number of ranks, root
/// and order that it can be used with.
template <class Check>
void for_each_case(Operation operation, bool has_root, Check&& check) {
  for (const Algorithm algorithm : algorithms_of(operation)) {
    for (const int n : numbers_of_ranks()) {
      for (const int root : has_root ? roots(n) : std::vector<int>{0}) {
        for (const bool is_commutative : {true, false}) {
          Collective what{operation, n, root};
          what.is_commutative = is_commutative;
          if (!is_possible(what, algorithm)) continue;
          if (!is_commutative && !is_reduction(operation)) continue;
          SCOPED_TRACE(to_text(operation) + " " + to_text(algorithm) + ", " + std::to_string(n) +
                       " ranks, root " + std::to_string(root) +
                       (is_commutative ? "" : ", not commutative"));
          check(what, algorithm);
        }
      }
    }
  }
}

}  // namespace commgauge::schedule::symbolic
