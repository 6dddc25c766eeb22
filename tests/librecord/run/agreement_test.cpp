#include "run/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace commgauge::record::agreement_test {

using testing::ElementsAre;
using testing::IsEmpty;

/// Rank 0 of a job whose other ranks say what they are told to.
class WithOthers final : public trace::Together {
 public:
  explicit WithOthers(std::vector<std::string> others) : others_{std::move(others)} {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1 + static_cast<int>(others_.size()); }
  void barrier() override {}
  [[nodiscard]] std::string bcast(std::string_view of_root) override {
    return std::string{of_root};
  }
  [[nodiscard]] std::vector<std::string> gather(std::string_view own) override {
    std::vector<std::string> all{std::string{own}};
    all.insert(all.end(), others_.begin(), others_.end());
    return all;
  }
  [[nodiscard]] std::string scatter(const std::vector<std::string>& of_root) override {
    return of_root.front();
  }

 private:
  std::vector<std::string> others_;
};

TEST(Agree, TheProblemIsThatOfTheLowestRank) {
  WithOthers others({"", "the disk is full", "another"});
  EXPECT_EQ(agree(others, ""), "the disk is full");
  EXPECT_EQ(agree(others, "its own"), "its own");
}

TEST(Agree, WithoutAProblemThereIsNone) {
  WithOthers others({"", ""});
  EXPECT_EQ(agree(others, ""), "");
}

TEST(United, LinesOfAllRanksAreListedOnce) {
  WithOthers others({"MPI_Comm_spawn\nMPI_File_open\n", "", "MPI_File_open\n"});
  EXPECT_THAT(united(others, {"MPI_Abort", "MPI_File_open"}),
              ElementsAre("MPI_Abort", "MPI_Comm_spawn", "MPI_File_open"));
}

TEST(United, OfNothingIsNothing) {
  WithOthers others({"", ""});
  EXPECT_THAT(united(others, {}), IsEmpty());
}

}  // namespace commgauge::record::agreement_test
