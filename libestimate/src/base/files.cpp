#include "commgauge/base/files.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commgauge/base/error.hpp"
#include "commgauge/base/printable.hpp"

namespace commgauge {
namespace {

namespace fs = std::filesystem;

/// What has no end must not fill the memory.
constexpr std::size_t most_bytes_read = std::size_t{2} << 30U;
/// What comes through a pipe, whose size isn't known before.
constexpr std::size_t most_bytes_piped = std::size_t{1} << 30U;

std::string advice(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "check the path, create the directory";
    case EISDIR:
      return "give a file name";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space or choose another place";
    default:
      return "choose another place";
  }
}

[[noreturn]] void fail_to_write(const fs::path& file, int error) {
  throw WriteError(one_line("cannot write " + file.string() + " (" +
                            std::generic_category().message(error) + ")"),
                   advice(error));
}

[[noreturn]] void fail_to_read(const std::string& name, const std::string& why,
                               const std::string& what_to_do) {
  throw InputError(one_line("cannot read " + name + " (" + why + "): " + what_to_do));
}

[[noreturn]] void fail_to_read(const std::string& name, int error) {
  const bool is_directory = error == EISDIR;
  fail_to_read(name, std::generic_category().message(error),
               is_directory ? "give a file; a recorded trace is read by replay"
                            : "check the name and its permissions");
}

/// Also where nothing is there.
fs::file_status known_status(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::status_known(status)) fail_to_read(file.string(), error.value());
  return status;
}

/// Devices have no end, but for terminals, and for /dev/null at once.
bool has_end(int fd, const struct stat& status) {
  struct stat null {};
  if (!S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode)) return true;
  const bool is_null = ::stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev;
  return is_null || ::isatty(fd) != 0;
}

/// How many bytes may come. @throws InputError  there is no end, or too much
std::size_t most_bytes(int fd, const std::string& name) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail_to_read(name, errno);
  if (!has_end(fd, status)) {
    fail_to_read(name, "it is a device, which has no end", "give a file");
  }
  if (!S_ISREG(status.st_mode)) return most_bytes_piped;
  if (static_cast<std::uintmax_t>(status.st_size) > most_bytes_read) fail_to_read(name, EFBIG);
  return most_bytes_read;
}

/// Closes on the way out; close() reports what closing reports.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_{fd} {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { (void)close(); }

  /// @pre !valid()
  void reset(int fd) { fd_ = fd; }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  /// errno, or 0.
  [[nodiscard]] int close() {
    const int fd = std::exchange(fd_, -1);
    return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
  }

 private:
  int fd_;
};

/// While it lives a limit of files' sizes is an error of the write, not this process's end.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;
  ~FileSizeSignalBlocked() {
    const timespec at_once{};
    while (sigtimedwait(&signal_, nullptr, &at_once) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

/// errno, or 0.
int write_all(int fd, std::string_view content) {
  const FileSizeSignalBlocked blocked;
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written >= 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// errno, or 0, also where the file system has no such thing.
int sync(int fd) {
  if (::fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return 0;
  return errno;
}

bool is_standard_output(const fs::path& file) { return file == "-" || file == "/dev/stdout"; }

/// What a chain of symbolic links leads to, whether that exists or not.
fs::path resolved(fs::path file) {
  constexpr int most_links = 40;
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const fs::path next = fs::read_symlink(file, error);
    if (error) return file;
    file = file.parent_path() / next;  // an absolute `next` replaces all
  }
  fail_to_write(file, ELOOP);
}

/// Nothing where there is none. @param standard  what `-` stands for.
std::optional<struct stat> status_of(const fs::path& file, int standard) {
  struct stat status {};
  const int result = file == "-" ? ::fstat(standard, &status) : ::stat(file.c_str(), &status);
  return result == 0 ? std::optional{status} : std::nullopt;
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// One name for all that lead to a file which needn't exist yet.
fs::path one_name(const fs::path& file) {
  std::error_code error;
  const fs::path full = fs::absolute(resolved(file), error);
  const fs::path name = fs::weakly_canonical(full, error);
  return error ? full.lexically_normal() : name;
}

fs::path directory_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

/// Where a file goes and what is there now.
struct Target {
  fs::path file;
  bool in_place{};  ///< a pipe or a device
  bool exists{};
  mode_t permissions{};
};

/// @throws WriteError  a directory, no permission, a path that leads nowhere.
Target find_target(const fs::path& file) {
  if (file.empty()) {
    throw WriteError("cannot write a file without a name (the path is empty)", "give a file name");
  }
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_to_write(file, errno);
    if (!file.has_filename()) fail_to_write(file, EISDIR);
    return {resolved(file), false, false, 0};
  }
  if (S_ISDIR(status.st_mode)) fail_to_write(file, EISDIR);
  if (::access(file.c_str(), W_OK) != 0) fail_to_write(file, errno);
  if (!S_ISREG(status.st_mode)) return {file, true, true, 0};
  return {resolved(file), false, true, status.st_mode & 0777U};
}

/// A new file beside the target, removed again unless it is renamed.
class Temporary {
 public:
  /// @throws WriteError named after `file`, which is what the user asked for.
  Temporary(const Target& target, const fs::path& file) : file_{file} {
    constexpr int most_tries = 1000;
    for (int i = 0; i < most_tries && !fd_.valid(); ++i) {
      path_ = directory_of(target.file) /
              (".commgauge-" + std::to_string(::getpid()) + '-' + std::to_string(i) + ".tmp");
      fd_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (!fd_.valid() && errno != EEXIST) fail_to_write(file_, errno);
    }
    if (!fd_.valid()) fail_to_write(file_, EEXIST);
    if (target.exists) (void)::fchmod(fd_.get(), target.permissions);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) (void)::unlink(path_.c_str());
  }

  void write(std::string_view content) {
    int error = write_all(fd_.get(), content);
    if (error == 0) error = sync(fd_.get());
    if (const int closing = fd_.close(); error == 0) error = closing;
    if (error != 0) fail_to_write(file_, error);
  }

  void rename_to(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail_to_write(file_, errno);
    renamed_ = true;
  }

 private:
  fs::path file_;
  fs::path path_;
  Descriptor fd_{-1};
  bool renamed_{};
};

/// Makes the rename last. A directory that can't be opened for reading is left to the system.
void sync_directory(const fs::path& directory, const fs::path& file) {
  const Descriptor fd{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd.valid()) return;
  if (const int error = sync(fd.get()); error != 0) fail_to_write(file, error);
}

void write_in_place(const fs::path& file, std::string_view content) {
  Descriptor fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!fd.valid()) fail_to_write(file, errno);
  int error = write_all(fd.get(), content);
  if (const int closing = fd.close(); error == 0) error = closing;
  if (error != 0) fail_to_write(file, error);
}

void write_standard_output(std::string_view content) {
  std::cout.flush();
  std::fflush(stdout);
  const int error = write_all(STDOUT_FILENO, content);
  if (error != 0) fail_to_write("standard output", error);
}

}  // namespace

