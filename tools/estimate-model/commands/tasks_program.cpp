#include "estimate-model/commands/tasks_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commgauge/base/error.hpp"
#include "commgauge/base/files.hpp"
#include "common/process/stop_request.hpp"

namespace commgauge::tools {

namespace {

namespace fs = std::filesystem;

/// A directory that is gone at the end.
class Scratch {
 public:
  Scratch() {
    const char* const given = std::getenv("TMPDIR");
    const fs::path place = given != nullptr && *given != '\0' ? given : "/tmp";
    std::string name = (place / "commgauge-tasks-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw InputError("cannot make a directory in " + place.string() + " (" +
                       std::strerror(errno) + "): set TMPDIR to where there is room");
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

/// Where exec() fails: its error number comes through here.
struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw InputError(std::strerror(errno));
  }
  ~Pipe() {
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int told_error() {
    close(ends[1]);
    ends[1] = -1;
    int error = 0;
    return read(ends[0], &error, sizeof error) == sizeof error ? error : 0;
  }
  int ends[2]{-1, -1};
};

/// A request to stop is passed on, once.
/// @return the exit status as waitpid() has it
int wait_for(pid_t process) {
  constexpr timespec pause{0, 5'000'000};
  bool was_told = false;
  for (;;) {
    int status{};
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) {
      throw InputError(std::string{"the program is lost ("} + std::strerror(errno) +
                       "): run this again");
    }
    if (stop_requested() && !was_told) {
      kill(process, SIGTERM);
      was_told = true;
    }
    nanosleep(&pause, nullptr);
  }
}

/// @return the exit status
int run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe pipe;
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // it doesn't outlive this process
    signal(SIGPIPE, SIG_DFL);
    execvp(argv[0], argv.data());
    const int error = errno;
    const auto told = write(pipe.ends[1], &error, sizeof error);
    _exit(told > 0 ? 127 : 126);
  }
  const int error = process < 0 ? errno : pipe.told_error();
  const int status = process < 0 ? 0 : wait_for(process);
  if (error == 0) return status;
  throw InputError("cannot start " + words.front() + " (" + std::strerror(error) +
                   "): give a program after --, as in -- ./program");
}

std::string failure_of(const std::string& program, int status) {
  if (WIFSIGNALED(status)) {
    return program + " was ended by signal " + std::to_string(WTERMSIG(status)) +
           " (not all tasks of this round were run): run this again";
  }
  return WEXITSTATUS(status) == 0
             ? ""
             : program + " ended with exit code " + std::to_string(WEXITSTATUS(status)) +
                   " (it should have run all tasks of its list): mend it and run this again";
}

/// Whole lines, as a program that was ended early leaves them.
std::string whole_lines(std::string text) {
  text.erase(text.find_last_of('\n') + 1);
  return text;
}

/// Why these aren't the times of those tasks; empty: they are.
std::string mismatch(const tasks::MeasuredTasks& measured, const tasks::Shape& shape,
                     const std::vector<std::uint64_t>& numbers) {
  for (const std::uint64_t number : measured.numbers) {
    if (std::ranges::binary_search(numbers, number)) continue;
    return "has task " + to_text(shape, number) + ", which wasn't asked for";
  }
  for (const std::uint64_t number : numbers) {
    if (std::ranges::binary_search(measured.numbers, number)) continue;
    return "lacks task " + to_text(shape, number);
  }
  return "";
}

tasks::MeasuredTasks only_asked_for(tasks::MeasuredTasks measured,
                                    const std::vector<std::uint64_t>& numbers) {
  tasks::MeasuredTasks kept{measured.shape, {}, {}, {}};
  for (std::size_t i = 0; i < measured.numbers.size(); ++i) {
    if (!std::ranges::binary_search(numbers, measured.numbers[i])) continue;
    kept.numbers.push_back(measured.numbers[i]);
    kept.times_s.push_back(measured.times_s[i]);
    if (!measured.result_bytes.empty()) kept.result_bytes.push_back(measured.result_bytes[i]);
  }
  return kept;
}

}  // namespace

Round run_program_on(const std::vector<std::string>& program, const tasks::Shape& shape,
                     const std::vector<std::uint64_t>& numbers) {
  const Scratch scratch;
  const std::string list = scratch.file("tasks.csv");
  const std::string times = scratch.file("times.csv");
  write_file(list, tasks::to_csv(shape, numbers));
  std::vector<std::string> words = program;
  words.insert(words.end(), {"--tasks", list, "--times", times});
  const int status = run(words);
  Round round;
  round.was_stopped = stop_requested();
  round.failure = failure_of(program.front(), status);
  try {
    const std::string text = is_there(times) ? read_file(times) : "";
    const tasks::MeasuredTasks measured = tasks::tasks_from_csv(
        round.failure.empty() && !round.was_stopped ? text : whole_lines(text),
        program.front() + "'s times", shape);
    const std::string mismatched = mismatch(measured, shape, numbers);
    if (round.failure.empty() && !mismatched.empty()) {
      round.failure = "what " + program.front() + " wrote for --times " + mismatched +
                      " (each task of its list has a line): mend it and run this again";
    }
    round.measured = only_asked_for(measured, numbers);
    if (round.measured->numbers.empty()) round.measured.reset();
  } catch (const InputError& error) {
    if (round.failure.empty()) round.failure = error.what();
  }
  return round;
}

}  // namespace commgauge::tools
