#include "thresholds/picture.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "commgauge/base/error.hpp"

namespace commgauge::tools {

namespace {

/// The one that the package was built for: its compiled part fits no other.
constexpr const char* python = COMMGAUGE_PYTHON;

[[noreturn]] void fail(const std::string& reason) {
  throw InputError("cannot draw (" + reason +
                   "): install commgauge's Python package (docs/python.md), python3-numpy and "
                   "python3-matplotlib, or leave out --plot");
}

[[noreturn]] void fail_to_store() {
  throw InputError(std::string{"cannot draw ("} + std::strerror(errno) + "): make room in /tmp");
}

/// A file without a name. Unlike a pipe it never makes its writer wait.
class Scratch {
 public:
  Scratch() : file_{std::tmpfile(), std::fclose} {
    if (!file_) fail_to_store();
  }
  explicit Scratch(const std::string& text) : Scratch() {
    const bool written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
                         std::fflush(file_.get()) == 0;
    if (!written) fail_to_store();
  }

  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

  /// A path for a child process, which inherits the file.
  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(descriptor()); }

  [[nodiscard]] std::string contents() const {
    std::rewind(file_.get());
    std::string text;
    char buffer[4096];
    for (std::size_t count{}; (count = std::fread(buffer, 1, sizeof buffer, file_.get())) > 0;) {
      text.append(buffer, count);
    }
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// @return whether it ended well.
bool wait_for(pid_t process) {
  int status{};
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail(std::string{python} + " is lost: " + std::strerror(errno));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What Python says last: the lines before are a traceback.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text.empty() ? "it failed without a word" : text.substr(text.rfind('\n') + 1);
}

/// @return its standard output. @throws InputError  it fails.
std::string run_python(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), python);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const Scratch out;
  const Scratch err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t process{};
  const int error = posix_spawnp(&process, python, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(std::string{"cannot start "} + python + ": " + std::strerror(error));
  if (!wait_for(process)) fail(std::string{python} + ": " + last_line(err.contents()));
  return out.contents();
}

}  // namespace

void check_drawing() { (void)run_python({"-c", "import commgauge.plots"}); }

std::string draw(const Thresholds& thresholds, const std::string& times,
                 const std::string& format) {
  const Scratch found{to_json(thresholds)};
  const Scratch measured{times};
  return run_python({"-m", "commgauge", "plot", "sweep", found.path(), measured.path(), "-o", "-",
                     "--format", format});
}

}  // namespace commgauge::tools
