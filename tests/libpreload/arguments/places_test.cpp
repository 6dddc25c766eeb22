#include "arguments/places.hpp"

#include <gtest/gtest.h>

#include <array>

namespace commgauge::preload::places_test {

/// Every other int.
class WithGaps : public testing::Test {
 protected:
  WithGaps() {
    MPI_Type_vector(2, 1, 2, MPI_INT, &type_);
    MPI_Type_commit(&type_);
  }
  ~WithGaps() override { MPI_Type_free(&type_); }
  MPI_Datatype type_{MPI_DATATYPE_NULL};
};

TEST_F(WithGaps, TheirDataCountNotTheirExtent) {
  EXPECT_EQ(size_of(type_), 2 * sizeof(int));
  EXPECT_EQ(bytes_of({nullptr, 5, type_}), 10 * sizeof(int));
}

TEST_F(WithGaps, TheyAreNotCopiedByMemcpy) {
  EXPECT_EQ(plain_size(type_), 0U);
  EXPECT_FALSE(is_predefined(type_));
}

TEST_F(WithGaps, ElementsLieAnExtentApart) {
  std::array<int, 12> numbers{};
  EXPECT_EQ(element(numbers.data(), 2, type_), &numbers[6]);
}

TEST(PlainSize, IsThatOfANumber) {
  EXPECT_EQ(plain_size(MPI_DOUBLE), sizeof(double));
  EXPECT_EQ(plain_size(MPI_INT), sizeof(int));
  EXPECT_TRUE(is_predefined(MPI_INT));
}

TEST(PlainSize, IsZeroOfAPairWithAGap) {
  EXPECT_EQ(plain_size(MPI_SHORT_INT), 0U);
  EXPECT_EQ(size_of(MPI_SHORT_INT), sizeof(short) + sizeof(int));
  EXPECT_TRUE(is_predefined(MPI_SHORT_INT));
}

}  // namespace commgauge::preload::places_test
