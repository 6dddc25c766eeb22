#include "lifetime/end.hpp"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "program/mpi_library.hpp"
#include "system/c_library.hpp"

namespace commgauge::preload {

namespace {

int wanted_code = 0;
pid_t wanted_of = 0;  ///< not of the processes that it starts
bool is_reached = false;

/// Empty where it isn't set.
const char* value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// −1: there is none.
int file_of_mark() {
  const char* const fd = value_of(library().file);
  return *fd != '\0' ? std::atoi(fd) : -1;
}

off_t place_of_mark(int fd) {
  struct stat about {};
  return fstat(fd, &about) == 0 && about.st_size > 0 ? about.st_size - 1 : -1;
}

void put_mark(char mark) {
  const int fd = file_of_mark();
  if (fd >= 0 && place_of_mark(fd) >= 0) (void)!pwrite(fd, &mark, 1, place_of_mark(fd));
}

/// Whether this process has called MPI, or one that it started has, as the program of a script.
bool is_reached_by_any() {
  const int fd = file_of_mark();
  char mark = 1;  // without the file it can't be known, and nothing is said
  if (fd >= 0 && place_of_mark(fd) >= 0) (void)!pread(fd, &mark, 1, place_of_mark(fd));
  return is_reached || mark != 0;
}

pid_t process_of_mpi = 0;  ///< not one that it has started

/// If MPI was under way in this process, says so. Of its ways to end the first one counts: it may
/// lead through others. @return whether it was
bool leaves_mpi(const std::string& how, int code) {
  if (process_of_mpi != getpid()) return false;
  process_of_mpi = 0;
  return library().abandon(how, code);
}

int final_code(int code) {
  const int of_job = code == 0 ? static_cast<int>(ExitCode::bad_input) : code;
  if (leaves_mpi("ended without MPI_Finalize", of_job)) return of_job;
  if (wanted_code != 0 && code == 0 && wanted_of == getpid()) return wanted_code;
  if (!is_launched() || is_reached_by_any()) return code;
  const auto& [done, doing] = library().purpose;
  say_once(std::string{"the program called no MPI that "} + doing + " could see (nothing was " +
           done + "): link it with the shared MPI library, if it is a program of MPI");
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
[[gnu::constructor]] void watch_the_end() {
  on_exit(change_code, nullptr);
  at_quick_exit([] { change_code(0, nullptr); });  // which doesn't tell the code
}

[[noreturn]] void end_at_once(int code) {
  code = final_code(code);
  for (;;) syscall(SYS_exit_group, code);
}

[[noreturn]] void refuse(const std::string& why) {
  say_once(why);
  mpi_is_called();
  mpi_is_done();
  end_at_once(static_cast<int>(ExitCode::bad_input));
}

std::string as_path(const char* file) {
  const std::string name = file;
  return name.find('/') == std::string::npos ? "./" + name : name;
}

/// Ends the process instead of an exec within MPI, or of a program that the library can't be loaded
/// into. Children that are forked are not its concern, nor is an exec that fails.
void check_successor(const char* file, bool is_path) {
  if (process_of_mpi != getpid() && !is_launched()) return;
  const std::string program = is_path ? as_path(file) : file;
  if (access(find_program(program).c_str(), X_OK) != 0) return;
  constexpr int code = static_cast<int>(ExitCode::bad_input);
  if (leaves_mpi("became " + program + " before MPI_Finalize", code)) end_at_once(code);
  if (!is_launched()) return;
  const std::string why = why_not(library().purpose, program, {known_mpi()});
  if (!why.empty()) refuse(why);
}

/// Of a call that lists them, with the null pointer at their end.
std::vector<char*> all_arguments(const char* first, va_list& further) {
  std::vector<char*> all{const_cast<char*>(first)};
  while (all.back() != nullptr) all.push_back(va_arg(further, char*));
  return all;
}

}  // namespace

void pause(const timespec& length) { syscall(SYS_nanosleep, &length, nullptr); }

bool is_launched() { return std::atoi(value_of(library().process)) == getpid(); }

void end_with(ExitCode code) {
  wanted_code = static_cast<int>(code);
  wanted_of = getpid();
}

void say_once(const std::string& text) {
  if (*value_of(library().speaks) != '\0') {
    library().say(text);
  } else {
    pause({1, 0});
  }
}

void check_own_program() {
  const std::string known = known_mpi();
  const std::string running = running_mpi();
  if (running == known) return;
  const auto& [done, doing] = library().purpose;
  refuse(std::string{"the program can't be "} + done + " (it runs with " + running + ", and " +
         doing + " was built for " + known + "): start it by the mpiexec of its own MPI library");
}

void mpi_is_called() {
  is_reached = true;
  process_of_mpi = getpid();
  put_mark(1);
}

void mpi_is_done() {
  process_of_mpi = 0;
  put_mark(2);
}

void wait_until_read(int file) {
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISFIFO(about.st_mode)) return;
  int left = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    if (ioctl(file, FIONREAD, &left) != 0 || left == 0) return;
    pause({0, 10'000'000});
  }
}

}  // namespace commgauge::preload

using namespace commgauge::preload;

extern "C" {

int execve(const char* file, char* const* arguments, char* const* environment) noexcept {
  check_successor(file, true);
  return next<int(const char*, char* const*, char* const*)>("execve")(file, arguments, environment);
}

int execv(const char* file, char* const* arguments) noexcept {
  check_successor(file, true);
  return next<int(const char*, char* const*)>("execv")(file, arguments);
}

int execvp(const char* file, char* const* arguments) noexcept {
  check_successor(file, false);
  return next<int(const char*, char* const*)>("execvp")(file, arguments);
}

int execvpe(const char* file, char* const* arguments, char* const* environment) noexcept {
  check_successor(file, false);
  return next<int(const char*, char* const*, char* const*)>("execvpe")(file, arguments,
                                                                       environment);
}

int fexecve(int file, char* const* arguments, char* const* environment) noexcept {
  check_successor(("/proc/self/fd/" + std::to_string(file)).c_str(), true);
  return next<int(int, char* const*, char* const*)>("fexecve")(file, arguments, environment);
}

int execl(const char* file, const char* first, ...) noexcept {
  va_list further;
  va_start(further, first);
  std::vector<char*> arguments = all_arguments(first, further);
  va_end(further);
  return execv(file, arguments.data());
}

int execlp(const char* file, const char* first, ...) noexcept {
  va_list further;
  va_start(further, first);
  std::vector<char*> arguments = all_arguments(first, further);
  va_end(further);
  return execvp(file, arguments.data());
}

int execle(const char* file, const char* first, ...) noexcept {
  va_list further;
  va_start(further, first);
  std::vector<char*> arguments = all_arguments(first, further);
  auto* const environment = va_arg(further, char* const*);
  va_end(further);
  return execve(file, arguments.data(), environment);
}

void _exit(int code) { end_at_once(code); }
void _Exit(int code) noexcept { end_at_once(code); }

}  // extern "C"
