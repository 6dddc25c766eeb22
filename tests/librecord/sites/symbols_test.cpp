#include "sites/symbols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sites/own_file.hpp"

namespace commgauge::record::symbols_test {

using testing::EndsWith;
using testing::HasSubstr;

/// A function with a symbol, in a program whose tests look it up.
[[gnu::noinline]] const void* return_address() { return __builtin_return_address(0); }

TEST(PlaceIn, IsTheFileAndTheOffset) {
  const trace::Site place = place_in("/bin/solver", 0x11a9);
  EXPECT_EQ(place.file, "/bin/solver+0x11a9");
  EXPECT_EQ(place.function, "");
  EXPECT_EQ(place.line, 0U);
}

TEST(Symbols, AFunctionIsKnownByItsSymbol) {
  const auto* const function = reinterpret_cast<const void*>(&return_address);
  Symbols symbols;
  // One byte inside: the call is before what it returns to.
  const trace::Site site = symbols.resolve(place_in(own_file(), offset_of(function) + 1));
  EXPECT_THAT(site.function, HasSubstr("return_address"));
}

TEST(Symbols, ACallerIsFoundBeforeWhatItReturnsTo) {
  Symbols symbols;
  const trace::Site site = symbols.resolve(place_in(own_file(), offset_of(return_address())));
  // With its class by its symbol, without where there is debug information.
  EXPECT_THAT(site.function, HasSubstr("TestBody"));
}

TEST(Symbols, AFileThatIsntThereStaysAPlace) {
  Symbols symbols;
  const trace::Site place = place_in("/no/such/file", 0x10);
  EXPECT_EQ(symbols.resolve(place), place);
}

TEST(Symbols, AnOffsetOutsideOfTheFileHasNoFunction) {
  Symbols symbols;
  const trace::Site site = symbols.resolve(place_in(own_file(), 0xffff'ffff'ffffU));
  EXPECT_EQ(site.function, "");
  EXPECT_THAT(site.file, EndsWith("+0xffffffffffff"));
}

/// The file of a place may have a sign of its own.
TEST(Symbols, TheLastSignDividesFileAndOffset) {
  Symbols symbols;
  const trace::Site place = place_in("/no/such+0xfile", 0x10);
  EXPECT_EQ(symbols.resolve(place).file, "/no/such+0xfile+0x10");
}

}  // namespace commgauge::record::symbols_test
