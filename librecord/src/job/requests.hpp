#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "commgauge/trace/write/rank_writer.hpp"
#include "job/communicator.hpp"

/// The program's requests are the recorder's own: those of MPI are not told apart by their handles,
/// for sends that are over at once share one in some libraries.
namespace commgauge::record {

/// An access to another rank's window that isn't over.
struct OpenAccess {
  std::uint32_t request{};
  int peer{};         ///< rank of the job
  bool comes_back{};  ///< data do
};
using OpenAccesses = std::vector<OpenAccess>;

struct Request {
  enum class Kind : std::uint8_t {
    nothing,  ///< MPI_PROC_NULL; it is over, and no event
    operation,
    collective,
    message,  ///< of a matched probe: it was set aside
    partitioned,
    generalised,
  };
  Kind kind{};
  int slot{};  ///< of the thread that started it
  bool is_receive{};
  bool is_persistent{};
  bool is_active{true};
  bool is_over{};       ///< a trace knows (MPI_Request_get_status), the program may ask again
  bool is_cancelled{};  ///< the program wants that
  MPI_Request real{MPI_REQUEST_NULL};
  const Communicator* comm{};
  struct Start {
    Event event;
    trace::Collective collective;
  };
  std::unique_ptr<Start> start{};       ///< of a persistent one
  std::optional<std::uint32_t> with{};  ///< what is over with it: of a receive its send
  bool has_another_status{};  ///< it tells of another message: what the receive got isn't known
  struct Made {
    MPI_Comm* where;
    Communicator comm;
  };
  std::uint32_t object{};        ///< of a generalised one that is over: of a release; 0: it isn't
  OpenAccesses* open{};          ///< of an access: the list that it is in
  std::unique_ptr<Made> made{};  ///< of a communicator: it is there when this is over

  /// Whether a trace has it.
  [[nodiscard]] bool is_event() const { return kind != Kind::nothing && kind != Kind::generalised; }
};

/// @return the number by which the trace knows it
[[nodiscard]] std::uint32_t add(Request request);
[[nodiscard]] Request& request_at(std::uint32_t number);
void remove(std::uint32_t number);
/// No thread starts requests by numbers that others of that slot have used.
void forget_unused(int slot);
/// Whether nonblocking collective operations or messages in partitions are under way. O(requests)
[[nodiscard]] bool has_collectives();
/// At the end: all of them, and their handles.
void forget_requests();

[[nodiscard]] MPI_Request to_handle(std::uint32_t number);
/// Nothing: it is MPI's own, or none.
[[nodiscard]] std::optional<std::uint32_t> number_of(MPI_Request handle);

/// One request of the program as MPI knows it.
[[nodiscard]] MPI_Request* real_of(MPI_Request* handle);

/// The real requests of a call, in place of the program's. One at a time in a thread: its room is
/// used again.
class RealRequests {
 public:
  RealRequests(int count, MPI_Request* handles);
  /// Gives MPI's changes back: of requests that aren't the recorder's, to the program.
  ~RealRequests();
  RealRequests(const RealRequests&) = delete;
  RealRequests& operator=(const RealRequests&) = delete;

  [[nodiscard]] MPI_Request* data() { return real_.data(); }

 private:
  std::span<MPI_Request> handles_;
  std::vector<MPI_Request>& real_;
};

/// What the program learns to be over, with its handles: they are null then, or may start again.
/// One at a time in a thread: its room is used again.
class Completion {
 public:
  Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// One of the program's handles; others than the recorder's are passed over.
  void add(MPI_Request& handle, const MPI_Status& status);
  /// The same, but the program may ask again.
  void look_at(MPI_Request handle, const MPI_Status& status);

  /// Writes a wait, if there is anything of it in the trace.
  void write_wait(Recorder& recorder) const;
  /// Writes a poll, likewise, or if collective operations go on at it.
  /// @param attempts  unsuccessful, before it
  void write_poll(Recorder& recorder, std::uint64_t attempts) const;

 private:
  void note(std::uint32_t number, const MPI_Status& status);
  void write_others(Recorder& recorder) const;

  std::vector<trace::Over>& over_;
  std::vector<std::uint32_t>& cancelled_;
  std::vector<std::uint32_t> objects_;  ///< of generalised requests
  bool has_other_{};  ///< of which no trace is told: it was over already, or is no event
};

/// A message that was found, as the trace has it.
[[nodiscard]] trace::Found found_in(const Communicator& comm, const MPI_Status& status);

}  // namespace commgauge::record
