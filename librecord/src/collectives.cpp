// MPI's collective operations, blocking, not, and persistent.

#include <utility>

#include "collective_calls.hpp"
#include "job.hpp"
#include "real_calls.hpp"
#include "requests.hpp"

using namespace commgauge::record;
using namespace commgauge::preload;
using What = commgauge::schedule::Operation;
namespace trace = commgauge::trace;

namespace {

/// The neighbours' parts of an exchange, on one side.
/// @param tag_of  (i) → which tells directions of a grid apart
std::vector<trace::Collective::Neighbour> parts(const std::vector<int>& ranks, const PlaceOf& data,
                                                auto&& tag_of) {
  std::vector<trace::Collective::Neighbour> result;
  for (int i = 0; i < static_cast<int>(ranks.size()); ++i) {
    const int rank = ranks[static_cast<std::size_t>(i)];
    if (rank != MPI_PROC_NULL) result.push_back({rank, tag_of(i), bytes_of(data(i))});
  }
  return result;
}

trace::Collective collective_of(const Communicator& comm, const CollectiveCall& arguments) {
  trace::Collective result;
  result.what = arguments.what;
  result.what.ranks = comm.size();
  result.is_neighbourhood = arguments.is_of_neighbours;
  if (!result.is_neighbourhood) return result;
  const auto neighbours = neighbours_of(comm.handle, comm.peers);
  if (!neighbours) return result;
  result.from =
      parts(neighbours->sources, arguments.gets, [&](int i) { return neighbours->tag_from(i); });
  result.to = parts(neighbours->destinations, arguments.gives,
                    [&](int i) { return neighbours->tag_to(i); });
  return result;
}

Event event_of(const Communicator& comm) {
  Event event;
  event.kind = Event::Kind::collective;
  event.context = comm.context;
  return event;
}

/// Notes what the arguments of a call say, if the recorder knows its communicator and they are as
/// MPI wants them. @param note  (const Communicator&, trace::Collective)
void with_arguments(Recorder& r, MPI_Comm handle, const Name& name, auto&& call_of, auto&& note) {
  const Communicator* const comm = communicator(r, handle, name);
  if (comm == nullptr) return;
  const int group = comm->is_inter ? comm->beside : comm->size();
  try {
    note(*comm, collective_of(*comm, call_of()({comm->rank, comm->size(), group, comm->is_inter})));
  } catch (const WrongArgument&) {
    r.leave_out(std::string{name.text} + " with arguments that MPI doesn't allow");
  }
}

/// @param call_of  () → CallOf
int blocking(Recorder* recorder, const Name& name, MPI_Comm handle, auto&& call_of, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    with_arguments(r, handle, name, call_of,
                   [&](const Communicator& comm, const trace::Collective& collective) {
                     r.write(event_of(comm), collective);
                   });
  });
}

/// Becomes one of the recorder's requests. @return its number
std::uint32_t take(const Communicator& comm, trace::Collective collective, bool is_persistent,
                   MPI_Request* handle) {
  Request request;
  request.kind = Request::Kind::collective;
  request.comm = &comm;
  request.real = *handle;
  request.is_persistent = is_persistent;
  request.is_active = !is_persistent;
  if (is_persistent) {
    request.start =
        std::make_unique<Request::Start>(Request::Start{event_of(comm), std::move(collective)});
  }
  const std::uint32_t number = add(std::move(request));
  *handle = to_handle(number);
  return number;
}

int starting(Recorder* recorder, const Name& name, MPI_Comm handle, MPI_Request* request,
             auto&& call_of, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    with_arguments(r, handle, name, call_of,
                   [&](const Communicator& comm, const trace::Collective& collective) {
                     Event event = event_of(comm);
                     event.request = take(comm, {}, false, request);
                     r.write(event, collective);
                   });
  });
}

/// A persistent operation, for MPI_Start.
int preparing(Recorder* recorder, const Name& name, MPI_Comm handle, MPI_Request* request,
              auto&& call_of, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    with_arguments(r, handle, name, call_of,
                   [&](const Communicator& comm, trace::Collective collective) {
                     (void)take(comm, std::move(collective), true, request);
                   });
  });
}

}  // namespace

// Defines MPI_NAME, MPI_INAME, and MPI_NAME_init by its name in this library.
#define COLLECTIVE(NAME, INAME, PARAMETERS, ARGUMENTS, CALL)                            \
  int MPI_##NAME(PARAMETERS MPI_Comm comm) {                                            \
    const auto work = [&] { return real::NAME(ARGUMENTS comm); };                       \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                                           \
    return blocking(                                                                    \
        recorder, name, comm, [&] { return CALL; }, work);                              \
  }                                                                                     \
  int MPI_##INAME(PARAMETERS MPI_Comm comm, MPI_Request* request) {                     \
    const auto work = [&] { return real::INAME(ARGUMENTS comm, request); };             \
    COMMGAUGE_RECORDED("MPI_" #INAME, work());                                          \
    return starting(                                                                    \
        recorder, name, comm, request, [&] { return CALL; }, work);                     \
  }                                                                                     \
  int COMMGAUGE_PERSISTENT(, NAME)(PARAMETERS MPI_Comm comm, MPI_Info info,             \
                                   MPI_Request * request) {                             \
    const auto work = [&] { return real::NAME##_init(ARGUMENTS comm, info, request); }; \
    COMMGAUGE_RECORDED("MPI_" #NAME "_init", work());                                   \
    return preparing(                                                                   \
        recorder, name, comm, request, [&] { return CALL; }, work);                     \
  }
#define P(...) __VA_ARGS__,

extern "C" {

#include "collectives.inc"

}  // extern "C"
