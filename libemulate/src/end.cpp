// How a program's process ends, and which programs it becomes by exec on the way. A program that
// never calls MPI where the emulation can see it was not emulated: its end has to say so.

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "c_library.hpp"
#include "job.hpp"
#include "program_file.hpp"
#include "report.hpp"
#include "session.hpp"
#include "variables.hpp"

namespace commgauge::emulate {

namespace {

int wanted_code = 0;
bool is_reached = false;

/// Descriptor of the machine's file, whose last byte marks that MPI was called; −1: there is none.
int mark_of_machine() {
  const char* const fd = variable::value_of(variable::machine);
  return *fd != '\0' ? std::atoi(fd) : -1;
}

off_t place_of_mark(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 && about.st_size > 0 ? about.st_size - 1 : -1;
}

/// Whether this process has called MPI, or one that it started has, as the program of a script.
bool is_reached_by_any() {
  const int fd = mark_of_machine();
  char mark = 1;  // without the file it can't be known, and nothing is said
  if (fd >= 0 && place_of_mark(fd) >= 0) (void)!pread(fd, &mark, 1, place_of_mark(fd));
  return is_reached || mark != 0;
}

/// Whether the launcher became this process, through however many programs.
bool is_launched() { return std::atoi(variable::value_of(variable::process)) == getpid(); }
bool speaks() { return *variable::value_of(variable::speaks) != '\0'; }

int final_code(int code) {
  if (wanted_code != 0 && code == 0) return wanted_code;
  if (!is_launched() || is_reached_by_any()) return code;
  if (speaks()) {
    say("the program called no MPI that the emulation could see (nothing was emulated): link it "
        "with the shared MPI library, if it is a program of MPI");
  }
  return code == 0 ? static_cast<int>(ExitCode::bad_input) : code;
}

void change_code(int code, void*) {
  const int wanted = final_code(code);
  if (wanted == code) return;
  std::fflush(nullptr);
  syscall(SYS_exit_group, wanted);
}

/// Handlers run in the reverse order: registered before the program's, this one runs when the
/// others' output has been written.
[[gnu::constructor]] void watch_the_end() { on_exit(change_code, nullptr); }

[[noreturn]] void end_at_once(int code) {
  code = final_code(code);
  for (;;) syscall(SYS_exit_group, code);
}

/// Ends the process instead of an exec of a program that the emulation can't be loaded into.
void check_successor(const std::string& program) {
  const std::string why = why_not_emulated(program);
  if (why.empty()) return;
  if (speaks()) say(why);
  emulation_is_reached();
  end_at_once(static_cast<int>(ExitCode::bad_input));
}

std::string as_path(const char* file) {
  const std::string name = file;
  return name.find('/') == std::string::npos ? "./" + name : name;
}

}  // namespace

void end_with(ExitCode code) { wanted_code = static_cast<int>(code); }

void emulation_is_reached() {
  is_reached = true;
  const int fd = mark_of_machine();
  const char mark = 1;
  if (fd >= 0 && place_of_mark(fd) >= 0) (void)!pwrite(fd, &mark, 1, place_of_mark(fd));
}

}  // namespace commgauge::emulate

using namespace commgauge::emulate;

extern "C" {

int execve(const char* file, char* const* arguments, char* const* environment) noexcept {
  if (is_launched()) check_successor(as_path(file));
  return next<int(const char*, char* const*, char* const*)>("execve")(file, arguments, environment);
}

int execv(const char* file, char* const* arguments) noexcept {
  if (is_launched()) check_successor(as_path(file));
  return next<int(const char*, char* const*)>("execv")(file, arguments);
}

int execvp(const char* file, char* const* arguments) noexcept {
  if (is_launched()) check_successor(file);
  return next<int(const char*, char* const*)>("execvp")(file, arguments);
}

void _exit(int code) { end_at_once(code); }
void _Exit(int code) noexcept { end_at_once(code); }

}  // extern "C"
