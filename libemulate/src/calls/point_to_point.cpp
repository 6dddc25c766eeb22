// MPI's point-to-point operations.

#include <algorithm>
#include <functional>

#include "calls/statuses.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/failure.hpp"
#include "mpi/real_calls.hpp"
#include "rank/request.hpp"

using namespace commgauge::emulate;
using Asked = commgauge::simulate::Request;

namespace {

int source_of(const Communicator& comm, int source) {
  return source == MPI_ANY_SOURCE ? wildcard : peer_of(comm, source);
}

int wanted_tag(const Communicator& comm, int tag) {
  if (tag == MPI_ANY_TAG) return wildcard;
  require(tag >= 0, comm.handle, MPI_ERR_TAG);
  return tag;
}

Place place_of(const void* buffer, int count, MPI_Datatype type, MPI_Comm comm) {
  require(count >= 0, comm, MPI_ERR_COUNT);
  // MPICH doesn't look at the type of nothing, and programs give none.
  if (count == 0 && type == MPI_DATATYPE_NULL) return {const_cast<void*>(buffer), 0, MPI_BYTE};
  require(type != MPI_DATATYPE_NULL, comm, MPI_ERR_TYPE);
  if (const int error = error_of(type); error != MPI_SUCCESS) throw MpiFailure{comm, error};
  return {const_cast<void*>(buffer), count, type};
}

/// What the program has attached for messages that are buffered [bytes].
std::uint64_t attached = 0;

/// Messages leave the buffer at once: each has all of it.
void require_buffer(const Request& request) {
  if (request.mode != Mode::buffered || request.peer == MPI_PROC_NULL) return;
  require(request.capacity + MPI_BSEND_OVERHEAD <= attached, request.comm->handle, MPI_ERR_BUFFER);
}

int attach(const char* name, MPI_Count size, const std::function<int()>& by_mpi) {
  return call(name, [&](Emulator&) {
    require_success(by_mpi(), MPI_COMM_WORLD);
    attached = static_cast<std::uint64_t>(size);
  });
}

int detach(const char* name, const std::function<int()>& by_mpi) {
  return call(name, [&](Emulator&) {
    require_success(by_mpi(), MPI_COMM_WORLD);
    attached = 0;
  });
}

// Not started:

std::unique_ptr<Request> make_send(const void* buffer, int count, MPI_Datatype type, int to,
                                   int tag, MPI_Comm handle, Mode mode) {
  const CommunicatorPtr& comm = communicator(handle);
  require(tag >= 0, handle, MPI_ERR_TAG);
  const Place place = place_of(buffer, count, type, handle);
  return make_request(Request::Kind::send, comm, place, peer_of(*comm, to), tag,
                      comm->program_context(), mode);
}

std::unique_ptr<Request> make_receive(void* buffer, int count, MPI_Datatype type, int from, int tag,
                                      MPI_Comm handle) {
  const CommunicatorPtr& comm = communicator(handle);
  const Place place = place_of(buffer, count, type, handle);
  return make_request(Request::Kind::receive, comm, place, source_of(*comm, from),
                      wanted_tag(*comm, tag), comm->program_context(), Mode::standard);
}

std::unique_ptr<Request> send(Emulator& e, const void* buffer, int count, MPI_Datatype type, int to,
                              int tag, MPI_Comm comm, Mode mode) {
  auto request = make_send(buffer, count, type, to, tag, comm, mode);
  require_buffer(*request);
  e.start(*request);
  return request;
}

std::unique_ptr<Request> receive(Emulator& e, void* buffer, int count, MPI_Datatype type, int from,
                                 int tag, MPI_Comm comm) {
  auto request = make_receive(buffer, count, type, from, tag, comm);
  e.start(*request);
  return request;
}

/// The program may free the datatype before the operation is over.
std::unique_ptr<Request> keeping_its_type(std::unique_ptr<Request> request) {
  if (!request->done && !is_predefined(request->place.type)) {
    request->place.type = keep(request->place.type);
    request->owns_type = true;
  }
  return request;
}

void wait(Emulator& e, Request& request) {
  if (request.done) return;
  Asked* const waited[]{&request};
  e.wait_all(waited);
}

int blocking_send(const char* name, const void* buffer, int count, MPI_Datatype type, int to,
                  int tag, MPI_Comm comm, Mode mode) {
  return call(name,
              [&](Emulator& e) { wait(e, *send(e, buffer, count, type, to, tag, comm, mode)); });
}

int starting_send(const char* name, const void* buffer, int count, MPI_Datatype type, int to,
                  int tag, MPI_Comm comm, Mode mode, MPI_Request* handle) {
  return call(name, [&](Emulator& e) {
    *handle = to_handle(keeping_its_type(send(e, buffer, count, type, to, tag, comm, mode)));
  });
}

/// @throws MpiFailure  what went wrong with what is over
void check(const Request& request) {
  require(request.error() == MPI_SUCCESS, request.comm->handle, request.error());
}

/// Not yet started.
int prepare(const char* name, Request::Kind kind, const void* buffer, int count, MPI_Datatype type,
            int peer, int tag, MPI_Comm handle, Mode mode, MPI_Request* result) {
  return call(name, [&](Emulator&) {
    const CommunicatorPtr& comm = communicator(handle);
    const Place place = place_of(buffer, count, type, handle);
    const bool sends = kind == Request::Kind::send;
    const int other = sends ? peer_of(*comm, peer) : source_of(*comm, peer);
    auto request = make_request(kind, comm, place, other, sends ? tag : wanted_tag(*comm, tag),
                                comm->program_context(), mode);
    request->persistent = true;
    request->active = false;
    *result = to_handle(keeping_its_type(std::move(request)));
  });
}

void start(Emulator& e, MPI_Request handle) {
  Request* const request = from_handle(handle);
  require(request != nullptr && request->persistent && !request->active, MPI_COMM_WORLD,
          MPI_ERR_REQUEST);
  require_buffer(*request);
  e.start(*request);
}

/// @return whether there is one
bool probe(Emulator& e, int source, int tag, MPI_Comm handle, bool blocking, MPI_Status* status,
           Offset* taken) {
  const CommunicatorPtr& comm = communicator(handle);
  if (source == MPI_PROC_NULL) {
    fill(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return true;
  }
  const Offset found = e.probe(
      {comm->program_context(), source_of(*comm, source), wanted_tag(*comm, tag)}, blocking);
  if (found == 0) return false;
  fill(status, *comm, e.message(found));
  if (taken != nullptr) {
    e.take(found);
    *taken = found;
  }
  return true;
}

/// A message handle is a request that is a receive of nothing yet.
MPI_Message message_handle(MPI_Comm comm, Offset place) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::receive;
  request->comm = communicator(comm);
  request->operation = place;
  const MPI_Request handle = to_handle(std::move(request));
  return (MPI_Message)handle;
}

std::unique_ptr<Request> receive_taken(Emulator& e, void* buffer, int count, MPI_Datatype type,
                                       MPI_Message* message) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::receive;
  request->place = place_of(buffer, count, type, MPI_COMM_WORLD);
  request->capacity = bytes_of(request->place);
  if (*message == MPI_MESSAGE_NO_PROC) {
    request->comm = communicator(MPI_COMM_WORLD);
    request->done = true;
    request->source = MPI_PROC_NULL;
    request->found_tag = MPI_ANY_TAG;
    *message = MPI_MESSAGE_NULL;
    return request;
  }
  auto handle = (MPI_Request)*message;
  const Request* const taken = from_handle(handle);
  request->comm = taken->comm;
  const Offset place = taken->operation;
  free_handle(handle);
  *message = MPI_MESSAGE_NULL;
  e.receive(*request, place);
  return request;
}

}  // namespace

