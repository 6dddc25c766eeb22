// By hand: ranks 0 and 1, and 2 and 3, are on one host each; a message takes 20 us and 1 ns a byte,
// and so does a byte on a host's link, either way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "commgauge/simulate/collective_prediction.hpp"
#include "made_machine.hpp"

namespace commgauge::simulate {
namespace {

constexpr int ranks = 4;

HostLinks links_of(double per_byte) {
  const std::vector<double> all(ranks, per_byte);
  return {all, all, all};
}

/// Of two replicates one has faster links, the other slower ones, and messages likewise.
Model on_two_hosts() {
  Model model = hockney_model(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    model.launches.front().ranks[static_cast<std::size_t>(rank)].host = rank < 2 ? "a" : "b";
  }
  model.host_links = certain(links_of(1e-9));
  model.host_links->replicates = {links_of(0.9e-9), links_of(1.1e-9)};
  model.hockney->replicates = {{Matrix(ranks, 18e-6), Matrix(ranks, 0.9e-9), 0, 0},
                               {Matrix(ranks, 22e-6), Matrix(ranks, 1.1e-9), 0, 0}};
  model.hockney->last = Bytes{50'000};
  return model;
}

void expect_same(const Prediction& one, const Prediction& other, const std::string& what) {
  EXPECT_EQ(one.time, other.time) << what;
  EXPECT_EQ(one.low, other.low) << what;
  EXPECT_EQ(one.high, other.high) << what;
  EXPECT_EQ(one.extrapolated, other.extrapolated) << what;
}

TEST(PredictCollectives, SeveralTogetherTakeWhatEachTakesByItself) {
  const Model model = on_two_hosts();
  std::vector<ScheduledCollective> all;
  for (const std::uint64_t size : {0U, 1000U, 100'000U}) {
    schedule::Collective what;
    what.operation = schedule::Operation::alltoall;
    what.ranks = ranks;
    what.counts = {size};
    all.push_back({what, schedule::Algorithm::pairwise});
  }
  all.push_back({all.back().what, schedule::Algorithm::flat});
  const std::vector<Prediction> together = predict_collectives(model, "hockney", all);
  ASSERT_EQ(together.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& [what, algorithm] = all[k];
    EXPECT_LT(together[k].low, together[k].time);
    expect_same(together[k], predict_collective(model, "hockney", what, algorithm),
                std::to_string(k));
  }
  EXPECT_FALSE(together[1].extrapolated);
  EXPECT_TRUE(together[2].extrapolated);
  EXPECT_TRUE(predict_collectives(model, "hockney", {}).empty());
}

}  // namespace
}  // namespace commgauge::simulate
