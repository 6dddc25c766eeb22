#include "commgauge/base/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::units_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::string message_of_size(const std::string& text) {
  try {
    (void)parse_size(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseSize, ReadsEveryUnit) {
  const std::vector<std::pair<std::string, std::uint64_t>> table{
      {"0", 0},
      {"1024", 1024},
      {"512B", 512},
      {"64KiB", 65536},
      {"1MiB", 1048576},
      {"1GiB", 1073741824},
      {"64kB", 64000},
      {"1MB", 1000000},
      {"1GB", 1000000000},
      {" 64 KiB ", 65536},
      {"1.5KiB", 1536},
      {"1.50KiB", 1536},
      {"0.25kB", 250},
      {"3.000B", 3},
      {"0.0009765625KiB", 1},
      {"9223372036854775808", std::uint64_t{1} << 63},
      {"8589934592GiB", std::uint64_t{1} << 63},
  };
  for (const auto& [text, bytes] : table) EXPECT_EQ(parse_size(text), Bytes{bytes}) << text;
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const char* text : {"",
                           " ",
                           "B",
                           "KiB",
                           "x",
                           "1.5",
                           "0.3B",
                           "0.0001kB",
                           "1..5KiB",
                           "1.2.3KiB",
                           ".5KiB",
                           "5.KiB",
                           "-1",
                           "+1",
                           "1e3",
                           "64kb",
                           "64KB",
                           "64Kib",
                           "1mb",
                           "1MIB",
                           "1TiB",
                           "12 34",
                           "1,2",
                           "0x10",
                           "nan",
                           "9223372036854775809",
                           "8589934593GiB",
                           "99999999999999999999",
                           "1.0000000000000000001GiB"})
    EXPECT_THROW((void)parse_size(text), InputError) << text;
}

TEST(ParseSize, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(message_of_size("64K"),
            "size '64K' is ambiguous (binary or decimal?): write 64KiB or 64kB");
  EXPECT_EQ(message_of_size("1M"),
            "size '1M' is ambiguous (binary or decimal?): write 1MiB or 1MB");
  EXPECT_EQ(message_of_size("0.3B"),
            "size '0.3B' is not whole (a message has no fraction of a byte): give whole bytes");
  EXPECT_THAT(message_of_size("-1"), HasSubstr("negative"));
  EXPECT_THAT(message_of_size("64KB"), HasSubstr("case matters"));
  EXPECT_THAT(message_of_size("8589934593GiB"), HasSubstr("too large"));
}

TEST(ParseSize, MessageIsOneShortLine) {
  const auto message = message_of_size("1\n2" + std::string(1000, 'x'));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_LT(message.size(), 200U);
}

TEST(ParseSizes, ReadsAList) {
  EXPECT_EQ(parse_sizes("1KiB"), (std::vector<Bytes>{{1024}}));
  EXPECT_EQ(parse_sizes("0,1KiB, 64KiB"), (std::vector<Bytes>{{0}, {1024}, {65536}}));
  for (const char* text : {"", " ", ",", "1,", ",1", "1,,2", "1;2", "1K,2K"})
    EXPECT_THROW((void)parse_sizes(text), InputError) << text;
}

TEST(ParseDuration, ReadsEveryUnit) {
  const std::vector<std::pair<std::string, double>> table{
      {"0", 0},        {"2.5", 2.5},  {"60s", 60},    {"500ms", 0.5},  {"20us", 20e-6},
      {"3ns", 3e-9},   {"2min", 120}, {"1h", 3600},   {"1.5 min", 90}, {"20\u00b5s", 20e-6},
      {"1e-3s", 1e-3}, {".5", 0.5},   {"50us", 50e-6}};
  for (const auto& [text, seconds] : table) EXPECT_EQ(parse_duration(text).value, seconds) << text;
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", ".", "-1s", "+1s", "1m", "1S", "1 s s", "nan", "inf", "1e400",
                           "1e308h", "60sec", "0x10"})
    EXPECT_THROW((void)parse_duration(text), InputError) << text;
}

