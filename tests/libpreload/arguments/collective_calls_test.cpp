#include "arguments/collective_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace commgauge::preload::collective_calls_test {

using schedule::Operation;
using testing::ElementsAre;

constexpr std::uint64_t four = sizeof(int);
constexpr Caller second_of_three{.own = 1, .size = 3, .group = 3, .is_inter = false};

Caller of_first_group(int size_of_other) {
  return {.own = 0, .size = size_of_other, .group = 2, .is_inter = true};
}

int code_of(const CallOf& call, const Caller& caller = second_of_three) {
  try {
    (void)call(caller);
  } catch (const WrongArgument& wrong) {
    return wrong.code;
  }
  return MPI_SUCCESS;
}

std::array<int, 30> out;
std::array<int, 30> in;

TEST(OperatorName, OnlyMpisOwnHaveOne) {
  EXPECT_STREQ(operator_name(MPI_SUM), "MPI_SUM");
  EXPECT_STREQ(operator_name(MPI_MAXLOC), "MPI_MAXLOC");
  EXPECT_EQ(operator_name(MPI_OP_NULL), nullptr);
}

TEST(Numbers, SmallAndLargeOnesAreTheSame) {
  constexpr std::array<int, 3> small{3, 0, 7};
  constexpr std::array<MPI_Count, 3> large{3, 0, MPI_Count{1} << 40};
  EXPECT_THAT(Numbers(small.data()).first(3), ElementsAre(3, 0, 7));
  EXPECT_EQ(Numbers(large.data())[2], MPI_Count{1} << 40);
  EXPECT_EQ(Numbers(large.data())[0], 3);
  EXPECT_FALSE(Numbers().are_there());
  EXPECT_TRUE(Numbers(small.data()).are_there());
}

TEST(Blocks, TheyLieInARowOrWhereTheyAreSaid) {
  constexpr std::array<int, 3> counts{1, 2, 3};
  constexpr std::array<int, 3> places{9, 0, 4};
  EXPECT_EQ(in_a_row(out.data(), 5, MPI_INT)(2).buffer, &out[10]);
  const Place third = displaced(out.data(), counts.data(), places.data(), MPI_INT)(2);
  EXPECT_EQ(third.buffer, &out[4]);
  EXPECT_EQ(third.count, 3);
  EXPECT_EQ(same(out.data(), 2, MPI_INT)(17).buffer, out.data());
}

TEST(Blocks, DisplacementsOfTypedOnesAreBytes) {
  constexpr std::array<int, 2> counts{1, 2};
  constexpr std::array<int, 2> places{0, 12};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_FLOAT};
  const Place second = typed(out.data(), counts.data(), places.data(), types.data())(1);
  EXPECT_EQ(second.buffer, &out[3]);
  EXPECT_EQ(second.type, MPI_FLOAT);
}

TEST(BroadcastCall, ItHasItsBytesAndItsRoot) {
  const CollectiveCall call = broadcast_call(in.data(), 10, MPI_INT, 2)(second_of_three);
  EXPECT_EQ(call.what.operation, Operation::bcast);
  EXPECT_THAT(call.what.counts, ElementsAre(10 * four));
  EXPECT_EQ(call.what.root, 2);
  EXPECT_EQ(call.gives(0).buffer, in.data());
  EXPECT_EQ(call.gets(0).buffer, in.data());
}

TEST(BroadcastCall, WrongArgumentsHaveMpisCodes) {
  EXPECT_EQ(code_of(broadcast_call(in.data(), 1, MPI_INT, 3)), MPI_ERR_ROOT);
  EXPECT_EQ(code_of(broadcast_call(in.data(), 1, MPI_INT, -1)), MPI_ERR_ROOT);
  EXPECT_EQ(code_of(broadcast_call(in.data(), -1, MPI_INT, 0)), MPI_ERR_COUNT);
  EXPECT_EQ(code_of(broadcast_call(in.data(), 1, MPI_DATATYPE_NULL, 0)), MPI_ERR_TYPE);
}

