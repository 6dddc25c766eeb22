#include "archive/otf2.hpp"

#include <gtest/gtest.h>

#include <set>

#include "commgauge/schedule/schedule.hpp"

namespace commgauge::trace::otf2_test {

template <typename Which>
std::set<std::string> names_of() {
  std::set<std::string> names;
  for (int i = 0; i < static_cast<int>(Which::number_of); ++i) {
    names.insert(word_of(static_cast<Which>(i)).name);
  }
  return names;
}

/// Readers know them by their names.
TEST(Otf2, WordsHaveNamesOfTheirOwn) {
  const auto attributes = names_of<Attribute>();
  const auto parameters = names_of<Parameter>();
  EXPECT_EQ(attributes.size(), static_cast<std::size_t>(Attribute::number_of));
  EXPECT_EQ(parameters.size(), static_cast<std::size_t>(Parameter::number_of));
  for (const auto& name : attributes) EXPECT_TRUE(name.starts_with("commgauge::")) << name;
  for (const auto& name : parameters) EXPECT_EQ(attributes.count(name), 0U) << name;
}

/// A rank's reader keeps which of them a record has in 32 bits.
TEST(Otf2, AttributesFitIntoAWord) { EXPECT_LE(static_cast<int>(Attribute::number_of), 32); }

TEST(Otf2, OperationsAreToldApart) {
  std::set<OTF2_CollectiveOp> all;
  for (const auto operation : schedule::all_operations()) all.insert(to_otf2(operation));
  EXPECT_EQ(all.size(), schedule::all_operations().size());
  EXPECT_TRUE(is_rooted(schedule::Operation::scatterv));
  EXPECT_FALSE(is_rooted(schedule::Operation::allgather));
}

TEST(Otf2, TheFirstErrorIsKeptUntilItIsForgotten) {
  const QuietErrors quiet;
  forget_errors();
  EXPECT_EQ(first_error(), "");
  EXPECT_EQ(OTF2_Reader_Open("/no/such/anchor.otf2"), nullptr);
  EXPECT_NE(first_error(), "");
  forget_errors();
  EXPECT_EQ(first_error(), "");
}

}  // namespace commgauge::trace::otf2_test
