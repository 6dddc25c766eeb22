#include "job/communicator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "in_job.hpp"

namespace commgauge::record::communicator_test {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

class Communicators : public InJob {
 protected:
  /// All ranks, from the last to the first.
  [[nodiscard]] MPI_Comm turned() const {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, session.size - session.rank, &made);
    return made;
  }
};

TEST_F(Communicators, TheWorldIsKnownFromTheBeginning) {
  const Communicator* const world = known(MPI_COMM_WORLD);
  ASSERT_NE(world, nullptr);
  EXPECT_EQ(world->context, 0U);
  EXPECT_EQ(world->rank, session.rank);
  EXPECT_FALSE(world->is_inter);
  std::vector<int> all(static_cast<std::size_t>(session.size));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THAT(world->peers, ElementsAreArray(all));
}

TEST_F(Communicators, ItselfIsKnownWhenItIsFirstAskedFor) {
  const Communicator* const self = known(MPI_COMM_SELF);
  ASSERT_NE(self, nullptr);
  EXPECT_EQ(self->context, 1U);
  EXPECT_EQ(self->rank, 0);
  EXPECT_THAT(self->peers, ElementsAre(session.rank));
}

TEST_F(Communicators, PeersAreRanksOfTheJobInTheCommunicatorsOrder) {
  MPI_Comm comm = turned();
  adopt(comm, {0});
  const Communicator* const found = known(comm);
  EXPECT_NE(found, nullptr);
  if (found != nullptr) {
    EXPECT_EQ(found->peer(0), session.size - 1);
    EXPECT_EQ(found->peer(found->rank), session.rank);
    EXPECT_EQ(found->size(), session.size);
  }
  forget(comm);
  MPI_Comm_free(&comm);
}

TEST_F(Communicators, OfOneThatNobodyKnowsItIsSaid) {
  MPI_Comm comm = turned();
  EXPECT_EQ(known(comm), nullptr);
  EXPECT_THAT(recorder().left_out(), ElementsAre("MPI_Barrier of ranks that can't be known"));
  MPI_Comm_free(&comm);
}

TEST_F(Communicators, RequestsMayStillNameOneThatIsForgotten) {
  MPI_Comm comm = turned();
  adopt(comm, {0});
  const Communicator* const before = known(comm);
  forget(comm);
  EXPECT_NE(before, nullptr);
  if (before != nullptr) {
    EXPECT_EQ(before->size(), session.size);
  }
  EXPECT_EQ(known(comm), nullptr);
  MPI_Comm_free(&comm);
}

TEST_F(Communicators, ADuplicateIsNumberedBeforeItIsMade) {
  const Communicator* const world = known(MPI_COMM_WORLD);
  ASSERT_NE(world, nullptr);
  Communicator made = like(*world);
  EXPECT_NE(made.context, world->context);
  EXPECT_EQ(made.peers, world->peers);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  adopt_made(copy, made);
  const Communicator* const found = known(copy);
  EXPECT_NE(found, nullptr);
  if (found != nullptr) {
    EXPECT_EQ(found->context, made.context);
    EXPECT_EQ(found->handle, copy);
  }
  forget(copy);
  MPI_Comm_free(&copy);
}

TEST_F(Communicators, BetweenGroupsThePeersAreTheOthers) {
  if (session.size < 2) GTEST_SKIP() << "one rank has no other group";
  const bool is_last = session.rank == session.size - 1;
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_last ? 1 : 0, 0, &side);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, is_last ? 0 : session.size - 1, 3, &between);
  adopt(between);
  const Communicator* const found = known(between);
  EXPECT_NE(found, nullptr);
  if (found != nullptr) {
    EXPECT_TRUE(found->is_inter);
    EXPECT_EQ(found->size(), is_last ? session.size - 1 : 1);
    EXPECT_EQ(found->beside, is_last ? 1 : session.size - 1);
    EXPECT_EQ(found->peer(0), is_last ? 0 : session.size - 1);
  }
  forget(between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);
}

TEST_F(Communicators, NoneIsPassedOver) {
  adopt(MPI_COMM_NULL);
  EXPECT_EQ(context_of({session.rank}), 1U);  // nothing has taken that number
  EXPECT_THAT(recorder().left_out(), IsEmpty());
}

}  // namespace commgauge::record::communicator_test
