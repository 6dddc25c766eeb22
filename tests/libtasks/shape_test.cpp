#include "commgauge/tasks/shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::tasks::shape_test {

using ::testing::ElementsAre;

TEST(Shape, NumbersTasksFromZeroTheLastIntegerFastest) {
  const Shape shape({2, 3, 4});
  EXPECT_EQ(shape.size(), 24U);
  std::uint64_t number = 0;
  for (std::uint64_t i = 1; i <= 2; ++i) {
    for (std::uint64_t j = 1; j <= 3; ++j) {
      for (std::uint64_t k = 1; k <= 4; ++k, ++number) {
        EXPECT_EQ(shape.number_of(std::vector<std::uint64_t>{i, j, k}), number);
        EXPECT_THAT(shape.task_of(number), ElementsAre(i, j, k));
      }
    }
  }
}

TEST(Shape, AsText) {
  EXPECT_EQ(to_text(Shape({1024, 7})), "1024x7");
  EXPECT_EQ(to_text(Shape({1024, 7}), 15), "(3, 2)");
  EXPECT_EQ(parse_shape("1024x7"), Shape({1024, 7}));
  EXPECT_EQ(parse_shape("9"), Shape({9}));
}

TEST(Shape, RefusesWhatIsNone) {
  for (const char* const text :
       {"", "x", "3x", "x3", "3xx4", "3X4", "-3", "3.5", "3x4 ", "0", "4x0", "99999999999999999999",
        "16384x16385", "2x9223372036854775808"}) {
    EXPECT_THROW((void)parse_shape(text), InputError) << text;
  }
  EXPECT_THROW((void)Shape({}), InputError);
  EXPECT_EQ(parse_shape("16384x16384").size(), most_tasks);
}

}  // namespace commgauge::tasks::shape_test