extern "C" {

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Send", buf, count, type, dest, tag, comm, Mode::standard);
}
int MPI_Rsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Rsend", buf, count, type, dest, tag, comm, Mode::standard);
}
int MPI_Ssend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Ssend", buf, count, type, dest, tag, comm, Mode::synchronous);
}
int MPI_Bsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Bsend", buf, count, type, dest, tag, comm, Mode::buffered);
}
int MPI_Buffer_attach(void* buffer, int size) {
  return attach("MPI_Buffer_attach", size, [&] { return real::Buffer_attach(buffer, size); });
}
int MPI_Buffer_detach(void* buffer, int* size) {
  return detach("MPI_Buffer_detach", [&] { return real::Buffer_detach(buffer, size); });
}
#if MPI_VERSION >= 4
int MPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return attach("MPI_Buffer_attach_c", size, [&] { return real::Buffer_attach_c(buffer, size); });
}
int MPI_Buffer_detach_c(void* buffer, MPI_Count* size) {
  return detach("MPI_Buffer_detach_c", [&] { return real::Buffer_detach_c(buffer, size); });
}
#endif
int MPI_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return starting_send("MPI_Isend", buf, count, type, dest, tag, comm, Mode::standard, request);
}
int MPI_Irsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return starting_send("MPI_Irsend", buf, count, type, dest, tag, comm, Mode::standard, request);
}
int MPI_Issend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return starting_send("MPI_Issend", buf, count, type, dest, tag, comm, Mode::synchronous, request);
}
int MPI_Ibsend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return starting_send("MPI_Ibsend", buf, count, type, dest, tag, comm, Mode::buffered, request);
}

