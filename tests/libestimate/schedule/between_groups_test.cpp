#include "commgauge/schedule/between_groups.hpp"

#include "symbolic.hpp"

namespace commgauge::schedule::between_groups_test {

using namespace symbolic;

using Counts = std::vector<std::uint64_t>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A schedule in which the first group's ranks come first, whoever's it is.
Schedule renumbered(Schedule schedule, int rank, int first, int second) {
  if (rank < first) return schedule;
  for (Step& step : schedule.steps) {
    if (step.peer >= 0) step.peer = step.peer < second ? first + step.peer : step.peer - second;
  }
  return schedule;
}

/// What each rank of both groups gets, those of the first group first.
/// @param call  (rank among all) → what it calls
template <class Call>
std::vector<Values> results(int first, int second, const Choice& choice, Call&& call) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < first + second; ++rank) {
    const bool is_first = rank < first;
    const TwoGroups groups{is_first ? first : second, is_first ? second : first, is_first};
    const int own = is_first ? rank : rank - first;
    schedules.push_back(
        renumbered(between_groups(call(rank), groups, own, choice), rank, first, second));
  }
  Machine machine(std::move(schedules));
  machine.run();
  std::vector<Values> all;
  for (int rank = 0; rank < machine.size(); ++rank) all.push_back(machine.results(rank));
  return all;
}

/// Calls check(ranks of the first group, of the second, choice).
template <class Check>
void for_each_pair(Check&& check) {
  for (const char* const words : {"mpich", "ompi", "trees", "flat"}) {
    for (const int first : {1, 2, 3, 4, 7}) {
      for (const int second : {1, 2, 3, 5, 8}) {
        SCOPED_TRACE(std::string{words} + ", " + std::to_string(first) + " and " +
                     std::to_string(second));
        check(first, second, choice_from(words));
      }
    }
  }
}

/// The same with a root in either group. @param check  (..., root among all)
template <class Check>
void for_each_root(Check&& check) {
  for_each_pair([&](int first, int second, const Choice& choice) {
    for (const int root : {0, first - 1, first, first + second - 1}) {
      SCOPED_TRACE("root " + std::to_string(root));
      check(first, second, choice, root);
    }
  });
}

/// As a rank calls it, of all.
int root_for(int rank, int root, int first) {
  if ((rank < first) != (root < first)) return root < first ? root : root - first;
  return rank == root ? root_is_caller : root_is_beside;
}

/// Ranks [from, from + count) put their units [0, units) together, or those from `start` on.
Values sum(int from, int count, std::uint64_t units, std::uint64_t start = 0) {
  Values values;
  for (std::uint64_t i = start; i < start + units; ++i) {
    Value& value = values.emplace_back();
    for (int rank = from; rank < from + count; ++rank) value.push_back(symbol(rank, 0, i));
  }
  return values;
}

Values block(int rank, int number, std::uint64_t units) {
  Values values;
  for (std::uint64_t i = 0; i < units; ++i) values.push_back({symbol(rank, number, i)});
  return values;
}

Values in_a_row(int from, int count, int number, std::uint64_t units) {
  Values values;
  for (int rank = from; rank < from + count; ++rank) {
    for (const Value& value : block(rank, number, units)) values.push_back(value);
  }
  return values;
}

TEST(BetweenGroups, ABarrierEndsAndNobodyGetsAnything) {
  for_each_pair([](int first, int second, const Choice& choice) {
    for (const Values& values :
         results(first, second, choice, [](int) { return Collective{Operation::barrier}; })) {
      EXPECT_TRUE(values.empty());
    }
  });
}

TEST(BetweenGroups, ABroadcastReachesTheOtherGroup) {
  for_each_root([](int first, int second, const Choice& choice, int root) {
    const auto all = results(first, second, choice, [&](int rank) {
      return Collective{Operation::bcast, 0, root_for(rank, root, first), {3}};
    });
    for (int rank = 0; rank < first + second; ++rank) {
      const bool gets = (rank < first) != (root < first);
      EXPECT_EQ(all[at(rank)], gets ? block(root, 0, 3) : Values{}) << "rank " << rank;
    }
  });
}

TEST(BetweenGroups, ARootGetsTheOthersSum) {
  for_each_root([](int first, int second, const Choice& choice, int root) {
    const auto all = results(first, second, choice, [&](int rank) {
      return Collective{Operation::reduce, 0, root_for(rank, root, first), {5}};
    });
    const Values expected = root < first ? sum(first, second, 5) : sum(0, first, 5);
    for (int rank = 0; rank < first + second; ++rank) {
      EXPECT_EQ(sorted(all[at(rank)]), rank == root ? expected : Values{}) << "rank " << rank;
    }
  });
}

TEST(BetweenGroups, AllGetTheOthersSumInOrder) {
  for_each_pair([](int first, int second, const Choice& choice) {
    const auto all = results(first, second, choice, [&](int) {
      Collective what{Operation::allreduce, 0, 0, {4}};
      what.is_commutative = false;
      return what;
    });
    for (int rank = 0; rank < first + second; ++rank) {
      EXPECT_EQ(all[at(rank)], rank < first ? sum(first, second, 4) : sum(0, first, 4));
    }
  });
}

