#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "groups.hpp"
#include "recorder.hpp"
#include "session.hpp"
#include "threads.hpp"

/// This process' part of the job that is recorded, between MPI_Init and MPI_Finalize.
namespace commgauge::record {

struct Communicator {
  MPI_Comm handle{MPI_COMM_NULL};
  std::uint32_t context{};  ///< the writer's number
  bool is_inter{};
  int rank{};
  std::vector<int> peers;  ///< rank of the job by rank of the (remote) group
  int beside{};            ///< ranks of the own group, of an intercommunicator

  [[nodiscard]] int size() const { return static_cast<int>(peers.size()); }
  [[nodiscard]] int peer(int rank_of_it) const {
    return peers[static_cast<std::size_t>(rank_of_it)];
  }
};

/// Whether this is a call of the program on a thread that is recorded: not before MPI_Init, not
/// after MPI_Finalize, not one that MPI makes within another call. Its beginning is timed then.
/// @return nullptr if not
[[nodiscard]] inline Recorder* entered(const CalledFrom& from) {
  Recorder* const own = threads::own();
  if (own == nullptr || own->is_inside()) return nullptr;
  own->set_inside(true);
  own->enter(from);
  return own;
}
/// The call is over; maybe the recording, too.
inline void left() {
  if (Recorder* const own = threads::own()) own->set_inside(false);
  threads::let_go();
}

/// @pre entered(). A number for a name, the same for the same.
[[nodiscard]] Name name_of(const char* text);

/// Does one call. A replay leaves out one that fails, which is said.
/// @param work  () → MPI's code
/// @param note  (Recorder&): writes what the call did, if it did it
template <class Work, class Note>
int call(Recorder& recorder, const Name& name, Work&& work, Note&& note) {
  const int code = work();
  recorder.begin(name);
  if (code == MPI_SUCCESS) {
    note(recorder);
  } else {
    recorder.leave_out(std::string{name.text} + " that failed");
  }
  recorder.leave(name);
  left();
  return code;
}

/// The same at the end of a test or probe.
/// @param note  (Recorder&, attempts in vain before it)
template <class Note>
void end_attempt(Recorder& recorder, const Name& name, int code, bool found, Note&& note) {
  if (code == MPI_SUCCESS && !found) {
    recorder.leave_in_vain(name);
  } else {
    const std::uint64_t attempts = recorder.begin_poll(name);
    if (code != MPI_SUCCESS) recorder.leave_out(std::string{name.text} + " that failed");
    note(recorder, attempts);
    recorder.leave(name);
  }
  left();
}

/// Of a call on something that the recorder can't tell the members of.
void leave_out_unknown(Recorder& recorder, const Name& name);
/// nullptr: one that the recorder can't tell the members of. It notes that.
[[nodiscard]] const Communicator* communicator(Recorder& recorder, MPI_Comm comm, const Name& name);
/// Makes a new one known. MPI_COMM_NULL is passed over.
void adopt(MPI_Comm comm, const trace::Origin& origin = {});
/// The same of one that isn't made yet: another's duplicate.
[[nodiscard]] Communicator like(const Communicator& other);
void adopt_made(MPI_Comm comm, Communicator made);
void forget(MPI_Comm comm);
/// Of some ranks of the job who do something together without a communicator of their own.
[[nodiscard]] std::uint32_t context_of(std::vector<int> ranks, const trace::Origin& origin = {});
using preload::ranks_of_job;

}  // namespace commgauge::record

/// Leads a call that isn't recorded to MPI; otherwise `recorder` and `name` are there.
#define COMMGAUGE_RECORDED(NAME, REAL)                     \
  ::commgauge::record::Recorder* const recorder =          \
      ::commgauge::record::entered(COMMGAUGE_CALLED_FROM); \
  if (recorder == nullptr) return REAL;                    \
  static const ::commgauge::record::Name name = ::commgauge::record::name_of(NAME)
