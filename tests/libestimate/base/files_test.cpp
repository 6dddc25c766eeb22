#include "commgauge/base/files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "commgauge/base/error.hpp"

namespace commgauge::files_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A directory of its own, removed afterwards.
class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "files_test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw InputError("no temporary directory");
    directory_ = pattern;
  }
  ~Files() override {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] long entries() const {
    return std::distance(fs::directory_iterator{directory_}, fs::directory_iterator{});
  }

 private:
  fs::path directory_;
};

unsigned permissions(const fs::path& file) {
  return static_cast<unsigned>(fs::status(file).permissions());
}

/// Files can't grow beyond this while it lives: a full disk for one process.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Files, AreReadBackAsWritten) {
  const std::string content("two\nlines\0and a zero", 20);
  write_file(path("a"), content);
  EXPECT_EQ(read_file(path("a")), content);
  write_file(path("a"), "");
  EXPECT_EQ(read_file(path("a")), "");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, LargeOnesToo) {
  const std::string content(3'000'001, 'x');
  write_file(path("a"), content);
  EXPECT_EQ(read_file(path("a")), content);
}

TEST_F(Files, NewOnesRespectTheUmask) {
  const mode_t before = ::umask(0027);
  write_file(path("a"), "x");
  ::umask(before);
  EXPECT_EQ(permissions(path("a")), 0640U);
}

TEST_F(Files, OldOnesKeepTheirPermissions) {
  write_file(path("a"), "x");
  fs::permissions(path("a"), fs::perms{0600});
  write_file(path("a"), "y");
  EXPECT_EQ(permissions(path("a")), 0600U);
}

TEST_F(Files, SymbolicLinksAreFollowed) {
  fs::create_directory(path("d"));
  fs::create_symlink("d/real", path("link"));
  write_file(path("link"), "new");
  EXPECT_EQ(read_file(path("d/real")), "new");
  write_file(path("link"), "newer");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("d/real")), "newer");
}

TEST_F(Files, LinkInACircle) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_THROW(write_file(path("a"), "x"), InputError);
}

TEST_F(Files, WhatCannotBeWrittenIsKnownApartFromTheAdvice) {
  try {
    write_file(path("no") / "a\nb", "x");
    FAIL() << "was written";
  } catch (const WriteError& error) {
    EXPECT_EQ(error.problem(),
              "cannot write " + path("no").string() + "/a?b (No such file or directory)");
    EXPECT_EQ(error.what(), error.problem() + ": check the path, create the directory");
  }
  EXPECT_THROW(check_writable(""), WriteError);
}

TEST_F(Files, PipesAreWrittenInPlace) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader{[&] { got = read_file(path("pipe")); }};
  write_file(path("pipe"), "through the pipe");
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(Files, NoRoomLeavesTheOldFileAndNothingElse) {
  write_file(path("a"), "old");
  std::string message;
  {
    const FileSizeLimit limit{1000};
    message = message_of([&] { write_file(path("a"), std::string(5000, 'x')); });
  }
  EXPECT_EQ(message, "cannot write " + path("a").string() +
                         " (File too large): free some space or choose another place");
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, NoRoomIsFoundBeforehand) {
  std::string message;
  {
    const FileSizeLimit limit{1000};
    message = message_of([&] { check_writable(path("a")); });
  }
  EXPECT_THAT(message, HasSubstr("(File too large)"));
  EXPECT_EQ(entries(), 0);
}

TEST_F(Files, FullDevice) {
  EXPECT_EQ(message_of([] { write_file("/dev/full", "x"); }),
            "cannot write /dev/full (No space left on device): free some space or choose another "
            "place");
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, MissingDirectory) {
  const std::string expected = "cannot write " + path("no/a").string() +
                               " (No such file or directory): check the path, create the directory";
  EXPECT_EQ(message_of([&] { write_file(path("no/a"), "x"); }), expected);
  EXPECT_EQ(message_of([&] { check_writable(path("no/a")); }), expected);
}

TEST_F(Files, AFileInPlaceOfADirectory) {
  write_file(path("a"), "x");
  EXPECT_THAT(message_of([&] { check_writable(path("a/b")); }), HasSubstr("(Not a directory)"));
}

