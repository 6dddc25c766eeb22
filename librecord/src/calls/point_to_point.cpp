// MPI's point-to-point operations, up to where they are started.

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arguments/places.hpp"
#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/status.hpp"

using namespace commgauge::record;
using commgauge::preload::size_of;
using commgauge::trace::Mode;
namespace trace = commgauge::trace;

namespace {

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::uint64_t>(count) * size_of(type);
}

Event send_event(const Communicator& comm, int count, MPI_Datatype type, int to, int tag,
                 Mode mode) {
  return {event::Send{.peer = comm.peer(to),
                      .tag = tag,
                      .context = comm.context,
                      .bytes = bytes_of(count, type),
                      .mode = mode}};
}

int source_of(const Communicator& comm, int source) {
  return source == MPI_ANY_SOURCE ? trace::any : comm.peer(source);
}
int wanted_tag(int tag) { return tag == MPI_ANY_TAG ? trace::any : tag; }

Event receive_event(const Communicator& comm, int count, MPI_Datatype type, int from, int tag,
                    const trace::Found& found = {}) {
  return {event::Receive{.peer = source_of(comm, from),
                         .tag = wanted_tag(tag),
                         .context = comm.context,
                         .bytes = bytes_of(count, type),
                         .found = found}};
}

Request request_of(const Communicator& comm, bool is_receive, MPI_Request real) {
  Request request;
  request.kind = Request::Kind::operation;
  request.is_receive = is_receive;
  request.real = real;
  request.comm = &comm;
  return request;
}

/// Of an operation with MPI_PROC_NULL: it is over, and no message.
MPI_Request handle_of_nothing(MPI_Request real, bool is_persistent) {
  Request request;
  request.real = real;
  request.is_persistent = is_persistent;
  request.is_active = !is_persistent;
  return to_handle(add(std::move(request)));
}

int send(Recorder* recorder, const Name& name, int count, MPI_Datatype type, int to, int tag,
         MPI_Comm handle, Mode mode, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm != nullptr && to != MPI_PROC_NULL) {
      r.write(send_event(*comm, count, type, to, tag, mode));
    }
  });
}

/// @return the number of its request, which becomes one of the recorder's
std::uint32_t start_part(Recorder& r, const Communicator& comm, Event event, MPI_Request real) {
  const std::uint32_t number = add(request_of(comm, event.is<event::Receive>(), real));
  set_request(event, number);
  r.write(event);
  return number;
}

/// A message is started: its request becomes one of the recorder's.
void start(Recorder& r, const Communicator& comm, const Event& event, MPI_Request* request) {
  *request = to_handle(start_part(r, comm, event, *request));
}

int start_send(Recorder* recorder, const Name& name, int count, MPI_Datatype type, int to, int tag,
               MPI_Comm handle, Mode mode, MPI_Request* request, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm == nullptr) return;
    if (to == MPI_PROC_NULL) {
      *request = handle_of_nothing(*request, false);
      return;
    }
    start(r, *comm, send_event(*comm, count, type, to, tag, mode), request);
  });
}

/// For MPI_Start.
void prepare(const Communicator& comm, const Event& event, MPI_Request* request) {
  Request prepared = request_of(comm, event.is<event::Receive>(), *request);
  prepared.is_persistent = true;
  prepared.is_active = false;
  prepared.start = std::make_unique<Request::Start>(Request::Start{event, {}});
  *request = to_handle(add(std::move(prepared)));
}

int prepare_send(Recorder* recorder, const Name& name, int count, MPI_Datatype type, int to,
                 int tag, MPI_Comm handle, Mode mode, MPI_Request* request, auto&& work) {
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm == nullptr) return;
    if (to == MPI_PROC_NULL) {
      *request = handle_of_nothing(*request, true);
      return;
    }
    prepare(*comm, send_event(*comm, count, type, to, tag, mode), request);
  });
}

/// A part of a call that sends and receives; none: its partner is MPI_PROC_NULL.
using Part = std::optional<Event>;

Part send_part(const Communicator& comm, int count, MPI_Datatype type, int to, int tag) {
  if (to == MPI_PROC_NULL) return std::nullopt;
  return send_event(comm, count, type, to, tag, Mode::standard);
}
Part receive_part(const Communicator& comm, int count, MPI_Datatype type, int from, int tag) {
  if (from == MPI_PROC_NULL) return std::nullopt;
  return receive_event(comm, count, type, from, tag);
}

