#include "mpi/by_mpi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

namespace commgauge::record::by_mpi_test {

using testing::IsEmpty;
using testing::SizeIs;

class ByMpi : public testing::Test {
 protected:
  /// Of that rank: with a zero in it, and of another length at each.
  static std::string text_of(int rank) {
    return std::string(static_cast<std::size_t>(3 * rank), 'x') + std::string{"\0y", 2};
  }
  std::unique_ptr<trace::Together> all = by_mpi();
};

TEST_F(ByMpi, TheRanksAreThoseOfTheWorld) {
  int rank = -1;
  int size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(all->rank(), rank);
  EXPECT_EQ(all->size(), size);
}

TEST_F(ByMpi, EveryoneHearsTheRoot) {
  EXPECT_EQ(all->bcast(text_of(all->rank() + 5)), text_of(5));
  EXPECT_EQ(all->bcast(""), "");
}

TEST_F(ByMpi, TheRootHearsEveryone) {
  const auto texts = all->gather(text_of(all->rank()));
  if (all->rank() != 0) {
    EXPECT_THAT(texts, IsEmpty());
    return;
  }
  ASSERT_THAT(texts, SizeIs(all->size()));
  for (int rank = 0; rank < all->size(); ++rank) {
    EXPECT_EQ(texts[static_cast<std::size_t>(rank)], text_of(rank));
  }
}

TEST_F(ByMpi, EveryoneGetsItsOwnFromTheRoot) {
  std::vector<std::string> texts;
  for (int rank = 0; all->rank() == 0 && rank < all->size(); ++rank) {
    texts.push_back(text_of(2 * rank));
  }
  EXPECT_EQ(all->scatter(texts), text_of(2 * all->rank()));
}

}  // namespace commgauge::record::by_mpi_test