TEST_F(Files, DirectoryAsTarget) {
  fs::create_directory(path("d"));
  const std::string expected =
      "cannot write " + path("d").string() + " (Is a directory): give a file name";
  EXPECT_EQ(message_of([&] { write_file(path("d"), "x"); }), expected);
  EXPECT_EQ(message_of([&] { check_writable(path("d")); }), expected);
  EXPECT_THAT(message_of([&] { check_writable(path("new/")); }), HasSubstr("(Is a directory)"));
  EXPECT_THAT(message_of([] { check_writable(""); }), HasSubstr("give a file name"));
}

TEST_F(Files, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "permission bits don't bind root";
  fs::create_directory(path("d"));
  fs::permissions(path("d"), fs::perms{0500});
  EXPECT_THAT(message_of([&] { check_writable(path("d/a")); }), HasSubstr("(Permission denied)"));
  write_file(path("a"), "x");
  fs::permissions(path("a"), fs::perms{0400});
  EXPECT_THAT(message_of([&] { check_writable(path("a")); }), HasSubstr("(Permission denied)"));
  EXPECT_THAT(message_of([&] { write_file(path("a"), "y"); }), HasSubstr("(Permission denied)"));
}

TEST_F(Files, CheckingLeavesNothingBehind) {
  EXPECT_NO_THROW(check_writable(path("a")));
  EXPECT_EQ(entries(), 0);
  write_file(path("a"), "old");
  EXPECT_NO_THROW(check_writable(path("a")));
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(entries(), 1);
  EXPECT_NO_THROW(check_writable("-"));
  EXPECT_NO_THROW(check_writable("/dev/null"));
}

TEST_F(Files, AnInputIsFoundBehindLinks) {
  write_file(path("a"), "x");
  write_file(path("b"), "x");
  fs::create_directory(path("d"));
  fs::create_directory_symlink(path("d"), path("to_d"));
  fs::create_symlink("a", path("soft"));
  fs::create_symlink("soft", path("softer"));
  fs::create_hard_link(path("a"), path("hard"));
  for (const char* name : {"a", "soft", "softer", "hard", "./a", "d/../a", "to_d/../a"}) {
    EXPECT_TRUE(would_replace(path(name), path("a"))) << name;
    EXPECT_TRUE(would_replace(path("a"), path(name))) << name;
    EXPECT_FALSE(would_replace(path(name), path("b"))) << name;
  }
  EXPECT_FALSE(would_replace(path("new"), path("a")));
  EXPECT_FALSE(would_replace(path("a"), path("new")));
  EXPECT_FALSE(would_replace("/dev/null", "/dev/null"));
}

TEST_F(Files, OneOutputByTwoNames) {
  fs::create_directory(path("d"));
  fs::create_directory_symlink("d", path("to_d"));
  fs::create_symlink("d/new", path("soft"));
  for (const char* name : {"d/new", "to_d/new", "soft", "d/./new", "d/../d/new"}) {
    EXPECT_TRUE(is_same_output(path(name), path("d/new"))) << name;
    EXPECT_FALSE(is_same_output(path(name), path("new"))) << name;
  }
  EXPECT_TRUE(is_same_output("-", "/dev/stdout"));
  EXPECT_FALSE(is_same_output(path("new"), "-"));
  fs::create_symlink("loop", path("loop"));
  EXPECT_THAT(message_of([&] { (void)is_same_output(path("loop"), path("new")); }),
              HasSubstr("symbolic links"));
}

TEST_F(Files, LongNamesHaveRoomForTheTemporary) {
  const std::string name(255, 'n');
  write_file(path(name), "x");
  EXPECT_EQ(read_file(path(name)), "x");
}

