#include "commgauge/plan/sharing_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commgauge::sharing_plan_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<Bytes> size{{1000}};

TEST(SharingExperiments, OfTwoRanksAreTwoMessagesAtOnce) {
  const std::vector<std::string> hosts{"a", "b"};
  EXPECT_THAT(sharing_experiments(2, hosts, size),
              ElementsAre(ElementsAre(first_of_messages(0, 1, 2, Bytes{1000}),
                                      messages_at_once(0, 1, 2, Bytes{1000}))));
  EXPECT_THAT(sharing_experiments(1, {}, size), IsEmpty());
}

TEST(SharingExperiments, GoToRanksOfOtherHosts) {
  const std::vector<std::string> hosts{"a", "a", "b", "b", "c", "c"};
  const auto groups = sharing_experiments(6, hosts, size);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0].front(), first_of_messages(0, 2, 2, Bytes{1000}));
  EXPECT_THAT(groups[1],
              ElementsAre(meeting_of_senders(Kind::first_of_messages, {0, 2}, 4, Bytes{1000}),
                          meeting_of_receivers(Kind::first_of_messages, 4, {0, 2}, Bytes{1000}),
                          meeting_of_senders(Kind::messages_at_once, {0, 2}, 4, Bytes{1000}),
                          meeting_of_receivers(Kind::messages_at_once, 4, {0, 2}, Bytes{1000})));
}

TEST(SharingExperiments, AreOfAFewRanksOfAnyNumber) {
  const std::vector<std::string> hosts(100, "one host");
  const std::vector<Bytes> sizes{{1000}, {9000}};
  const auto groups = sharing_experiments(100, hosts, sizes);
  ASSERT_THAT(groups, SizeIs(3 + 3));
  EXPECT_THAT(
      groups[2],
      ElementsAre(first_of_messages(4, 5, 2, Bytes{1000}), messages_at_once(4, 5, 2, Bytes{1000}),
                  first_of_messages(4, 5, 2, Bytes{9000}), messages_at_once(4, 5, 2, Bytes{9000})));
}

}  // namespace commgauge::sharing_plan_test
