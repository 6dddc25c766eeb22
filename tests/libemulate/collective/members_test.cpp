#include "collective/members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/live_world.hpp"

namespace commgauge::emulate::members_test {

CommunicatorPtr three() {
  auto comm = std::make_shared<Communicator>();
  comm->id = 7;
  comm->rank = 1;
  comm->peers = {5, 6, 8};
  return comm;
}

TEST(MembersOf, TheyAreTheCommunicators) {
  const CommunicatorPtr comm = three();
  const Members members = members_of(comm);
  EXPECT_THAT(members.ranks, testing::ElementsAre(5, 6, 8));
  EXPECT_EQ(members.own, 1);
  EXPECT_EQ(members.size(), 3);
  EXPECT_EQ(members.context, comm->collective_context());
}

TEST(MembersOf, EachOperationHasItsTags) {
  const CommunicatorPtr comm = three();
  const int first = members_of(comm).tag;
  EXPECT_EQ(members_of(comm).tag, first + tags_of_one);
}

TEST(MembersOf, TagsComeAgainBelowTheirLimit) {
  const CommunicatorPtr comm = three();
  comm->collectives = tags_of_collectives / tags_of_one - 1;
  EXPECT_EQ(members_of(comm).tag, tags_of_collectives - tags_of_one);
  EXPECT_EQ(members_of(comm).tag, 0);
}

TEST(PersistentMembersOf, TheirTagsAreNobodyElses) {
  const CommunicatorPtr comm = three();
  const int first = persistent_members_of(comm).tag;
  EXPECT_LE(first + tags_of_one, 0);
  EXPECT_EQ(persistent_members_of(comm).tag, first - tags_of_one);
  EXPECT_EQ(members_of(comm).tag, 0);
}

}  // namespace commgauge::emulate::members_test