int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  return call("MPI_Recv", [&](Emulator& e) {
    const auto request = receive(e, buf, count, type, source, tag, comm);
    wait(e, *request);
    fill(status, *request);
    check(*request);
  });
}
int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return call("MPI_Irecv", [&](Emulator& e) {
    *request = to_handle(keeping_its_type(receive(e, buf, count, type, source, tag, comm)));
  });
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Sendrecv", [&](Emulator& e) {
    const auto in = make_receive(recvbuf, recvcount, recvtype, source, recvtag, comm);
    const auto out = make_send(sendbuf, sendcount, sendtype, dest, sendtag, comm, Mode::standard);
    e.start(*in);
    e.start(*out);
    Asked* const both[]{in.get(), out.get()};
    e.wait_all(both);
    fill(status, *in);
    check(*in);
  });
}
int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Sendrecv_replace", [&](Emulator& e) {
    // The data of a message are copied when it is sent.
    const auto out = make_send(buf, count, type, dest, sendtag, comm, Mode::standard);
    const auto in = make_receive(buf, count, type, source, recvtag, comm);
    e.start(*out);
    e.start(*in);
    Asked* const both[]{in.get(), out.get()};
    e.wait_all(both);
    fill(status, *in);
    check(*in);
  });
}
int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Request* request) {
  return call("MPI_Isendrecv", [&](Emulator& e) {
    auto in = make_receive(recvbuf, recvcount, recvtype, source, recvtag, comm);
    auto out = make_send(sendbuf, sendcount, sendtype, dest, sendtag, comm, Mode::standard);
    *request = to_handle(
        e.start_together(keeping_its_type(std::move(in)), keeping_its_type(std::move(out))));
  });
}
int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype type, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return call("MPI_Isendrecv_replace", [&](Emulator& e) {
    auto out = make_send(buf, count, type, dest, sendtag, comm, Mode::standard);
    auto in = make_receive(buf, count, type, source, recvtag, comm);
    *request = to_handle(
        e.start_together(keeping_its_type(std::move(out)), keeping_its_type(std::move(in))));
  });
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return call("MPI_Probe",
              [&](Emulator& e) { (void)probe(e, source, tag, comm, true, status, nullptr); });
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call("MPI_Iprobe",
              [&](Emulator& e) { *flag = probe(e, source, tag, comm, false, status, nullptr); });
}
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return call("MPI_Mprobe", [&](Emulator& e) {
    Offset taken = 0;
    (void)probe(e, source, tag, comm, true, status, &taken);
    *message = taken == 0 ? MPI_MESSAGE_NO_PROC : message_handle(comm, taken);
  });
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                MPI_Status* status) {
  return call("MPI_Improbe", [&](Emulator& e) {
    Offset taken = 0;
    *flag = probe(e, source, tag, comm, false, status, &taken);
    if (*flag) *message = taken == 0 ? MPI_MESSAGE_NO_PROC : message_handle(comm, taken);
  });
}
int MPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return call("MPI_Mrecv", [&](Emulator& e) {
    const auto request = receive_taken(e, buf, count, type, message);
    wait(e, *request);
    fill(status, *request);
    check(*request);
  });
}
int MPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  return call("MPI_Imrecv", [&](Emulator& e) {
    *request = to_handle(keeping_its_type(receive_taken(e, buf, count, type, message)));
  });
}

int MPI_Send_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return prepare("MPI_Send_init", Request::Kind::send, buf, count, type, dest, tag, comm,
                 Mode::standard, request);
}
int MPI_Rsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return prepare("MPI_Rsend_init", Request::Kind::send, buf, count, type, dest, tag, comm,
                 Mode::standard, request);
}
int MPI_Ssend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return prepare("MPI_Ssend_init", Request::Kind::send, buf, count, type, dest, tag, comm,
                 Mode::synchronous, request);
}
int MPI_Bsend_init(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return prepare("MPI_Bsend_init", Request::Kind::send, buf, count, type, dest, tag, comm,
                 Mode::buffered, request);
}
int MPI_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return prepare("MPI_Recv_init", Request::Kind::receive, buf, count, type, source, tag, comm,
                 Mode::standard, request);
}
int MPI_Start(MPI_Request* request) {
  return call("MPI_Start", [&](Emulator& e) { start(e, *request); });
}
int MPI_Startall(int count, MPI_Request requests[]) {
  return call("MPI_Startall", [&](Emulator& e) {
    for (int i = 0; i < count; ++i) start(e, requests[i]);
  });
}

}  // extern "C"
