#include "mpi/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace commgauge::emulate {

bool operator==(const Block& a, const Block& b) {
  return a.offset == b.offset && a.bytes == b.bytes;
}

namespace layout_test {

using testing::ElementsAre;

constexpr std::int64_t size = sizeof(int);

/// A datatype while it is needed.
class Type {
 public:
  explicit Type(MPI_Datatype type) : type_{type} { MPI_Type_commit(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() {
    forget_layout(type_);
    MPI_Type_free(&type_);
  }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};

MPI_Datatype vector_of(int count, int length, int stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(count, length, stride, MPI_INT, &type);
  return type;
}

TEST(LayoutOf, NumbersAreOneBlock) {
  EXPECT_THAT(layout_of(3, MPI_INT), ElementsAre(Block{0, 3 * size}));
}

TEST(LayoutOf, NothingHasOneBlockAtMostAndNoBytes) {
  for (const Block& block : layout_of(0, MPI_INT)) EXPECT_EQ(block.bytes, 0U);
}

TEST(LayoutOf, GapsPartBlocks) {
  const Type type(vector_of(2, 1, 3));
  EXPECT_THAT(layout_of(1, type), ElementsAre(Block{0, size}, Block{3 * size, size}));
}

TEST(LayoutOf, AdjacentBlocksOfTwoElementsAreOne) {
  const Type type(vector_of(2, 1, 2));
  EXPECT_THAT(layout_of(2, type),
              ElementsAre(Block{0, size}, Block{2 * size, 2 * size}, Block{5 * size, size}));
}

TEST(LayoutOf, BlocksComeInTheOrderOfTheirPacking) {
  constexpr std::array places{2, 0};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(2, 1, places.data(), MPI_INT, &type);
  const Type backwards(type);
  EXPECT_THAT(layout_of(1, backwards), ElementsAre(Block{2 * size, size}, Block{0, size}));
}

TEST(LayoutOf, AForgottenHandleMayBeAnothers) {
  {
    const Type type(vector_of(2, 1, 3));
    EXPECT_EQ(layout_of(1, type).size(), 2U);
  }
  const Type type(vector_of(3, 1, 2));
  EXPECT_EQ(layout_of(1, type).size(), 3U);
}

TEST(BaseOf, APredefinedTypeIsItsOwn) { EXPECT_EQ(base_of(MPI_DOUBLE), MPI_DOUBLE); }

TEST(BaseOf, OfNestedTypesTheInnermost) {
  const Type inner(vector_of(2, 1, 3));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, inner, &type);
  const Type outer(type);
  EXPECT_EQ(base_of(outer), MPI_INT);
}

}  // namespace layout_test
}  // namespace commgauge::emulate