TEST(ToText, Time) {
  const std::vector<std::pair<double, std::string>> table{
      {0, "0 s"},
      {0.123456e-9, "0.123 ns"},
      {1e-9, "1.00 ns"},
      {9.5e-8, "95.0 ns"},
      {999.4e-9, "999 ns"},
      {999.6e-9, "1.00 \u00b5s"},
      {1e-6, "1.00 \u00b5s"},
      {1.2351e-6, "1.24 \u00b5s"},
      {31e-3, "31.0 ms"},
      {1e-3, "1.00 ms"},
      {1, "1.00 s"},
      {59.94, "59.9 s"},
      {59.96, "1.00 min"},
      {90, "1.50 min"},
      {5400, "1.50 h"},
      {4.4444e6, "1230 h"},
      {-1.2351e-6, "-1.24 \u00b5s"},
  };
  for (const auto& [seconds, text] : table) EXPECT_EQ(to_text(Seconds{seconds}), text) << seconds;
}

TEST(ToText, Size) {
  const std::vector<std::pair<std::uint64_t, std::string>> table{
      {0, "0 B"},
      {512, "512 B"},
      {1000, "1000 B"},
      {1023, "1023 B"},
      {1024, "1 KiB"},
      {1536, "1.5 KiB"},
      {8256, "8.06 KiB"},
      {10240, "10 KiB"},
      {65536, "64 KiB"},
      {102400, "100 KiB"},
      {1048575, "1 MiB"},
      {1572864, "1.5 MiB"},
      {std::uint64_t{1} << 40, "1 TiB"},
      {std::numeric_limits<std::uint64_t>::max(), "16 EiB"},
  };
  for (const auto& [bytes, text] : table) EXPECT_EQ(to_text(Bytes{bytes}), text) << bytes;
}

TEST(ToText, GapPerByte) {
  const std::vector<std::pair<double, std::string>> table{
      {8e-11, "0.0800 ns/B (12.5 GB/s)"},
      {43.3e-9, "43.3 ns/B (23.1 MB/s)"},
      {1e-9, "1.00 ns/B (1.00 GB/s)"},
      {1e-6, "1000 ns/B (1.00 MB/s)"},
      {0, "0 ns/B"},
      {-42e-9, "-42.0 ns/B"},
  };
  for (const auto& [gap, text] : table) EXPECT_EQ(to_text(SecondsPerByte{gap}), text) << gap;
}

TEST(ToText, TimePerByteAlone) {
  EXPECT_EQ(per_byte_text({8e-11}), "0.0800 ns/B");
  EXPECT_EQ(per_byte_text({-42e-9}), "-42.0 ns/B");
  EXPECT_EQ(per_byte_text({0}), "0 ns/B");
  EXPECT_EQ(per_byte_text({std::numeric_limits<double>::infinity()}), "inf ns/B");
}

TEST(ToText, BytesPerSecond) {
  const std::vector<std::pair<double, std::string>> table{
      {1.25e10, "12.5 GB/s"},
      {999.4, "999 B/s"},
      {999.6, "1.00 kB/s"},
      {5e15, "5000 TB/s"},
      {0, "0 B/s"},
      {-1e6, "-1.00 MB/s"},
      {std::numeric_limits<double>::infinity(), "inf B/s"},
      {std::numeric_limits<double>::quiet_NaN(), "nan B/s"},
  };
  for (const auto& [rate, text] : table) EXPECT_EQ(to_text(BytesPerSecond{rate}), text) << rate;
}

TEST(ToText, SizesThatAreShownExactlyAreReadBack) {
  for (const std::uint64_t bytes : {1U, 512U, 1024U, 1536U, 65536U, 1048576U})
    EXPECT_EQ(parse_size(to_text(Bytes{bytes})), Bytes{bytes});
}

TEST(Units, Arithmetic) {
  EXPECT_EQ(Seconds{2} + Seconds{3}, Seconds{5});
  EXPECT_EQ(SecondsPerByte{0.5} * Bytes{8}, Seconds{4});
  EXPECT_EQ(Seconds{4} / Bytes{8}, SecondsPerByte{0.5});
  EXPECT_DOUBLE_EQ(Seconds{4} / Seconds{8}, 0.5);
}

}  // namespace commgauge::units_test
