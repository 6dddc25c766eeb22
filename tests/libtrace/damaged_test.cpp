#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "commgauge/trace/reader.hpp"
#include "commgauge/trace/writer.hpp"
#include "random_trace.hpp"

/// OTF2 itself gives back not all memory when it finds an archive damaged.
extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libopen-trace-format2";
}

namespace commgauge::trace {
namespace {

namespace fs = std::filesystem;

/// Removes a file, cuts it, or changes bytes of it.
class Damage {
 public:
  explicit Damage(std::uint32_t seed) : random_{seed} {}

  void to(const fs::path& archive) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator{archive}) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    const auto& file = files[number(files.size())];
    const auto kind = number(5);
    if (kind == 0) {
      fs::remove(file);
    } else if (kind == 1) {
      fs::resize_file(file, number(fs::file_size(file) + 1));
    } else {
      change(file);
    }
  }

 private:
  std::size_t number(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>{0, below - 1}(random_);
  }
  void change(const fs::path& file) {
    std::fstream out{file, std::ios::in | std::ios::out | std::ios::binary};
    for (auto left = 1 + number(4); left > 0 && fs::file_size(file) > 0; --left) {
      out.seekp(static_cast<std::streamoff>(number(fs::file_size(file))));
      out.put(static_cast<char>(number(256)));
    }
  }
  std::mt19937 random_;
};

/// Damaged archives are refused, or what they say is what was written.
class Damaged : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Damaged, IsRefusedOrReadCorrectly) {
  const Folder folder;
  const auto trace = random_trace(GetParam() % 7, 60, GetParam() % 2 == 0 ? 1 : 4);
  write(trace, folder / "trace");
  for (std::uint32_t i = 0; i < 50; ++i) {
    fs::copy(folder / "trace", folder / "copy", fs::copy_options::recursive);
    Damage{GetParam() * 1000 + i}.to(folder / "copy");
    try {
      auto read_again = read(folder / "copy");
      std::erase_if(read_again.remarks,
                    [](const auto& one) { return one.text.find("checksums") < one.text.size(); });
      EXPECT_EQ(difference(read_again, trace), "") << i;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(": ")) << i;
    }
    fs::remove_all(folder / "copy");
  }
}

/// Without checksums, as others write them: whatever it is, no crash and no hang.
TEST_P(Damaged, OfOthersDoesNoHarm) {
  const Folder folder;
  write(random_trace(GetParam() % 7, 60, GetParam() % 2 == 0 ? 1 : 4), folder / "trace");
  fs::remove(folder / "trace/checksums");
  for (std::uint32_t i = 0; i < 50; ++i) {
    fs::copy(folder / "trace", folder / "copy", fs::copy_options::recursive);
    Damage{GetParam() * 1000 + i}.to(folder / "copy");
    try {
      static_cast<void>(read(folder / "copy"));
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(": ")) << i;
    }
    fs::remove_all(folder / "copy");
  }
}

/// A writer looks at one event at a time.
TEST(DamagedPartitions, AreRefused) {
  const auto refusal = [](Event event) -> std::string {
    const Folder folder;
    Trace trace;
    trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
    trace.ranks.resize(2);
    Event prepared{.kind = Event::Kind::prepare_receive, .peer = 0, .request = 3, .count = 4};
    trace.ranks[1].events = {prepared, event};
    write(trace, folder / "trace");
    try {
      static_cast<void>(read(folder / "trace"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "it was read";
  };
  using Kind = Event::Kind;
  EXPECT_EQ(refusal({.kind = Kind::start, .request = 3}), "it was read");
  EXPECT_THAT(
      refusal({.kind = Kind::start, .request = 4}),
      testing::HasSubstr("rank 1's event 2 cannot be used (it starts what wasn't prepared"));
  EXPECT_EQ(refusal({.kind = Kind::ready, .tag = 2, .request = 3, .count = 2}), "it was read");
  EXPECT_THAT(refusal({.kind = Kind::ready, .request = 4}),
              testing::HasSubstr("its request isn't of partitions"));
  EXPECT_THAT(refusal({.kind = Kind::arrived, .tag = -1, .request = 3}),
              testing::HasSubstr("there is no such partition"));
  EXPECT_THAT(refusal({.kind = Kind::ready, .request = 3, .count = 3'000'000'000}),
              testing::HasSubstr("there is no such partition"));
  EXPECT_THAT(
      refusal({.kind = Kind::prepare_send, .peer = 1, .request = 1, .count = 3'000'000'000}),
      testing::HasSubstr("more partitions than MPI can count"));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Damaged, testing::Range(0U, 10U));

}  // namespace
}  // namespace commgauge::trace