TEST(BroadcastCall, BetweenGroupsTheRootsSideSaysWhoItIs) {
  EXPECT_EQ(broadcast_call(in.data(), 1, MPI_INT, MPI_ROOT)(of_first_group(3)).what.root,
            schedule::root_is_caller);
  EXPECT_EQ(broadcast_call(in.data(), 1, MPI_INT, MPI_PROC_NULL)(of_first_group(3)).what.root,
            schedule::root_is_beside);
  EXPECT_EQ(broadcast_call(in.data(), 1, MPI_INT, 2)(of_first_group(3)).what.root, 2);
}

TEST(ReductionCall, ItCountsElements) {
  const CollectiveCall call = reduction_call(Operation::allreduce, out.data(), in.data(), 10,
                                             MPI_INT, MPI_SUM)(second_of_three);
  EXPECT_THAT(call.what.counts, ElementsAre(10));
  EXPECT_EQ(call.what.unit.value, four);
  EXPECT_TRUE(call.what.is_commutative);
  EXPECT_TRUE(call.what.is_built_in);
  EXPECT_EQ(call.op, MPI_SUM);
  EXPECT_EQ(call.gives(0).buffer, out.data());
}

TEST(ReductionCall, InPlaceItTakesWhatIsThere) {
  const CollectiveCall call = reduction_call(Operation::allreduce, MPI_IN_PLACE, in.data(), 10,
                                             MPI_INT, MPI_SUM)(second_of_three);
  EXPECT_EQ(call.gives(0).buffer, in.data());
}

TEST(ReductionCall, ItsBuffersAreApartWhereBothAreUsed) {
  const auto reduce_to = [](int root) {
    return reduction_call(Operation::reduce, in.data(), in.data(), 1, MPI_INT, MPI_SUM, root);
  };
  EXPECT_EQ(code_of(reduce_to(1)), MPI_ERR_BUFFER);
  EXPECT_EQ(code_of(reduce_to(0)), MPI_SUCCESS);
  EXPECT_EQ(
      code_of(reduction_call(Operation::scan, out.data(), in.data(), 1, MPI_INT, MPI_OP_NULL)),
      MPI_ERR_OP);
}

TEST(ReduceScatterCall, EachRankGetsItsCount) {
  constexpr std::array<int, 3> counts{4, 5, 6};
  const CollectiveCall call = reduce_scatter_call(out.data(), in.data(), counts.data(), 0, MPI_INT,
                                                  MPI_SUM)(second_of_three);
  EXPECT_EQ(call.what.operation, Operation::reduce_scatter);
  EXPECT_THAT(call.what.counts, ElementsAre(4, 5, 6));
  EXPECT_EQ(call.gets(0).count, 5);
  const CollectiveCall of_block =
      reduce_scatter_call(out.data(), in.data(), {}, 7, MPI_INT, MPI_SUM)(second_of_three);
  EXPECT_EQ(of_block.what.operation, Operation::reduce_scatter_block);
  EXPECT_THAT(of_block.what.counts, ElementsAre(7));
}

TEST(GatherCall, TheRootsBlockCountsAtTheRootAndTheOwnOneElsewhere) {
  const auto gather_to = [](int root) {
    return gather_call(out.data(), 2, MPI_INT, in.data(), 3, MPI_INT, root)(second_of_three);
  };
  EXPECT_THAT(gather_to(1).what.counts, ElementsAre(3 * four));
  EXPECT_THAT(gather_to(0).what.counts, ElementsAre(2 * four));
  EXPECT_EQ(gather_to(1).gets(2).buffer, &in[6]);
}

TEST(GatherCall, InPlaceTheRootsPartIsWhereItGoes) {
  const CollectiveCall call =
      gather_call(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 3, MPI_INT, 1)(second_of_three);
  EXPECT_EQ(call.gives(0).buffer, &in[3]);
}