TEST(BetweenGroups, ARootGathersFromTheOthers) {
  for (const auto operation : {Operation::gather, Operation::gatherv}) {
    for (const std::uint64_t units : {2, 900}) {
      for_each_root([&](int first, int second, const Choice& choice, int root) {
        // Long blocks go directly, whatever the choice.
        if (units > 2 && choice.by != Deciders::flat) return;
        const int from = root < first ? first : 0;
        const int givers = root < first ? second : first;
        const auto all = results(first, second, choice, [&](int rank) {
          Collective what{operation, 0, root_for(rank, root, first), {units}};
          if (operation == Operation::gatherv && rank == root)
            what.counts = Counts(at(givers), units);
          return what;
        });
        for (int rank = 0; rank < first + second; ++rank) {
          EXPECT_EQ(all[at(rank)], rank == root ? in_a_row(from, givers, 0, units) : Values{});
        }
      });
    }
  }
}

TEST(BetweenGroups, ARootScattersToTheOthers) {
  for (const auto operation : {Operation::scatter, Operation::scatterv}) {
    for (const std::uint64_t units : {2, 900}) {
      for_each_root([&](int first, int second, const Choice& choice, int root) {
        // Long blocks go directly, whatever the choice.
        if (units > 2 && choice.by != Deciders::flat) return;
        const auto all = results(first, second, choice, [&](int rank) {
          Collective what{operation, 0, root_for(rank, root, first), {units}};
          if (operation == Operation::scatterv && rank == root) {
            what.counts = Counts(at(root < first ? second : first), units);
          }
          return what;
        });
        for (int rank = 0; rank < first + second; ++rank) {
          const bool gets = (rank < first) != (root < first);
          const int place = rank < first ? rank : rank - first;
          EXPECT_EQ(all[at(rank)], gets ? block(root, place, units) : Values{}) << "rank " << rank;
        }
      });
    }
  }
}

TEST(BetweenGroups, AllGetWhatTheOthersHave) {
  for (const auto operation : {Operation::allgather, Operation::allgatherv}) {
    for_each_pair([&](int first, int second, const Choice& choice) {
      // One side may give nothing.
      for (const std::uint64_t seconds : {0, 3}) {
        const auto all = results(first, second, choice, [&](int rank) {
          const bool is_first = rank < first;
          Collective what{operation, 0, 0, {is_first ? 2 : seconds}};
          what.counts_in =
              Counts(operation == Operation::allgather ? 1 : at(is_first ? second : first),
                     is_first ? seconds : 2);
          return what;
        });
        for (int rank = 0; rank < first + second; ++rank) {
          EXPECT_EQ(all[at(rank)],
                    rank < first ? in_a_row(first, second, 0, seconds) : in_a_row(0, first, 0, 2));
        }
      }
    });
  }
}

TEST(BetweenGroups, EachHasABlockForEachOfTheOthers) {
  for (const auto operation : {Operation::alltoall, Operation::alltoallv}) {
    for_each_pair([&](int first, int second, const Choice& choice) {
      const auto all = results(first, second, choice, [&](int rank) {
        const bool is_first = rank < first;
        const std::size_t many =
            operation == Operation::alltoall ? 1 : at(is_first ? second : first);
        Collective what{operation, 0, 0, Counts(many, is_first ? 2 : 3)};
        what.counts_in = Counts(many, is_first ? 3 : 2);
        return what;
      });
      for (int rank = 0; rank < first + second; ++rank) {
        EXPECT_EQ(all[at(rank)], rank < first ? in_a_row(first, second, rank, 3)
                                              : in_a_row(0, first, rank - first, 2));
      }
    });
  }
}

TEST(BetweenGroups, EachGetsItsPartOfTheOthersSum) {
  for_each_pair([](int first, int second, const Choice& choice) {
    // Both sides have as many elements: as many as both have ranks together, in parts.
    const auto counts = [&](bool is_first) {
      const int own = is_first ? first : second;
      Counts result(at(own), static_cast<std::uint64_t>(is_first ? second : first));
      return result;
    };
    const auto all = results(first, second, choice, [&](int rank) {
      return Collective{Operation::reduce_scatter, 0, 0, counts(rank < first)};
    });
    for (int rank = 0; rank < first + second; ++rank) {
      const bool is_first = rank < first;
      const auto part = static_cast<std::uint64_t>(is_first ? second : first);
      const auto start = static_cast<std::uint64_t>(is_first ? rank : rank - first) * part;
      EXPECT_EQ(sorted(all[at(rank)]),
                is_first ? sum(first, second, part, start) : sum(0, first, part, start));
    }
  });
}

TEST(BetweenGroups, ABroadcastIsOneMessageAndATree) {
  const Collective what{Operation::bcast, 0, 2, {10}};
  const Schedule leader = between_groups(what, {4, 3, false}, 0, choice_from("trees"));
  ASSERT_GE(leader.steps.size(), 3U);
  EXPECT_EQ(leader.steps[0].kind, Step::Kind::receive);
  EXPECT_EQ(leader.steps[0].peer, 4 + 2) << "the root, behind the four of the group";
  std::vector<int> told;
  for (const Step& step : leader.steps) {
    if (step.kind == Step::Kind::send) told.push_back(step.peer);
  }
  EXPECT_EQ(told, (std::vector<int>{2, 1}));
}

TEST(BetweenGroups, AllToAllsExchangeInTurn) {
  for (const Operation operation : all_operations()) {
    if (operation == Operation::scan || operation == Operation::exscan) continue;
    Collective what;
    what.operation = operation;
    what.counts = {5};
    const bool is_all_to_all =
        operation == Operation::alltoall || operation == Operation::alltoallv;
    EXPECT_EQ(between_groups(what, {3, 2, true}, 1, Choice{}).is_in_turn, is_all_to_all)
        << to_text(operation);
  }
}

}  // namespace commgauge::schedule::between_groups_test
