#include "commgauge/schedule/libraries.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace commgauge::schedule::libraries_test {

using Changes = std::vector<std::pair<std::uint64_t, std::string>>;

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

TEST(Libraries, MpichBroadcastsBySizeAndNumberOfRanks) {
  EXPECT_EQ(mpich_algorithm(bytes(Operation::bcast, 7, 1 << 20)), Algorithm::binomial);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::bcast, 8, 12288)), Algorithm::binomial);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::bcast, 8, 12289)),
            Algorithm::scatter_recursive_doubling);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::bcast, 8, 524289)), Algorithm::scatter_ring);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::bcast, 9, 12289)), Algorithm::scatter_ring);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::bcast, 9, 0)), Algorithm::none);
}

Changes changes(const std::vector<OwnChoice>& choices) {
  Changes found;
  for (const auto& [first, name] : choices) found.emplace_back(first.value, name);
  return found;
}

TEST(Libraries, ByTheirOwnNamesFromEachSizeOn) {
  EXPECT_EQ(changes(mpich_by_size(bytes(Operation::bcast, 8, 1))),
            (Changes{{0, "binomial"},
                     {12289, "scatter_recursive_doubling_allgather"},
                     {524289, "scatter_ring_allgather"}}));
  EXPECT_EQ(changes(mpich_by_size(bytes(Operation::gather, 8, 1))), (Changes{{0, "binomial"}}));
  EXPECT_EQ(changes(ompi_by_size(bytes(Operation::scatter, 20, 1))),
            (Changes{{0, "binomial"}, {16384, "basic_linear"}, {32768, "linear_nb"}}));
  EXPECT_EQ(changes(ompi_by_size(bytes(Operation::bcast, 80, 1))), (Changes{{0, "knomial"}}))
      << "for which a binomial tree stands in";
}

TEST(Libraries, MpichReducesLongVectorsOfItsOwnOperatorsByHalving) {
  Collective what = doubles(Operation::allreduce, 6, 4);
  EXPECT_EQ(mpich_algorithm(what), Algorithm::reduce_scatter_allgather);
  what.counts = {3};  // fewer than the 4 ranks that halve
  EXPECT_EQ(mpich_algorithm(what), Algorithm::recursive_doubling);
  what.counts = {1000};
  what.is_built_in = false;
  EXPECT_EQ(mpich_algorithm(what), Algorithm::recursive_doubling);
  what.counts = {0};
  EXPECT_EQ(mpich_algorithm(what), Algorithm::none);
  what.is_commutative = false;
  EXPECT_EQ(mpich_algorithm(what), Algorithm::recursive_doubling);
  EXPECT_EQ(mpich_algorithm(doubles(Operation::reduce, 6, 256)), Algorithm::binomial);
  EXPECT_EQ(mpich_algorithm(doubles(Operation::reduce, 6, 257)), Algorithm::reduce_scatter_gather);
}

TEST(Libraries, MpichReduceScattersByOrderAndBlocks) {
  Collective what = doubles(Operation::reduce_scatter, 4, 10);
  EXPECT_EQ(mpich_algorithm(what), Algorithm::recursive_halving);
  what.counts = {16384};
  EXPECT_EQ(mpich_algorithm(what), Algorithm::pairwise);
  what.is_commutative = false;
  EXPECT_EQ(mpich_algorithm(what), Algorithm::butterfly);
  what.counts = {3, 3, 3, 4};
  EXPECT_EQ(mpich_algorithm(what), Algorithm::recursive_doubling);
}

TEST(Libraries, MpichGathersToAllAndExchanges) {
  EXPECT_EQ(mpich_algorithm(bytes(Operation::allgather, 8, 65535)), Algorithm::recursive_doubling);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::allgather, 8, 65536)), Algorithm::ring);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::allgather, 5, 16383)), Algorithm::bruck);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::allgatherv, 5, 16384)), Algorithm::ring_in_chunks);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::alltoall, 7, 256)), Algorithm::scattered);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::alltoall, 8, 256)), Algorithm::scattered);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::alltoall, 9, 256)), Algorithm::bruck);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::alltoall, 9, 257)), Algorithm::scattered);
  EXPECT_EQ(mpich_algorithm(bytes(Operation::alltoall, 8, 32769)), Algorithm::pairwise);
  Collective in_place = bytes(Operation::alltoallv, 8, 1);
  in_place.is_in_place = true;
  EXPECT_EQ(mpich_algorithm(in_place), Algorithm::in_order);
}

TEST(Libraries, OpenMpiByRanksAndSize) {
  EXPECT_EQ(ompi_algorithm(bytes(Operation::bcast, 40, 2047)), Algorithm::binomial);
  EXPECT_EQ(ompi_algorithm(bytes(Operation::bcast, 3, 20000)), Algorithm::flat);
  EXPECT_EQ(ompi_algorithm(doubles(Operation::allreduce, 8, 1023)), Algorithm::recursive_doubling);
  EXPECT_EQ(ompi_algorithm(doubles(Operation::allreduce, 8, 1024)),
            Algorithm::reduce_scatter_allgather);
  EXPECT_EQ(ompi_algorithm(bytes(Operation::alltoall, 20, 511)), Algorithm::bruck);
  EXPECT_EQ(ompi_algorithm(bytes(Operation::barrier, 6, 0)), Algorithm::flat);
  EXPECT_EQ(ompi_algorithm(bytes(Operation::gather, 6, 1024)), Algorithm::flat);
  EXPECT_EQ(ompi_algorithm(bytes(Operation::gather, 6, 1023)), Algorithm::binomial);
  EXPECT_EQ(ompi_algorithm(bytes(Operation::scatterv, 6, 1023)), Algorithm::flat);
}

TEST(Libraries, WhatOpenMpiCantDoStandsIn) {
  // Recursive doubling among all 24 ranks: only a power of two can.
  for (std::uint64_t size = 1; size < (1 << 20); size *= 2) {
    for (const int n : {6, 24, 100}) {
      const Collective what = bytes(Operation::allgather, n, size);
      EXPECT_TRUE(is_possible(what, ompi_algorithm(what)));
    }
  }
}

}  // namespace commgauge::schedule::libraries_test
