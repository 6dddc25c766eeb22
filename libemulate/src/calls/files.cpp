// File operations. MPI itself carries them out, in a library above MPI: it calls MPI for messages
// between ranks, by the names that are the emulation's, and the operating system for the data. So
// their messages are emulated like those of any program, and no rank waits for another one where
// the emulation doesn't see it.

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "arguments/text.hpp"
#include "collective/algorithms.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "program/mpi_library.hpp"
#include "rank/request.hpp"
#include "rank/session.hpp"
#include "rank/threads.hpp"

using namespace commgauge::emulate;
using commgauge::preload::function_of_mpi;
using commgauge::preload::Text;

namespace {

constexpr bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

FileTraffic traffic(std::string_view name, std::uint64_t bytes) {
  return has(name, "read") ? FileTraffic{bytes, 0} : FileTraffic{0, bytes};
}

std::uint64_t bytes_in(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return static_cast<std::uint64_t>(std::max<MPI_Count>(bytes, 0));
}

/// @param work  (FileTraffic& moved) → code
template <class Work>
int carry_out(const char* name, Work&& work) {
  Emulator& e = emulator();
  e.enter_files(name);
  FileTraffic moved;
  const int code = work(moved);
  e.leave_files(code == MPI_SUCCESS ? moved : FileTraffic{});
  return code;
}

/// Of an operation that is over.
MPI_Request request_over(std::uint64_t bytes) {
  const threads::Inside here;
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::receive;
  request->comm = communicator(MPI_COMM_WORLD);
  request->done = true;
  request->source = MPI_PROC_NULL;
  request->found_tag = MPI_ANY_TAG;
  request->bytes = bytes;
  return to_handle(std::move(request));
}

/// `MPI_File_iread_at` → `MPI_File_read_at`
std::string blocking_twin(std::string_view name) {
  std::string twin{name};
  return twin.erase(twin.find("_i") + 1, 1);
}

template <class Function>
Function* mpi_function(const std::string& name) {
  return reinterpret_cast<Function*>(function_of_mpi(("P" + name).c_str()));
}

/// As MPI carries it out.
template <Text name, class... Arguments>
int pass(Arguments... arguments) {
  static auto* const real = mpi_function<int(Arguments...)>(name.characters);
  if (!is_active()) return real(arguments...);
  return carry_out(name.characters, [&](FileTraffic& moved) {
    MPI_Status own;
    auto& last = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    constexpr bool tells = std::is_same_v<decltype(last), MPI_Status*&>;
    if constexpr (tells) {
      if (last == MPI_STATUS_IGNORE) last = &own;
    }
    const int code = real(arguments...);
    if constexpr (tells) moved = traffic(name.view(), bytes_in(*last));
    return code;
  });
}

template <class Argument>
auto or_status(Argument argument, MPI_Status& status) {
  if constexpr (std::is_same_v<Argument, MPI_Request*>) {
    return &status;
  } else {
    return argument;
  }
}

/// A rank's own operation that the program waits for later is its blocking twin: the time that it
/// takes passes where it is started.
template <Text name, class... Arguments>
int start_alone(Arguments... arguments) {
  static auto* const real =
      mpi_function<int(decltype(or_status(arguments, std::declval<MPI_Status&>()))...)>(
          blocking_twin(name.view()));
  return carry_out(name.characters, [&](FileTraffic& moved) {
    MPI_Status status;
    const int code = real(or_status(arguments, status)...);
    moved = traffic(name.view(), bytes_in(status));
    *std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)) =
        code == MPI_SUCCESS ? request_over(moved.read + moved.written) : MPI_REQUEST_NULL;
    return code;
  });
}

template <Text name, class Function>
struct FileCall;
template <Text name, class... Arguments>
struct FileCall<name, int (*)(Arguments...)> {
  static int call(Arguments... arguments) {
    constexpr bool starts = has(name.view(), "_iread") || has(name.view(), "_iwrite");
    if constexpr (starts && !has(name.view(), "_all")) {
      return start_alone<name>(arguments...);
    } else {
      return pass<name>(arguments...);
    }
  }
};

}  // namespace

// The prototypes are those of mpi.h; the dynamic linker asks for the function's address.
#define FILE_CALL(NAME)                                         \
  extern "C" {                                                  \
  [[maybe_unused]] static decltype(&NAME) find_##NAME() {       \
    return &FileCall<#NAME, decltype(&NAME)>::call;             \
  }                                                             \
  decltype(NAME) NAME __attribute__((ifunc("find_" #NAME)));    \
  decltype(NAME) P##NAME __attribute__((ifunc("find_" #NAME))); \
  }
#include "arguments/file_calls.inc"
