#include "write/collectives.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace commgauge::trace::collectives_test {

/// Rank 1 of three as the others see it, or the root, alone in this process.
class Recorded final : public Together {
 public:
  explicit Recorded(int rank) : rank_{rank} {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return 3; }
  void barrier() override {
    ++barriers;
    if (fails) throw std::runtime_error("the network is gone");
  }
  [[nodiscard]] std::string bcast(std::string_view own) override {
    passed = own;
    return answer;
  }
  [[nodiscard]] std::vector<std::string> gather(std::string_view own) override {
    passed = own;
    return gathered;
  }
  [[nodiscard]] std::string scatter(const std::vector<std::string>& of_root) override {
    parts = of_root;
    return answer;
  }

  bool fails{};
  int barriers{};
  std::string passed;
  std::string answer;
  std::vector<std::string> gathered;
  std::vector<std::string> parts;

 private:
  int rank_;
};

std::string bytes_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

class CollectiveCallbacks : public testing::Test {
 protected:
  Recorded root{0};
  Recorded other{1};
  OTF2_CollectiveContext at_root{&root};
  OTF2_CollectiveContext elsewhere{&other};
  const OTF2_CollectiveCallbacks& calls = collective_callbacks();
};

TEST_F(CollectiveCallbacks, KnowRankAndSize) {
  std::uint32_t number = 0;
  EXPECT_EQ(calls.otf2_get_size(nullptr, &elsewhere, &number), OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(number, 3U);
  EXPECT_EQ(calls.otf2_get_rank(nullptr, &elsewhere, &number), OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(number, 1U);
}

TEST_F(CollectiveCallbacks, ABroadcastBringsTheRootsBytes) {
  std::array<std::uint32_t, 2> numbers{1, 2};
  const std::array<std::uint32_t, 2> roots{17, 18};
  other.answer = bytes_of(roots.data(), sizeof roots);
  EXPECT_EQ(calls.otf2_bcast(nullptr, &elsewhere, numbers.data(), 2, OTF2_TYPE_UINT32, 0),
            OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(numbers, roots);
}

TEST_F(CollectiveCallbacks, AGatherPutsThemOneBehindTheOther) {
  const std::uint16_t own = 5;
  const std::array<std::uint16_t, 3> all{5, 6, 7};
  root.gathered = {bytes_of(&all[0], 2), bytes_of(&all[1], 2), bytes_of(&all[2], 2)};
  std::array<std::uint16_t, 3> got{};
  EXPECT_EQ(calls.otf2_gather(nullptr, &at_root, &own, got.data(), 1, OTF2_TYPE_UINT16, 0),
            OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(root.passed, bytes_of(&own, sizeof own));
  EXPECT_EQ(got, all);
}

TEST_F(CollectiveCallbacks, AGatherOfSeveralLengthsDoesSo) {
  const std::array<std::uint8_t, 1> own{9};
  const std::array<std::uint32_t, 3> counts{1, 3, 0};
  root.gathered = {"a", "bcd", ""};
  std::array<char, 5> got{'.', '.', '.', '.', '.'};
  EXPECT_EQ(calls.otf2_gatherv(nullptr, &at_root, own.data(), 1, got.data(), counts.data(),
                               OTF2_TYPE_UINT8, 0),
            OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(bytes_of(got.data(), got.size()), "abcd.");
}

TEST_F(CollectiveCallbacks, AScatterCutsTheRootsBytes) {
  const std::array<std::uint64_t, 6> all{1, 2, 3, 4, 5, 6};
  root.answer = bytes_of(all.data(), 16);
  std::array<std::uint64_t, 2> own{};
  EXPECT_EQ(calls.otf2_scatter(nullptr, &at_root, all.data(), own.data(), 2, OTF2_TYPE_UINT64, 0),
            OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(own, (std::array<std::uint64_t, 2>{1, 2}));
  ASSERT_EQ(root.parts.size(), 3U);
  EXPECT_EQ(root.parts[2], bytes_of(&all[4], 16));
  EXPECT_EQ(calls.otf2_scatter(nullptr, &elsewhere, nullptr, own.data(), 2, OTF2_TYPE_UINT64, 0),
            OTF2_CALLBACK_SUCCESS);
  EXPECT_TRUE(other.parts.empty()) << "only the root has some";
}

TEST_F(CollectiveCallbacks, AScatterOfSeveralLengthsDoesSo) {
  const std::string all = "abcd";
  const std::array<std::uint32_t, 3> counts{1, 3, 0};
  root.answer = "a";
  std::array<char, 2> own{'.', '.'};
  EXPECT_EQ(calls.otf2_scatterv(nullptr, &at_root, all.data(), counts.data(), own.data(), 1,
                                OTF2_TYPE_INT8, 0),
            OTF2_CALLBACK_SUCCESS);
  EXPECT_EQ(root.parts, (std::vector<std::string>{"a", "bcd", ""}));
  EXPECT_EQ(bytes_of(own.data(), own.size()), "a.");
}

TEST_F(CollectiveCallbacks, NoExceptionPassesThroughOtf2) {
  EXPECT_EQ(calls.otf2_barrier(nullptr, &at_root), OTF2_CALLBACK_SUCCESS);
  root.fails = true;
  EXPECT_EQ(calls.otf2_barrier(nullptr, &at_root), OTF2_CALLBACK_ERROR);
}

TEST_F(CollectiveCallbacks, WhereOthersHaveGivenUpNobodyIsAsked) {
  at_root.is_given_up = true;
  EXPECT_EQ(calls.otf2_barrier(nullptr, &at_root), OTF2_CALLBACK_ERROR);
  EXPECT_EQ(root.barriers, 0);
}

}  // namespace commgauge::trace::collectives_test
