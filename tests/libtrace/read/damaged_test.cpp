#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <random>

#include "commgauge/trace/read/reader.hpp"
#include "commgauge/trace/write/write_trace.hpp"
#include "commgauge/trace/write/writer.hpp"
#include "random_trace.hpp"

/// OTF2 itself gives back not all memory when it finds an archive damaged.
extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libopen-trace-format2";
}

namespace commgauge::trace::damaged_test {

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

std::string bytes_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void replace_by(const fs::path& file, const std::string& bytes) {
  std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
}

/// Little-endian, as archives are here.
std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string refusal_of(const fs::path& archive) {
  try {
    static_cast<void>(read(archive));
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was read";
}

constexpr const char* has_more = "is damaged (it says that it has more than it has)";

/// An archive without checksums, as others write them.
class DamagedCounts : public testing::Test {
 protected:
  DamagedCounts() {
    write(random_trace(1, 60, 4), trace_);
    fs::remove(trace_ / "checksums");
  }

  Folder folder_;
  fs::path trace_ = folder_ / "trace";
};

/// OTF2 takes memory for so many, up to 64 GiB, and looks at all of it.
TEST_F(DamagedCounts, OfTheAnchorsPropertiesAreRefused) {
  const std::string anchor = bytes_of(trace_ / "traces.otf2");
  std::size_t place = 2 + 5 + 1 + 38;  // up to three texts, of which the count follows
  for (int text = 0; text < 3; ++text) place = anchor.find('\0', place) + 1;
  ASSERT_EQ(refusal_of(trace_), "it was read");
  for (const std::uint64_t count : {50'000U, 0x4fff'ffffU, 0x7fff'ffffU, 0xffff'ffffU}) {
    std::string damaged = anchor;
    replace_by(trace_ / "traces.otf2", damaged.replace(place, 4, number(count, 4)));
    EXPECT_THAT(refusal_of(trace_), testing::HasSubstr(has_more)) << count;
  }
  const std::size_t needed = anchor.size() - 2;  // without the mark of its end
  for (std::size_t length = 0; length < needed; ++length) {
    replace_by(trace_ / "traces.otf2", anchor.substr(0, length));
    EXPECT_NE(refusal_of(trace_), "it was read") << length;
  }
}

/// A record behind the others of a file of definitions.
void add_record(const fs::path& file, std::uint8_t type, const std::string& record) {
  std::string bytes = bytes_of(file);
  const std::size_t end = bytes.size() - 2;  // where the end of the file is marked
  replace_by(file, bytes.insert(end, static_cast<char>(type) + number(record.size(), 1) + record));
}

/// OTF2 would read so many members, from beyond the file where it ends.
TEST_F(DamagedCounts, OfGroupsAndMapsAreRefused) {
  const std::string counted = number(4, 1) + number(0x7fff'ffff, 4);
  const std::string group = number(1, 1) + number(40, 1) + number(0, 1) + number(4, 1) + counted;
  const std::string table = number(1, 1) + counted + number(0, 1);
  const fs::path global = trace_ / "traces.def";
  const fs::path local = trace_ / "traces/0.def";
  const std::string before = bytes_of(global);
  const std::string local_before = bytes_of(local);
  add_record(global, 18, group);
  EXPECT_THAT(refusal_of(trace_), testing::HasSubstr("traces.def " + std::string{has_more}));
  replace_by(global, before);
  add_record(local, 5, table);
  EXPECT_THAT(refusal_of(trace_), testing::HasSubstr("0.def " + std::string{has_more}));
  replace_by(local, local_before);
  EXPECT_EQ(refusal_of(trace_), "it was read");
}

/// A pipe into which nobody writes would be waited for, a device never ends.
TEST_F(DamagedCounts, FilesThatAreNoneAreRefused) {
  for (const char* const name : {"traces.otf2", "traces.def", "traces/0.def", "traces/0.evt"}) {
    const fs::path file = trace_ / name;
    fs::rename(file, folder_ / "kept");
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_THAT(refusal_of(trace_), testing::HasSubstr("it is no file")) << name;
    fs::remove(file);
    fs::create_symlink("/dev/zero", file);
    EXPECT_THAT(refusal_of(trace_), testing::HasSubstr("it is no file")) << name;
    fs::remove(file);
    fs::rename(folder_ / "kept", file);
  }
  replace_by(trace_ / "checksums", "0123456789abcdef /dev/zero\n");
  EXPECT_THAT(refusal_of(trace_), testing::HasSubstr("it is no file"));
}

TEST(Archives, ThatCannotBeLookedAtAreRefused) {
  const Folder folder;
  fs::create_symlink("loop", folder / "loop");
  for (const fs::path& archive :
       {folder / "loop", folder / "loop/x", folder / std::string(300, 'a')}) {
    EXPECT_THAT(refusal_of(archive), testing::StartsWith("cannot read ")) << archive;
  }
}

/// Of which the first is the directory's own: others' traces come in directories, too.
TEST(Archives, OfOtherKindsAreSaidToBeThat) {
  const Folder folder;
  fs::create_directory(folder / "paraver");
  replace_by(folder / "paraver/run.prv",
             "#Paraver (26/11/26 at 12:00):1000_ns:1(2):1:2(1:1,1:1)\n");
  replace_by(folder / "ti.txt", "0 init\n0 send 1 0 8\n");
  replace_by(folder / "model.json", "{\"schema\": \"commgauge.model/1\"}");
  replace_by(folder / "what.otf2", "?");
  replace_by(folder / "what", "?");
  fs::create_directory(folder / "empty");
  const auto says = [&](const char* name, const char* what) {
    EXPECT_THAT(refusal_of(folder / name), testing::HasSubstr(what)) << name;
  };
  says("paraver", "run.prv is a Paraver trace (an OTF2 archive belongs here): ");
  says("paraver/run.prv", "run.prv is a Paraver trace");
  says("ti.txt", "is a time-independent trace of SimGrid");
  says("model.json", "is a model file (an OTF2 archive belongs here): estimate-model show");
  says("what", "it is no anchor of an OTF2 archive");
  says("what.otf2", "it is no anchor of an OTF2 archive");
  says("empty", "there is no .otf2 file in it");
  says("none", "there is no such file or directory");
}

TEST(Archives, NeedTheirAnchorsName) {
  const Folder folder;
  write(random_trace(1), folder / "trace");
  fs::copy_file(folder / "trace/traces.otf2", folder / "trace/traces.anchor");
  EXPECT_THAT(refusal_of(folder / "trace/traces.anchor"),
              testing::HasSubstr("its name doesn't end in .otf2"));
  EXPECT_EQ(refusal_of(folder / "trace/traces.otf2"), "it was read");
}

/// A writer looks at one event at a time.
TEST(DamagedPartitions, AreRefused) {
  const auto refusal = [](const Event& one) -> std::string {
    const Folder folder;
    Trace trace;
    trace.communicators.push_back({"MPI_COMM_WORLD", {0, 1}, {}});
    trace.ranks.resize(2);
    const Event prepared = event::PrepareReceive{.request = 3, .peer = 0, .partitions = 4};
    trace.ranks[1].events = {prepared, one};
    write(trace, folder / "trace");
    try {
      static_cast<void>(read(folder / "trace"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "it was read";
  };
  EXPECT_EQ(refusal(event::Start{.request = 3}), "it was read");
  EXPECT_THAT(
      refusal(event::Start{.request = 4}),
      testing::HasSubstr("rank 1's event 2 cannot be used (it starts what wasn't prepared"));
  EXPECT_EQ(refusal(event::Ready{.request = 3, .first = 2, .count = 2}), "it was read");
  EXPECT_THAT(refusal(event::Ready{.request = 4}),
              testing::HasSubstr("its request isn't of partitions"));
  EXPECT_THAT(refusal(event::Arrived{.request = 3, .partition = -1}),
              testing::HasSubstr("there is no such partition"));
  EXPECT_THAT(refusal(event::Ready{.request = 3, .count = 3'000'000'000}),
              testing::HasSubstr("there is no such partition"));
  EXPECT_THAT(refusal(event::PrepareSend{.request = 1, .peer = 1, .partitions = 3'000'000'000}),
              testing::HasSubstr("more partitions than MPI can count"));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Damaged, testing::Range(0U, 10U));

}  // namespace commgauge::trace::damaged_test