TEST_F(Files, TwoWritersNeverMix) {
  const std::string a(200'000, 'a');
  const std::string b(200'000, 'b');
  std::thread other{[&] {
    for (int i = 0; i < 20; ++i) write_file(path("f"), b);
  }};
  for (int i = 0; i < 20; ++i) write_file(path("f"), a);
  other.join();
  const std::string got = read_file(path("f"));
  EXPECT_TRUE(got == a || got == b);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, WhatCannotBeRead) {
  EXPECT_THAT(message_of([&] { (void)read_file(path("no")); }),
              StartsWith("cannot read " + path("no").string() + " (No such file or directory)"));
  EXPECT_THAT(message_of([&] { (void)read_file(path("")); }), HasSubstr("(Is a directory)"));
  EXPECT_EQ(message_of([&] { (void)read_file(path("two\nlines")); }).find('\n'), std::string::npos);
}

TEST_F(Files, DevicesHaveNoEnd) {
  EXPECT_EQ(message_of([] { (void)read_file("/dev/zero"); }),
            "cannot read /dev/zero (it is a device, which has no end): give a file");
  fs::create_symlink("/dev/urandom", path("link"));
  EXPECT_THAT(message_of([&] { (void)read_file(path("link")); }), HasSubstr("it is a device"));
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST_F(Files, AreNotReadBeyondALimit) {
  write_file(path("large"), "");
  fs::resize_file(path("large"), std::uintmax_t{3} << 30U);  // of holes
  EXPECT_THAT(message_of([&] { (void)read_file(path("large")); }), HasSubstr("(File too large)"));
}

TEST_F(Files, WhatIsThere) {
  write_file(path("file"), "x");
  fs::create_directory(path("directory"));
  ::mkfifo(path("pipe").c_str(), 0600);
  EXPECT_TRUE(is_there(path("file")) && is_there(path("directory")) && is_there(path("pipe")));
  EXPECT_TRUE(is_a_file(path("file")) && is_a_directory(path("directory")));
  EXPECT_FALSE(is_a_file(path("directory")) || is_a_directory(path("file")));
  EXPECT_FALSE(is_a_file(path("pipe")) || is_a_directory(path("pipe")));
  for (const fs::path& none : {path("none"), path("none/none"), path("file/none")}) {
    EXPECT_FALSE(is_there(none) || is_a_file(none) || is_a_directory(none)) << none;
  }
  EXPECT_EQ(entries_of(path("")).size(), 3U);
  EXPECT_TRUE(entries_of(path("directory")).empty());
}

TEST_F(Files, WhatCannotBeToldIsAnError) {
  fs::create_symlink("loop", path("loop"));
  const fs::path long_name = path(std::string(300, 'a'));
  for (const fs::path& file : {path("loop"), path("loop/x"), long_name}) {
    for (bool (*const look)(const fs::path&) : {is_there, is_a_directory, is_a_file}) {
      EXPECT_THAT(message_of([&] { (void)look(file); }),
                  StartsWith("cannot read " + file.string() + " ("));
    }
    EXPECT_THAT(message_of([&] { (void)entries_of(file); }), StartsWith("cannot read "));
  }
  EXPECT_THAT(message_of([&] { (void)entries_of(path("none")); }), StartsWith("cannot read "));
  EXPECT_THAT(message_of([&] { (void)beginning_of(path("none")); }), StartsWith("cannot read "));
}

TEST_F(Files, TheirBeginning) {
  write_file(path("short"), "abc");
  write_file(path("long"), std::string(100'000, 'x'));
  EXPECT_EQ(beginning_of(path("short")), "abc");
  const std::string beginning = beginning_of(path("long"));
  EXPECT_EQ(beginning, std::string(beginning.size(), 'x'));
  EXPECT_GE(beginning.size(), 1000U);
}

TEST(StandardOutput, IsADash) {
  ::testing::internal::CaptureStdout();
  write_file("-", "to the screen\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to the screen\n");
  ::testing::internal::CaptureStdout();
  write_file("/dev/stdout", "to the screen\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to the screen\n");
}

TEST(StandardOutput, FullIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  const int before = ::dup(STDOUT_FILENO);
  ::dup2(full, STDOUT_FILENO);
  const std::string message = message_of([] { write_file("-", "x"); });
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  ::close(full);
  EXPECT_EQ(message,
            "cannot write standard output (No space left on device): free some space or choose "
            "another place");
}

}  // namespace commgauge::files_test
