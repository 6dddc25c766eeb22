// MPI's collective operations, blocking, not, and persistent.

#include <utility>

#include "arguments/collective_calls.hpp"
#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/real_calls.hpp"

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

Event event_of(const Communicator& comm, std::uint32_t request = trace::no_request) {
  return {event::Collective{.request = request, .context = comm.context}};
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
                     r.write(event_of(comm, take(comm, {}, false, request)), collective);
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

#define TEXT(NAME) #NAME
#define TEXT_OF(NAME) TEXT(NAME)
#define P(...) __VA_ARGS__,

// Defines MPI_NAME, MPI_INAME, and MPI_NAME_init by its name in this library: what FUNCTION and
// PERSISTENT make of that. REAL: by what name MPI's own function is known here.
#define COLLECTIVE(NAME, INAME, PARAMETERS, ARGUMENTS, CALL)                                  \
  int FUNCTION(NAME)(PARAMETERS MPI_Comm comm) {                                              \
    const auto work = [&] { return real::REAL(NAME)(ARGUMENTS comm); };                       \
    COMMGAUGE_RECORDED(TEXT_OF(FUNCTION(NAME)), work());                                      \
    return blocking(                                                                          \
        recorder, name, comm, [&] { return CALL; }, work);                                    \
  }                                                                                           \
  int FUNCTION(INAME)(PARAMETERS MPI_Comm comm, MPI_Request * request) {                      \
    const auto work = [&] { return real::REAL(INAME)(ARGUMENTS comm, request); };             \
    COMMGAUGE_RECORDED(TEXT_OF(FUNCTION(INAME)), work());                                     \
    return starting(                                                                          \
        recorder, name, comm, request, [&] { return CALL; }, work);                           \
  }                                                                                           \
  int PERSISTENT(NAME)(PARAMETERS MPI_Comm comm, MPI_Info info, MPI_Request * request) {      \
    const auto work = [&] { return real::REAL(NAME##_init)(ARGUMENTS comm, info, request); }; \
    COMMGAUGE_RECORDED(TEXT_OF(FUNCTION(NAME##_init)), work());                               \
    return preparing(                                                                         \
        recorder, name, comm, request, [&] { return CALL; }, work);                           \
  }

extern "C" {

#define FUNCTION(NAME) MPI_##NAME
#define PERSISTENT(NAME) COMMGAUGE_PERSISTENT(, NAME)
#define REAL(NAME) NAME
#define COUNT int
#define DISPLACEMENT int
#include "arguments/collectives.inc"

}  // extern "C"

#if MPI_VERSION >= 4
#undef FUNCTION
#undef PERSISTENT
#undef REAL
#undef COUNT
#undef DISPLACEMENT
#define HAS_LARGE_COUNTS
#define FUNCTION(NAME) MPI_##NAME##_c
#define PERSISTENT(NAME) MPI_##NAME##_init_c
#define REAL(NAME) NAME##_c
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint

#define BEHIND(NAME, INAME, ...) \
  COMMGAUGE_BEHIND(NAME##_c);    \
  COMMGAUGE_BEHIND(INAME##_c);   \
  COMMGAUGE_BEHIND(NAME##_init_c);
#pragma push_macro("COLLECTIVE")
#undef COLLECTIVE
#define COLLECTIVE BEHIND
namespace commgauge::record::real {
#include "arguments/collectives.inc"
}
#pragma pop_macro("COLLECTIVE")

extern "C" {
#include "arguments/collectives.inc"
}
#endif

#undef TEXT
#undef TEXT_OF
#undef P
#undef COLLECTIVE
#undef FUNCTION
#undef PERSISTENT
#undef REAL
#undef COUNT
#undef DISPLACEMENT
#undef HAS_LARGE_COUNTS
#undef BEHIND
