#include "commgauge/schedule/choice.hpp"

#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"

namespace commgauge::schedule::choice_test {

Collective bytes(Operation operation, int ranks, std::uint64_t count) {
  Collective what;
  what.operation = operation;
  what.ranks = ranks;
  what.counts = {count};
  return what;
}
Collective doubles(Operation operation, int ranks, std::uint64_t count) {
  Collective what = bytes(operation, ranks, count);
  what.unit = {8};
  return what;
}

TEST(Choice, WhatIsTakenIsPossible) {
  for (const Deciders by : {Deciders::mpich, Deciders::ompi, Deciders::trees, Deciders::flat}) {
    for (const Operation operation : all_operations()) {
      for (int n = 1; n < 70; ++n) {
        for (const std::uint64_t count : {0, 1, 100, 3000, 10000, 70000, 1 << 20}) {
          for (const int kinds : {0, 1, 2, 3}) {
            Collective what = doubles(operation, n, count);
            what.is_commutative = (kinds & 1) == 0;
            what.is_built_in = kinds == 0;
            what.is_in_place = (kinds & 2) != 0;
            EXPECT_TRUE(is_possible(what, algorithm_for({by, {}}, what)))
                << to_text(operation) << " " << n << " " << count << " " << kinds;
          }
        }
      }
    }
  }
}

TEST(Choice, TreesAndFlatAreTheSameAtAllSizes) {
  const Choice trees = choice_from("trees");
  EXPECT_EQ(algorithm_for(trees, doubles(Operation::allreduce, 8, 1 << 20)),
            Algorithm::reduce_bcast);
  EXPECT_EQ(algorithm_for(trees, bytes(Operation::bcast, 8, 0)), Algorithm::binomial);
  const Choice flat = choice_from("flat");
  EXPECT_EQ(algorithm_for(flat, bytes(Operation::gather, 8, 1)), Algorithm::flat);
  EXPECT_EQ(algorithm_for(flat, bytes(Operation::scan, 8, 1)), Algorithm::linear);
}

TEST(Choice, OneByName) {
  const Choice choice = choice_from("trees,allreduce=recursive-doubling,bcast=flat");
  EXPECT_EQ(algorithm_for(choice, doubles(Operation::allreduce, 8, 1)),
            Algorithm::recursive_doubling);
  EXPECT_EQ(algorithm_for(choice, bytes(Operation::bcast, 8, 1)), Algorithm::flat);
  EXPECT_EQ(algorithm_for(choice, bytes(Operation::gather, 8, 1)), Algorithm::binomial);
  const Choice alone = choice_from("allgather=recursive-doubling");
  EXPECT_EQ(alone.by, Deciders::mpich);
  EXPECT_EQ(algorithm_for(alone, bytes(Operation::allgather, 8, 1 << 20)),
            Algorithm::recursive_doubling);
  EXPECT_EQ(algorithm_for(alone, bytes(Operation::allgather, 6, 10)), Algorithm::bruck)
      << "of 6 ranks it can't be";
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    (void)choice_from(text);
    FAIL() << text;
  } catch (const InputError& error) {
    EXPECT_NE(std::string{error.what()}.find(words), std::string::npos) << error.what();
  }
}

TEST(Choice, WhatIsUnknownIsRefusedWithTheList) {
  expect_refused("mpch", "mpich, ompi, trees or flat");
  expect_refused("allgather=ring,trees", "'trees' says nothing");
  expect_refused("reduceall=ring", "no collective operation is called 'reduceall'");
  expect_refused("allreduce=rings", "take recursive-doubling, reduce-scatter-allgather");
  expect_refused("bcast=flat,bcast=binomial", "bcast has two algorithms");
}

}  // namespace commgauge::schedule::choice_test
