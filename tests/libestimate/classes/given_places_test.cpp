// Files that say where ranks are, and what they are like.

#include "commgauge/classes/given_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clusters.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "own_file.hpp"
#include "refusal.hpp"
#include "samples.hpp"

namespace commgauge::given_places_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

std::filesystem::path written(const std::string& text) {
  const std::filesystem::path file = own_file();
  std::ofstream(file) << text;
  return file;
}

Measurements of_ranks(int ranks) {
  Measurements measured;
  measured.launches = {samples::launch(ranks)};
  return measured;
}

TEST(GivenPlaces, AreLoadedFromAFileOfThem) {
  EXPECT_THAT(load_places(written("1 n2 small\n0 n1 big\n")),
              ElementsAre(GivenPlace{"n1", "big"}, GivenPlace{"n2", "small"}));
  const auto damaged = written("0 n1 big\n1 n1\n");
  EXPECT_THAT(refusal([&] { (void)load_places(damaged); }),
              HasSubstr(damaged.string() + ", line 2: it hasn't three words"));
  std::filesystem::remove(damaged);
  EXPECT_THAT(refusal([&] { (void)load_places(damaged); }), HasSubstr(damaged.string()));
}

TEST(GivenPlaces, OfAnotherLaunchAreWhatItFound) {
  const samples::Cluster cluster{.hosts = 6, .per_host = 3, .two_kinds = true};
  Measurements measured = of_ranks(3);
  measured.survey = cluster.survey();
  measured.survey->sample = {0, 4, 9};
  const std::vector<GivenPlace> places = load_places(written(to_json(measured)));
  ASSERT_EQ(places.size(), 18u);
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    EXPECT_EQ(places[rank].host, "n" + std::to_string(rank / 3));
    EXPECT_EQ(places[rank].kind, rank < 9 ? "n0" : "n3");
  }
}

TEST(GivenPlaces, OfALaunchWithoutASampleAreNone) {
  EXPECT_THAT(load_places(written(to_json(of_ranks(3)))), IsEmpty());
  EXPECT_THAT(refusal([] { (void)load_places(written("{\"schema\": 1")); }),
              HasSubstr(own_file().string()));
}

}  // namespace commgauge::given_places_test
