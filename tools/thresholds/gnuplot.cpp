#include "gnuplot.hpp"

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

constexpr const char* what_to_do =
    "install gnuplot (Debian package gnuplot-nox), or leave out "
    "--plot";

/// A file without a name: unlike a pipe it never makes its writer wait.
using Scratch = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const std::string& problem, const std::string& reason) {
  throw InputError(problem + " (" + reason + "): " + what_to_do);
}

Scratch scratch() {
  Scratch file{std::tmpfile(), std::fclose};
  if (!file)
    throw InputError(std::string{"cannot plot (no temporary file: "} + std::strerror(errno) +
                     "): make room in /tmp");
  return file;
}

void put(const Scratch& file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0;
  if (!written)
    throw InputError(std::string{"cannot plot ("} + std::strerror(errno) + "): make room in /tmp");
  std::rewind(file.get());
}

std::string contents(const Scratch& file) {
  std::rewind(file.get());
  std::string text;
  char buffer[4096];
  for (std::size_t count{}; (count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    text.append(buffer, count);
  }
  return text;
}

/// @return the exit status as waitpid() has it.
int wait_for(pid_t process) {
  int status{};
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail("gnuplot is lost", std::strerror(errno));
  }
  return status;
}

struct Output {
  std::string out;
  std::string err;
  int status{};
};

Output run_gnuplot(std::vector<std::string> arguments, const std::string& input) {
  const Scratch in = scratch();
  const Scratch out = scratch();
  const Scratch err = scratch();
  put(in, input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t process{};
  const int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail("cannot start gnuplot", std::strerror(error));
  const int status = wait_for(process);
  return {contents(out), contents(err), status};
}

/// The line that tells what is wrong: gnuplot shows the command and a caret first.
std::string complaint(const Output& output) {
  const std::string& text = output.err;
  const auto start = text.find("line ");
  const std::string line = text.substr(start == std::string::npos ? 0 : start, 200);
  return line.empty() ? "exit status " + std::to_string(output.status)
                      : line.substr(0, line.find('\n'));
}

}  // namespace

void check_gnuplot() { (void)draw("set terminal svg\nplot [0:1] x\n"); }

std::string draw(const std::string& script) {
  const Output output = run_gnuplot({"gnuplot", "-d", "-"}, script);
  constexpr const char* last_words = "</svg>";
  if (output.status != 0 || output.out.find(last_words) == std::string::npos) {
    fail("gnuplot failed", complaint(output));
  }
  return output.out;
}

}  // namespace commgauge::tools
