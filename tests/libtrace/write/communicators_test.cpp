#include "write/communicators.hpp"

#include <gtest/gtest.h>

namespace commgauge::trace::communicators_test {

TEST(Places, AreThoseOfTheList) {
  const Places places({0, 1, 5, 3});
  EXPECT_EQ(places.of(0), 0);
  EXPECT_EQ(places.of(1), 1);
  EXPECT_EQ(places.of(5), 2);
  EXPECT_EQ(places.of(3), 3);
  for (const int nowhere : {-1, 2, 4, 6}) EXPECT_EQ(places.of(nowhere), -1) << nowhere;
}

TEST(Members, SpeakOfEachOtherByPlace) {
  const Members members({"pair", {4, 2}, {}});
  EXPECT_EQ(members.size(), 2);
  EXPECT_EQ(members.own_place(2), 1);
  EXPECT_EQ(members.place_of(4, 2), 0);
  EXPECT_EQ(members.place_of(3, 2), -1);
}

TEST(Members, OfTwoGroupsSpeakOfTheOtherOne) {
  const Members members({"between", {0, 1}, {2, 3}});
  EXPECT_EQ(members.own_place(3), 1);
  EXPECT_EQ(members.place_of(3, 0), 1);
  EXPECT_EQ(members.place_of(0, 3), 0);
  EXPECT_EQ(members.place_of(1, 0), -1) << "of the own group";
}

}  // namespace commgauge::trace::communicators_test
