#include "messages/transport.hpp"

#include <sched.h>

#include "messages/communicator.hpp"
#include "messages/tags.hpp"

namespace commgauge::bench {

namespace {

int count_of(Bytes size) { return static_cast<int>(size.value); }  // checked by validate()

}  // namespace

WaitMode decide_wait(Wait asked, bool cores_are_shared) {
  if (asked == Wait::automatic) return cores_are_shared ? WaitMode::yield : WaitMode::blocking;
  return asked == Wait::yield ? WaitMode::yield : WaitMode::blocking;
}

void Transport::send(const std::byte* buffer, Bytes size, int destination, int tag) const {
  if (mode_ == WaitMode::blocking) {
    check(MPI_Send(buffer, count_of(size), MPI_BYTE, destination, tag, comm_), "MPI_Send");
    return;
  }
  MPI_Request request = start_send(buffer, size, destination, tag);
  wait(request);
}

void Transport::receive(std::byte* buffer, Bytes size, int source, int tag) const {
  if (mode_ == WaitMode::blocking) {
    check(MPI_Recv(buffer, count_of(size), MPI_BYTE, source, tag, comm_, MPI_STATUS_IGNORE),
          "MPI_Recv");
    return;
  }
  MPI_Request request = start_receive(buffer, size, source, tag);
  wait(request);
}

MPI_Request Transport::start_send(const std::byte* buffer, Bytes size, int destination,
                                  int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(buffer, count_of(size), MPI_BYTE, destination, tag, comm_, &request),
        "MPI_Isend");
  return request;
}

MPI_Request Transport::start_receive(std::byte* buffer, Bytes size, int source, int tag) const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(buffer, count_of(size), MPI_BYTE, source, tag, comm_, &request), "MPI_Irecv");
  return request;
}

void Transport::wait(MPI_Request& request) const {
  if (mode_ == WaitMode::blocking) {
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    return;
  }
  for (int done = 0;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) return;
    sched_yield();
  }
}

void Transport::wait_any(std::vector<MPI_Request>& requests) const {
  const int count = static_cast<int>(requests.size());
  int which = 0;
  if (mode_ == WaitMode::blocking) {
    check(MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE), "MPI_Waitany");
    return;
  }
  for (int done = 0;;) {
    check(MPI_Testany(count, requests.data(), &which, &done, MPI_STATUS_IGNORE), "MPI_Testany");
    if (done) return;
    sched_yield();
  }
}

void Transport::wait_all(std::vector<MPI_Request>& requests) const {
  if (mode_ == WaitMode::blocking) {
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    return;
  }
  for (int done = 0;;) {
    check(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    if (done) return;
    sched_yield();
  }
}

void Transport::make_progress(int peer) const {
  int found = 0;
  check(MPI_Iprobe(peer, nothing_tag, comm_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  if (mode_ == WaitMode::yield) sched_yield();
}

void Transport::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  wait(request);
}

void Transport::scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, int root) const {
  if (mode_ == WaitMode::blocking) {
    check(MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_),
          "MPI_Scatter");
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_,
                     &request),
        "MPI_Iscatter");
  wait(request);
}

void Transport::gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root) const {
  if (mode_ == WaitMode::blocking) {
    check(MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_),
          "MPI_Gather");
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm_,
                    &request),
        "MPI_Igather");
  wait(request);
}

void Transport::scatter(const std::byte* whole, std::byte* part, Bytes size, int root) const {
  const int count = count_of(size);
  scatter(whole, count, MPI_BYTE, part ? part : MPI_IN_PLACE, count, MPI_BYTE, root);
}

void Transport::gather(const std::byte* part, std::byte* whole, Bytes size, int root) const {
  const int count = count_of(size);
  gather(part ? part : MPI_IN_PLACE, count, MPI_BYTE, whole, count, MPI_BYTE, root);
}

}  // namespace commgauge::bench
