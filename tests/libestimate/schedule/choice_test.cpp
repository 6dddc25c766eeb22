#include "commgauge/schedule/choice.hpp"

#include <gtest/gtest.h>

#include "commgauge/base/error.hpp"

namespace commgauge::schedule {
namespace {

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
Algorithm mpich(const Collective& what) { return algorithm_for({}, what); }

TEST(Choice, MpichBroadcastsBySizeAndNumberOfRanks) {
  EXPECT_EQ(mpich(bytes(Operation::bcast, 7, 1 << 20)), Algorithm::binomial);
  EXPECT_EQ(mpich(bytes(Operation::bcast, 8, 12288)), Algorithm::binomial);
  EXPECT_EQ(mpich(bytes(Operation::bcast, 8, 12289)), Algorithm::scatter_recursive_doubling);
  EXPECT_EQ(mpich(bytes(Operation::bcast, 8, 524289)), Algorithm::scatter_ring);
  EXPECT_EQ(mpich(bytes(Operation::bcast, 9, 12289)), Algorithm::scatter_ring);
  EXPECT_EQ(mpich(bytes(Operation::bcast, 9, 0)), Algorithm::none);
}

TEST(Choice, MpichReducesLongVectorsOfItsOwnOperatorsByHalving) {
  Collective what = doubles(Operation::allreduce, 6, 4);
  EXPECT_EQ(mpich(what), Algorithm::reduce_scatter_allgather);
  what.counts = {3};  // fewer than the 4 ranks that halve
  EXPECT_EQ(mpich(what), Algorithm::recursive_doubling);
  what.counts = {1000};
  what.is_built_in = false;
  EXPECT_EQ(mpich(what), Algorithm::recursive_doubling);
  what.counts = {0};
  EXPECT_EQ(mpich(what), Algorithm::none);
  what.is_commutative = false;
  EXPECT_EQ(mpich(what), Algorithm::recursive_doubling);
  EXPECT_EQ(mpich(doubles(Operation::reduce, 6, 256)), Algorithm::binomial);
  EXPECT_EQ(mpich(doubles(Operation::reduce, 6, 257)), Algorithm::reduce_scatter_gather);
}

TEST(Choice, MpichReduceScattersByOrderAndBlocks) {
  Collective what = doubles(Operation::reduce_scatter, 4, 10);
  EXPECT_EQ(mpich(what), Algorithm::recursive_halving);
  what.counts = {16384};
  EXPECT_EQ(mpich(what), Algorithm::pairwise);
  what.is_commutative = false;
  EXPECT_EQ(mpich(what), Algorithm::butterfly);
  what.counts = {3, 3, 3, 4};
  EXPECT_EQ(mpich(what), Algorithm::recursive_doubling);
}

TEST(Choice, MpichGathersToAllAndExchanges) {
  EXPECT_EQ(mpich(bytes(Operation::allgather, 8, 65535)), Algorithm::recursive_doubling);
  EXPECT_EQ(mpich(bytes(Operation::allgather, 8, 65536)), Algorithm::ring);
  EXPECT_EQ(mpich(bytes(Operation::allgather, 5, 16383)), Algorithm::bruck);
  EXPECT_EQ(mpich(bytes(Operation::allgatherv, 5, 16384)), Algorithm::ring_in_chunks);
  EXPECT_EQ(mpich(bytes(Operation::alltoall, 7, 256)), Algorithm::scattered);
  EXPECT_EQ(mpich(bytes(Operation::alltoall, 8, 256)), Algorithm::bruck);
  EXPECT_EQ(mpich(bytes(Operation::alltoall, 8, 257)), Algorithm::scattered);
  EXPECT_EQ(mpich(bytes(Operation::alltoall, 8, 32769)), Algorithm::pairwise);
  Collective in_place = bytes(Operation::alltoallv, 8, 1);
  in_place.is_in_place = true;
  EXPECT_EQ(mpich(in_place), Algorithm::in_order);
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
                << to_word(operation) << " " << n << " " << count << " " << kinds;
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

}  // namespace
}  // namespace commgauge::schedule