/// Both are started, in this order. @return their requests
std::vector<std::uint32_t> start_parts(Recorder& r, const Communicator& comm, const Part& first,
                                       const Part& second) {
  std::vector<std::uint32_t> numbers;
  for (const Part* const part : {&first, &second}) {
    if (*part) numbers.push_back(start_part(r, comm, **part, MPI_REQUEST_NULL));
  }
  return numbers;
}

/// They are started and over at once.
void exchange(Recorder& r, const Communicator& comm, const Part& first, const Part& second,
              const MPI_Status& status) {
  Completion completion;
  for (const std::uint32_t number : start_parts(r, comm, first, second)) {
    MPI_Request handle = to_handle(number);
    completion.add(handle, status);
  }
  completion.write_wait(r);
}

/// Whether the status of MPI_Isendrecv tells of the receive. MPICH 4.0's tells of another message.
[[maybe_unused]] bool exchanges_tell_of_the_receive() {
#if MPI_VERSION >= 4
  static const bool they_do = [] {
    constexpr int sent_tag = 1;
    constexpr int received_tag = 2;
    std::array<char, 2> out{};
    std::array<char, 2> in{};
    MPI_Comm self = MPI_COMM_NULL;
    std::array<MPI_Request, 3> requests{};
    std::array<MPI_Status, 3> statuses{};
    real::Comm_dup(MPI_COMM_SELF, &self);
    real::Irecv(in.data(), 1, MPI_CHAR, 0, sent_tag, self, &requests[0]);
    real::Isend(out.data(), 2, MPI_CHAR, 0, received_tag, self, &requests[1]);
    real::Isendrecv(out.data(), 1, MPI_CHAR, 0, sent_tag, in.data(), 2, MPI_CHAR, MPI_ANY_SOURCE,
                    MPI_ANY_TAG, self, &requests[2]);
    real::Waitall(3, requests.data(), statuses.data());
    real::Comm_free(&self);
    int bytes = 0;
    PMPI_Get_count(&statuses[2], MPI_CHAR, &bytes);
    return statuses[2].MPI_TAG == received_tag && bytes == 2;
  }();
  return they_do;
#else
  return true;
#endif
}

/// They are one request of the program.
[[maybe_unused]] void start_both(Recorder& r, const Communicator& comm, const Part& first,
                                 const Part& second, MPI_Request* request) {
  std::vector<std::uint32_t> parts = start_parts(r, comm, first, second);
  if (parts.empty()) {
    *request = handle_of_nothing(*request, false);
    return;
  }
  // The status tells of the receive.
  if (!request_at(parts.front()).is_receive) std::swap(parts.front(), parts.back());
  Request& whole = request_at(parts.front());
  whole.real = *request;
  if (parts.size() > 1) whole.with = parts.back();
  whole.has_another_status = !emulation() && !exchanges_tell_of_the_receive();
  *request = to_handle(parts.front());
}

/// @param probe  what else it says
void write_probe(Recorder& r, const Name& name, auto probe, int source, int tag, MPI_Comm handle,
                 const MPI_Status& status) {
  const Communicator* const comm = communicator(r, handle, name);
  if (comm == nullptr || source == MPI_PROC_NULL) return r.write_unsuccessful(probe.attempts);
  probe.context = comm->context;
  probe.peer = source_of(*comm, source);
  probe.tag = wanted_tag(tag);
  probe.found = found_in(*comm, status);
  r.write(probe);
}

/// Messages that are set aside, with the numbers by which the trace knows them.
std::unordered_map<MPI_Message, std::uint32_t>& messages() {
  static std::unordered_map<MPI_Message, std::uint32_t> all;
  return all;
}

std::uint32_t set_aside(Recorder& r, MPI_Message message, MPI_Comm handle, const Name& name) {
  const Communicator* const comm = communicator(r, handle, name);
  if (comm == nullptr || message == MPI_MESSAGE_NO_PROC) return trace::no_request;
  Request request;
  request.kind = Request::Kind::message;
  request.comm = comm;
  return messages()[message] = add(std::move(request));
}

/// The number of one that is going to be received: once it is, MPI may give its handle to another
/// thread's.
std::uint32_t take(const MPI_Message& message) {
  const threads::Held taking;
  const auto taken = messages().extract(message);
  return taken ? taken.mapped() : trace::no_request;
}

