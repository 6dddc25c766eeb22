#include "commgauge/simulate/machine/kept_costs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "machine/bytes.hpp"

namespace commgauge::simulate::kept_costs_test {

PairCosts costs(int number) {
  PairCosts pair;
  pair.one_way.first.fixed = number;
  for (int k = 0; k < number % 4; ++k)
    pair.arrival.later.push_back({1.0 + k, {number + 0.5, k * 1e-9}});
  pair.keeps_receiver = number % 2 == 0;
  return pair;
}

KeptCosts several(int count) {
  KeptCosts kept;
  for (int k = 0; k < count; ++k) kept.add(costs(k));
  return kept;
}

/// With something before and behind them.
std::string bytes_of(const KeptCosts& kept) {
  Writer writer;
  writer('a');
  writer(kept);
  writer('z');
  return writer.bytes();
}

KeptCosts read(const std::string& bytes) {
  Reader reader(bytes);
  char first{};
  char last{};
  KeptCosts kept;
  reader(first);
  reader(kept);
  reader(last);
  EXPECT_EQ(first, 'a');
  EXPECT_EQ(last, 'z');
  return kept;
}

TEST(KeptCosts, AreTheSameInBytes) {
  for (const int count : {0, 1, 7}) {
    const std::string bytes = bytes_of(several(count));
    const KeptCosts kept = read(bytes);
    ASSERT_EQ(kept.size(), static_cast<std::size_t>(count));
    for (int k = count - 1; k >= 0; --k) EXPECT_EQ(kept[static_cast<std::size_t>(k)], costs(k));
    EXPECT_EQ(bytes_of(kept), bytes);
  }
}

TEST(KeptCosts, StayWhereTheyAreOnceTheyAreRead) {
  const std::string bytes = bytes_of(several(5));
  const KeptCosts kept = read(bytes);
  const PairCosts* const third = &kept[3];
  const KeptCosts copy = kept;
  EXPECT_EQ(&kept[3], third);
  EXPECT_EQ(&copy[3], third);
}

TEST(KeptCosts, OfACopyAreChangedAlone) {
  const std::string bytes = bytes_of(several(5));
  const KeptCosts kept = read(bytes);
  KeptCosts changed = kept;
  for (PairCosts& one : changed.all()) one.request = 9;
  EXPECT_EQ(changed.size(), 5U);
  EXPECT_EQ(changed[4].request, 9);
  EXPECT_EQ(kept[4], costs(4));
}

TEST(KeptCosts, AreReadByManyThreads) {
  constexpr int count = 500;
  const std::string bytes = bytes_of(several(count));
  const KeptCosts kept = read(bytes);
  std::vector<std::vector<const PairCosts*>> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : seen) {
      threads.emplace_back([&kept, &own] {
        for (std::size_t k = 0; k < count; ++k) own.push_back(&kept[k]);
      });
    }
  }
  for (const auto& own : seen) EXPECT_EQ(own, seen.front());
  for (int k = 0; k < count; ++k) EXPECT_EQ(*seen.front()[static_cast<std::size_t>(k)], costs(k));
}

}  // namespace commgauge::simulate::kept_costs_test
