#include "mpi/datatypes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>

namespace commgauge::emulate::datatypes_test {

using testing::ElementsAre;

/// Two ints of four.
class EveryOther : public testing::Test {
 protected:
  EveryOther() {
    MPI_Type_vector(2, 1, 2, MPI_INT, &type_);
    MPI_Type_create_resized(type_, 0, 4 * sizeof(int), &resized_);
    MPI_Type_commit(&resized_);
  }
  ~EveryOther() override {
    MPI_Type_free(&resized_);
    MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype type() const { return resized_; }
  [[nodiscard]] MPI_Datatype uncommitted() const { return type_; }

 private:
  MPI_Datatype type_{MPI_DATATYPE_NULL};
  MPI_Datatype resized_{MPI_DATATYPE_NULL};
};

std::byte* bytes_of(std::span<int> numbers) { return std::as_writable_bytes(numbers).data(); }

TEST_F(EveryOther, PackingLeavesTheGapsOut) {
  const std::array numbers{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<int, 4> packed{};
  pack(numbers.data(), 2, type(), bytes_of(packed));
  EXPECT_THAT(packed, ElementsAre(1, 3, 5, 7));
}

TEST_F(EveryOther, UnpackingLeavesTheGapsAsTheyAre) {
  std::array packed{1, 3, 5, 7};
  std::array<int, 8> numbers{};
  unpack(bytes_of(packed), sizeof packed, numbers.data(), type());
  EXPECT_THAT(numbers, ElementsAre(1, 0, 3, 0, 5, 0, 7, 0));
}

TEST_F(EveryOther, OfTheLastElementAPartMayBeThere) {
  std::array packed{1, 3, 5};
  std::array numbers{0, 0, 0, 0, 0, 0, 9, 0};
  unpack(bytes_of(packed), sizeof packed, numbers.data(), type());
  EXPECT_THAT(numbers, ElementsAre(1, 0, 3, 0, 5, 0, 9, 0));
}

TEST_F(EveryOther, CopiesMayHaveOtherGaps) {
  const std::array numbers{1, 2, 3, 4};
  std::array<int, 2> row{};
  copy(numbers.data(), 1, type(), row.data(), MPI_INT);
  EXPECT_THAT(row, ElementsAre(1, 3));
}

TEST_F(EveryOther, BytesMayEndWithinANumber) {
  EXPECT_FALSE(ends_within_element(sizeof(int), type()));
  EXPECT_TRUE(ends_within_element(sizeof(int) + 1, type()));
}

TEST_F(EveryOther, MpiIsAskedWhatItHasAgainstAType) {
  EXPECT_EQ(error_of(type()), MPI_SUCCESS);
  EXPECT_EQ(error_of(MPI_INT), MPI_SUCCESS);
  EXPECT_NE(error_of(uncommitted()), MPI_SUCCESS);
}

TEST_F(EveryOther, AKeptTypeOutlivesTheProgramsOwn) {
  MPI_Datatype theirs = MPI_DATATYPE_NULL;
  MPI_Type_dup(type(), &theirs);
  MPI_Datatype kept = keep(theirs);
  MPI_Type_free(&theirs);
  EXPECT_EQ(size_of(kept), 2 * sizeof(int));
  MPI_Type_free(&kept);
}

TEST_F(EveryOther, RoomForElementsHasTheirGaps) {
  Elements room(2, type());
  const std::array numbers{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<int, 4> packed{};
  copy(numbers.data(), 2, type(), room.data(), type());
  pack(room.data(), 2, type(), bytes_of(packed));
  EXPECT_THAT(packed, ElementsAre(1, 3, 5, 7));
}

TEST(Takes, AnOperatorTakesItsTypes) {
  EXPECT_TRUE(takes(MPI_SUM, MPI_INT));
  EXPECT_TRUE(takes(MPI_BAND, MPI_INT));
  EXPECT_FALSE(takes(MPI_BAND, MPI_DOUBLE));
}

TEST(ElementOf, NumbersAreOfThreeKinds) {
  EXPECT_STREQ(name_of(element_of(MPI_INT)), "integers");
  EXPECT_STREQ(name_of(element_of(MPI_DOUBLE)), "floating-point numbers");
  EXPECT_STREQ(name_of(element_of(MPI_C_DOUBLE_COMPLEX)), "complex numbers");
  EXPECT_STREQ(name_of(element_of(MPI_BYTE)), "other data");
  EXPECT_EQ(element_of(MPI_DATATYPE_NULL), Element::unknown);
}

}  // namespace commgauge::emulate::datatypes_test