/// @param message  its number
/// @param status  of a receive that is over, or nullptr
/// @param started  of one that isn't: MPI's request, which becomes one of the recorder's
void write_matched_receive(Recorder& r, std::uint32_t message, std::uint64_t bytes,
                           const MPI_Status* status, MPI_Request* started) {
  if (message == trace::no_request) return;
  event::MatchedReceive receive{.message = message, .bytes = bytes};
  const Communicator& comm = *request_at(message).comm;
  if (status != nullptr) receive.found = found_in(comm, *status);
  if (started != nullptr) {
    receive.request = add(request_of(comm, true, *started));
    *started = to_handle(receive.request);
  }
  r.write(receive);
  remove(message);
}

}  // namespace

// Sends of each mode: at once, by a request, prepared.
#define SEND(NAME, MODE)                                                              \
  int MPI_##NAME(const void* buffer, int count, MPI_Datatype type, int to, int tag,   \
                 MPI_Comm comm) {                                                     \
    const auto work = [&] { return real::NAME(buffer, count, type, to, tag, comm); }; \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                                         \
    return send(recorder, name, count, type, to, tag, comm, MODE, work);              \
  }
#define START_SEND(NAME, MODE)                                                                     \
  int MPI_##NAME(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    const auto work = [&] { return real::NAME(buffer, count, type, to, tag, comm, request); };     \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                                                      \
    return start_send(recorder, name, count, type, to, tag, comm, MODE, request, work);            \
  }
#define PREPARE_SEND(NAME, MODE)                                                                   \
  int MPI_##NAME(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    const auto work = [&] { return real::NAME(buffer, count, type, to, tag, comm, request); };     \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());                                                      \
    return prepare_send(recorder, name, count, type, to, tag, comm, MODE, request, work);          \
  }

extern "C" {

SEND(Send, Mode::standard)
SEND(Rsend, Mode::standard)
SEND(Ssend, Mode::synchronous)
SEND(Bsend, Mode::buffered)
START_SEND(Isend, Mode::standard)
START_SEND(Irsend, Mode::standard)
START_SEND(Issend, Mode::synchronous)
START_SEND(Ibsend, Mode::buffered)
PREPARE_SEND(Send_init, Mode::standard)
PREPARE_SEND(Rsend_init, Mode::standard)
PREPARE_SEND(Ssend_init, Mode::synchronous)
PREPARE_SEND(Bsend_init, Mode::buffered)

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
             MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Recv", real::Recv(buffer, count, type, source, tag, handle, wanted));
  Status status(wanted);
  return call(
      *recorder, name,
      [&] { return real::Recv(buffer, count, type, source, tag, handle, status.get()); },
      [&](Recorder& r) {
        const Communicator* const comm = communicator(r, handle, name);
        if (comm == nullptr || source == MPI_PROC_NULL) return;
        r.write(receive_event(*comm, count, type, source, tag, found_in(*comm, *status.get())));
      });
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
              MPI_Request* request) {
  const auto work = [&] { return real::Irecv(buffer, count, type, source, tag, handle, request); };
  COMMGAUGE_RECORDED("MPI_Irecv", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm == nullptr) return;
    if (source == MPI_PROC_NULL) {
      *request = handle_of_nothing(*request, false);
      return;
    }
    start(r, *comm, receive_event(*comm, count, type, source, tag), request);
  });
}

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
                  MPI_Request* request) {
  const auto work = [&] {
    return real::Recv_init(buffer, count, type, source, tag, handle, request);
  };
  COMMGAUGE_RECORDED("MPI_Recv_init", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm == nullptr) return;
    if (source == MPI_PROC_NULL) {
      *request = handle_of_nothing(*request, true);
      return;
    }
    prepare(*comm, receive_event(*comm, count, type, source, tag), request);
  });
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int from, int in_tag,
                 MPI_Comm handle, MPI_Status* wanted) {
  const auto work = [&](MPI_Status* status) {
    return real::Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                          in_tag, handle, status);
  };
  COMMGAUGE_RECORDED("MPI_Sendrecv", work(wanted));
  Status status(wanted);
  return call(
      *recorder, name, [&] { return work(status.get()); },
      [&](Recorder& r) {
        const Communicator* const comm = communicator(r, handle, name);
        if (comm == nullptr) return;
        exchange(r, *comm, receive_part(*comm, in_count, in_type, from, in_tag),
                 send_part(*comm, out_count, out_type, to, out_tag), *status.get());
      });
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from,
                         int in_tag, MPI_Comm handle, MPI_Status* wanted) {
  const auto work = [&](MPI_Status* status) {
    return real::Sendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, handle, status);
  };
  COMMGAUGE_RECORDED("MPI_Sendrecv_replace", work(wanted));
  Status status(wanted);
  return call(
      *recorder, name, [&] { return work(status.get()); },
      [&](Recorder& r) {
        const Communicator* const comm = communicator(r, handle, name);
        if (comm == nullptr) return;
        exchange(r, *comm, send_part(*comm, count, type, to, out_tag),
                 receive_part(*comm, count, type, from, in_tag), *status.get());
      });
}