TEST(GathervCall, TheRootKnowsAllCountsAndOthersTheirOwn) {
  constexpr std::array<int, 3> counts{1, 2, 3};
  constexpr std::array<int, 3> places{0, 10, 20};
  const auto gather_to = [&](int root) {
    return gatherv_call(out.data(), 2, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT,
                        root)(second_of_three);
  };
  EXPECT_THAT(gather_to(1).what.counts, ElementsAre(four, 2 * four, 3 * four));
  EXPECT_THAT(gather_to(2).what.counts, ElementsAre(2 * four));
}

TEST(ScatterCall, EachGetsItsBlockOfTheRoots) {
  const CollectiveCall call =
      scatter_call(out.data(), 3, MPI_INT, in.data(), 3, MPI_INT, 1)(second_of_three);
  EXPECT_EQ(call.gives(2).buffer, &out[6]);
  EXPECT_EQ(call.gets(0).buffer, in.data());
  EXPECT_EQ(code_of(scatter_call(in.data(), 3, MPI_INT, &in[3], 3, MPI_INT, 1)), MPI_ERR_BUFFER);
}

TEST(AllGatherCall, InPlaceTheOwnBlockIsWhereItStays) {
  const CollectiveCall call =
      all_gather_call(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 4, MPI_INT)(second_of_three);
  EXPECT_EQ(call.gives(0).buffer, &in[4]);
  EXPECT_THAT(call.what.counts, ElementsAre(4 * four));
}

TEST(AllGatherCall, BetweenGroupsBothDirectionsHaveTheirSize) {
  const CollectiveCall call =
      all_gather_call(out.data(), 2, MPI_INT, in.data(), 3, MPI_INT)(of_first_group(3));
  EXPECT_THAT(call.what.counts, ElementsAre(2 * four));
  EXPECT_THAT(call.what.counts_in, ElementsAre(3 * four));
}

TEST(AllToAllCall, ListsAreKeptBeyondTheCall) {
  std::array<int, 3> counts{1, 2, 3};
  std::array<int, 3> places{0, 1, 3};
  const PlaceOf gives = displaced(out.data(), counts.data(), places.data(), MPI_INT);
  const PlaceOf gets = displaced(in.data(), counts.data(), places.data(), MPI_INT);
  const CollectiveCall call =
      all_to_all_call(Operation::alltoallv, out.data(), gives, gets)(second_of_three);
  EXPECT_THAT(call.what.counts, ElementsAre(four, 2 * four, 3 * four));
  counts = {9, 9, 9};
  places = {9, 9, 9};
  EXPECT_EQ(call.gives(2).count, 3);
  EXPECT_EQ(call.gets(2).buffer, &in[3]);
}

TEST(AllToAllCall, BetweenGroupsNothingIsInPlace) {
  const PlaceOf gets = in_a_row(in.data(), 1, MPI_INT);
  EXPECT_EQ(code_of(all_to_all_call(Operation::alltoall, MPI_IN_PLACE, gets, gets)), MPI_SUCCESS);
  EXPECT_EQ(
      code_of(all_to_all_call(Operation::alltoall, MPI_IN_PLACE, gets, gets), of_first_group(3)),
      MPI_ERR_BUFFER);
}

TEST(NeighboursOf, AGridHasTwoInEachDimension) {
  MPI_Comm grid = MPI_COMM_NULL;
  constexpr std::array<int, 2> sizes{1, 1};
  constexpr std::array<int, 2> periods{0, 1};
  MPI_Cart_create(MPI_COMM_SELF, 2, sizes.data(), periods.data(), 0, &grid);
  constexpr std::array<int, 1> peers{5};
  const auto found = neighbours_of(grid, peers);
  MPI_Comm_free(&grid);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->is_grid);
  EXPECT_THAT(found->sources, ElementsAre(MPI_PROC_NULL, MPI_PROC_NULL, 5, 5));
  EXPECT_EQ(found->destinations, found->sources);
  EXPECT_EQ(found->tag_to(2), found->tag_from(3));
}

TEST(NeighboursOf, WithoutATopologyThereAreNone) {
  constexpr std::array<int, 1> peers{0};
  EXPECT_FALSE(neighbours_of(MPI_COMM_SELF, peers).has_value());
}

}  // namespace commgauge::preload::collective_calls_test
