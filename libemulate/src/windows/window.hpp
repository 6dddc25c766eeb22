#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "job/call.hpp"
#include "mpi/failure.hpp"
#include "rank/request.hpp"

namespace commgauge::emulate {

struct Access;

/// A window as the emulation sees it, beside MPI's own object. Ranks are those of its group, but
/// for lists of ranks of the job.
struct Window {
  /// What a rank has of it.
  struct Part {
    std::uint64_t base;  ///< address; 0 of a dynamic window
    std::uint64_t bytes;
    Offset attached;    ///< of a dynamic window: what is there instead, in shared memory
    std::int64_t unit;  ///< of displacements [bytes]
    int pid;
  };
  enum class Locking { checked, unchecked };

  MPI_Win handle{MPI_WIN_NULL};
  CommunicatorPtr comm;  ///< of its group; what has its contexts is the window's own
  std::vector<Part> parts;
  bool is_dynamic{};
  bool is_shared{};

  // Epochs:
  bool is_fenced{};
  bool is_started{};
  std::vector<int> targets;  ///< ranks of the job that it was started for
  bool is_posted{};
  std::vector<int> origins;                           ///< ranks of the job that it was posted for
  std::vector<std::unique_ptr<Request>> completions;  ///< what these send, for MPI_Win_test
  std::map<int, Locking> locks;                       ///< by target
  std::optional<Locking> lock_of_all;

  std::vector<Access*> open;                  ///< not over, in the order in which they started
  std::vector<std::unique_ptr<Access>> kept;  ///< of these those that no MPI_Request stands for
  std::uint64_t copied{};                     ///< of the data of all of them [bytes]

  [[nodiscard]] bool is_locked() const { return !locks.empty() || lock_of_all.has_value(); }
};
using WindowPtr = std::shared_ptr<Window>;

/// How an access has ended. Other threads may know it for longer than the access is there.
struct End {
  bool is_over{};
  int peer{};         ///< where it went
  bool has_answer{};  ///< that came back
  double time{};      ///< [s]
};

/// An access of this rank to another's memory, or to a lock of it.
struct Access final : Request {
  WindowPtr window;
  std::vector<std::byte> out;  ///< data that are packed, where they don't lie in a row
  std::vector<std::byte> in;   ///< what goes back into `place`, likewise
  std::uint64_t copied{};      ///< of its data [bytes]: the program may change its own
  bool leaves_data{};          ///< the program's own are taken when it has its effect
  std::shared_ptr<End> end{std::make_shared<End>()};

  Access() { kind = Kind::access; }
  ~Access() override;
  void reached(Emulator& e) override;
};

/// @throws MpiFailure  no window that the emulation knows
[[nodiscard]] const WindowPtr& window(MPI_Win handle);
/// Makes one known by its handle.
void add_window(const WindowPtr& made);
/// From here on it isn't.
void remove_window(MPI_Win handle);

/// @throws MpiFailure  unless it holds
inline void require(bool holds, const Window& window, int code) {
  if (!holds) throw MpiFailure{.comm = MPI_COMM_NULL, .code = code, .window = window.handle};
}

/// Of a call of MPI with a window.
template <class Work>
int call_on(const char* name, MPI_Win handle, Work&& work) {
  return call(name, [&](Emulator& e) { work(e, window(handle)); });
}

}  // namespace commgauge::emulate