#if MPI_VERSION >= 4
int MPI_Isendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                  void* in, int in_count, MPI_Datatype in_type, int from, int in_tag,
                  MPI_Comm handle, MPI_Request* request) {
  const auto work = [&] {
    return real::Isendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                           in_tag, handle, request);
  };
  COMMGAUGE_RECORDED("MPI_Isendrecv", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm == nullptr) return;
    start_both(r, *comm, receive_part(*comm, in_count, in_type, from, in_tag),
               send_part(*comm, out_count, out_type, to, out_tag), request);
  });
}

int MPI_Isendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from,
                          int in_tag, MPI_Comm handle, MPI_Request* request) {
  const auto work = [&] {
    return real::Isendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, handle, request);
  };
  COMMGAUGE_RECORDED("MPI_Isendrecv_replace", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const Communicator* const comm = communicator(r, handle, name);
    if (comm == nullptr) return;
    start_both(r, *comm, send_part(*comm, count, type, to, out_tag),
               receive_part(*comm, count, type, from, in_tag), request);
  });
}
int PMPI_Isendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                   MPI_Comm, MPI_Request*) __attribute__((alias("MPI_Isendrecv")));
int PMPI_Isendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request*)
    __attribute__((alias("MPI_Isendrecv_replace")));
#endif

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Probe", real::Probe(source, tag, comm, wanted));
  Status status(wanted);
  return call(
      *recorder, name, [&] { return real::Probe(source, tag, comm, status.get()); },
      [&](Recorder& r) { write_probe(r, name, event::Probe{}, source, tag, comm, *status.get()); });
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Iprobe", real::Iprobe(source, tag, comm, flag, wanted));
  Status status(wanted);
  const int code = real::Iprobe(source, tag, comm, flag, status.get());
  end_attempt(*recorder, name, code, *flag != 0, [&](Recorder& r, std::uint64_t attempts) {
    write_probe(r, name, event::Probe{.attempts = attempts}, source, tag, comm, *status.get());
  });
  return code;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Mprobe", real::Mprobe(source, tag, comm, message, wanted));
  Status status(wanted);
  return call(
      *recorder, name, [&] { return real::Mprobe(source, tag, comm, message, status.get()); },
      [&](Recorder& r) {
        const std::uint32_t number = set_aside(r, *message, comm, name);
        write_probe(r, name, event::MatchedProbe{.request = number}, source, tag, comm,
                    *status.get());
      });
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Improbe", real::Improbe(source, tag, comm, flag, message, wanted));
  Status status(wanted);
  const int code = real::Improbe(source, tag, comm, flag, message, status.get());
  end_attempt(*recorder, name, code, *flag != 0, [&](Recorder& r, std::uint64_t attempts) {
    const std::uint32_t number = set_aside(r, *message, comm, name);
    write_probe(r, name, event::MatchedProbe{.request = number, .attempts = attempts}, source, tag,
                comm, *status.get());
  });
  return code;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
              MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Mrecv", real::Mrecv(buffer, count, type, message, wanted));
  Status status(wanted);
  const std::uint32_t taken = take(*message);
  return call(
      *recorder, name, [&] { return real::Mrecv(buffer, count, type, message, status.get()); },
      [&](Recorder& r) {
        write_matched_receive(r, taken, bytes_of(count, type), status.get(), nullptr);
      });
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  const auto work = [&] { return real::Imrecv(buffer, count, type, message, request); };
  COMMGAUGE_RECORDED("MPI_Imrecv", work());
  const std::uint32_t taken = take(*message);
  return call(*recorder, name, work, [&](Recorder& r) {
    write_matched_receive(r, taken, bytes_of(count, type), nullptr, request);
  });
}

}  // extern "C"
