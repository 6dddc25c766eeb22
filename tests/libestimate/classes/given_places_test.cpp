// Files that say where ranks are, and what they are like.

#include "commgauge/classes/given_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refusal.hpp"

namespace commgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(GivenPlaces, AreRangesOfRanksInAnyOrder) {
  EXPECT_THAT(
      places_from_text("# two hosts\n2 n2 small # the last\n\n0-1 n1 big\n", "c.txt"),
      ElementsAre(GivenPlace{"n1", "big"}, GivenPlace{"n1", "big"}, GivenPlace{"n2", "small"}));
}

TEST(GivenPlaces, AreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& text) {
    return commgauge::refusal([&] { (void)places_from_text(text, "c.txt"); });
  };
  EXPECT_THAT(refusal("0 n1\n"), HasSubstr("c.txt, line 1: it hasn't three words"));
  EXPECT_THAT(refusal("0 n1 big more\n"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("0 n1 big\n1-x n1 big\n"), HasSubstr("line 2: '1-x' is no rank"));
  EXPECT_THAT(refusal("3-1 n1 big\n"), HasSubstr("no range"));
  EXPECT_THAT(refusal("99999999999 n1 big\n"), HasSubstr("no rank"));
  EXPECT_THAT(refusal("0-2 n1 big\n2 n2 big\n"), HasSubstr("line 2: rank 2 is there twice"));
  EXPECT_THAT(refusal("0 n1 big\n2 n2 big\n"), HasSubstr("no line for rank 1"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("no line"));
}

}  // namespace
}  // namespace commgauge