bool is_there(const fs::path& file) { return fs::exists(known_status(file)); }

bool is_a_directory(const fs::path& file) { return fs::is_directory(known_status(file)); }

bool is_a_file(const fs::path& file) { return fs::is_regular_file(known_status(file)); }

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry{directory, error}, end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) fail_to_read(directory.string(), error.value());
  return entries;
}

fs::path absolute_path(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::absolute(file, error);
  if (error) fail_to_read(file.string(), error.value());
  return path;
}

std::string read_file(const fs::path& file) {
  const bool standard_input = file == "-";
  const std::string name = standard_input ? "standard input" : file.string();
  Descriptor opened{standard_input ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!standard_input && !opened.valid()) fail_to_read(name, errno);
  const int fd = standard_input ? STDIN_FILENO : opened.get();
  const std::size_t most = most_bytes(fd, name);

  std::string content;
  std::array<char, 1U << 16U> buffer{};
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) return content;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(name, errno);
    if (content.size() + static_cast<std::size_t>(got) > most) fail_to_read(name, EFBIG);
    content.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string beginning_of(const fs::path& file) {
  const Descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!opened.valid()) fail_to_read(file.string(), errno);
  std::string content(std::size_t{1} << 12U, '\0');
  const ssize_t got = ::read(opened.get(), content.data(), content.size());
  if (got < 0) fail_to_read(file.string(), errno);
  content.resize(static_cast<std::size_t>(got));
  return content;
}

void write_file(const fs::path& file, std::string_view content) {
  if (is_standard_output(file)) return write_standard_output(content);
  const Target target = find_target(file);
  if (target.in_place) return write_in_place(target.file, content);
  Temporary temporary{target, file};
  temporary.write(content);
  temporary.rename_to(target.file);
  sync_directory(directory_of(target.file), file);
}

void check_writable(const fs::path& file) {
  if (is_standard_output(file)) {
    if (::fcntl(STDOUT_FILENO, F_GETFD) < 0) fail_to_write("standard output", errno);
    return;
  }
  const Target target = find_target(file);
  if (target.in_place) return;
  // A full file system lets files be created, but not filled.
  constexpr std::size_t trial_bytes = 16384;
  Temporary{target, file}.write(std::string(trial_bytes, ' '));
}

bool would_replace(const fs::path& output, const fs::path& input) {
  const auto written = status_of(output, STDOUT_FILENO);
  const auto read = status_of(input, STDIN_FILENO);
  return written && read && S_ISREG(read->st_mode) && is_same(*written, *read);
}

bool is_same_output(const fs::path& a, const fs::path& b) {
  const auto one = status_of(a, STDOUT_FILENO);
  const auto other = status_of(b, STDOUT_FILENO);
  if (one || other) return one && other && is_same(*one, *other);
  return one_name(a) == one_name(b);
}

}  // namespace commgauge
