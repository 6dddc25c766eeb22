// Messages in partitions: what is prepared, and which partitions are ready or have come. That they
// are started and over is noted as of any persistent request.

#include <mpi.h>

#if MPI_VERSION >= 4

#include <memory>
#include <utility>

#include "arguments/places.hpp"
#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/real_calls.hpp"

using namespace commgauge::record;
using commgauge::preload::size_of;
namespace trace = commgauge::trace;

namespace {

/// One side: its request becomes one of the recorder's.
/// @param prepared  without its communicator, peer and request
void prepare(Recorder& r, const Name& name, auto prepared, int peer, MPI_Comm handle,
             MPI_Request* request) {
  const Communicator* const comm = communicator(r, handle, name);
  if (comm == nullptr) return;
  prepared.context = comm->context;
  prepared.peer = peer == MPI_PROC_NULL ? trace::nobody : comm->peer(peer);
  Request own;
  own.kind = Request::Kind::partitioned;
  own.is_persistent = true;
  own.is_active = false;
  own.real = *request;
  own.comm = comm;
  own.start = std::make_unique<Request::Start>(Request::Start{{event::Start{}}, {}});
  prepared.request = add(std::move(own));
  r.write(prepared);
  *request = to_handle(prepared.request);
}

template <class Kind>
Kind prepared(int partitions, MPI_Count count, MPI_Datatype type, int tag) {
  return {.tag = tag,
          .partitions = static_cast<std::uint32_t>(partitions),
          .bytes = static_cast<std::uint64_t>(count) * size_of(type)};
}

/// @param first  of so many partitions
void note_ready(Recorder& r, MPI_Request handle, int first, int count) {
  const auto number = number_of(handle);
  if (!number || count <= 0) return;
  r.write(event::Ready{*number, first, static_cast<std::uint32_t>(count)});
}

/// Of a receive that isn't started the answer says nothing.
void note_arrived(Recorder& r, MPI_Request handle, int partition, std::uint64_t attempts) {
  const auto number = number_of(handle);
  if (!number || !request_at(*number).is_active) return r.write_unsuccessful(attempts);
  r.write(event::Arrived{*number, partition, attempts});
}

}  // namespace

extern "C" {

int MPI_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int to,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const auto work = [&] {
    return real::Psend_init(buffer, partitions, count, type, to, tag, comm, info, request);
  };
  COMMGAUGE_RECORDED("MPI_Psend_init", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    prepare(r, name, prepared<event::PrepareSend>(partitions, count, type, tag), to, comm, request);
  });
}

int MPI_Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int from,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const auto work = [&] {
    return real::Precv_init(buffer, partitions, count, type, from, tag, comm, info, request);
  };
  COMMGAUGE_RECORDED("MPI_Precv_init", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    prepare(r, name, prepared<event::PrepareReceive>(partitions, count, type, tag), from, comm,
            request);
  });
}

int MPI_Pready(int partition, MPI_Request request) {
  const auto work = [&] { return real::Pready(partition, *real_of(&request)); };
  COMMGAUGE_RECORDED("MPI_Pready", work());
  return call(*recorder, name, work, [&](Recorder& r) { note_ready(r, request, partition, 1); });
}

int MPI_Pready_range(int first, int last, MPI_Request request) {
  const auto work = [&] { return real::Pready_range(first, last, *real_of(&request)); };
  COMMGAUGE_RECORDED("MPI_Pready_range", work());
  return call(*recorder, name, work,
              [&](Recorder& r) { note_ready(r, request, first, last - first + 1); });
}

int MPI_Pready_list(int count, int partitions[], MPI_Request request) {
  const auto work = [&] { return real::Pready_list(count, partitions, *real_of(&request)); };
  COMMGAUGE_RECORDED("MPI_Pready_list", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    for (int i = 0, end = 0; i < count; i = end) {  // those that follow one another at once
      for (end = i + 1; end < count && partitions[end] == partitions[end - 1] + 1;) ++end;
      note_ready(r, request, partitions[i], end - i);
    }
  });
}

int MPI_Parrived(MPI_Request request, int partition, int* flag) {
  COMMGAUGE_RECORDED("MPI_Parrived", real::Parrived(*real_of(&request), partition, flag));
  const int code = real::Parrived(*real_of(&request), partition, flag);
  end_attempt(*recorder, name, code, *flag != 0, [&](Recorder& r, std::uint64_t attempts) {
    if (code != MPI_SUCCESS) return r.write_unsuccessful(attempts);
    note_arrived(r, request, partition, attempts);
  });
  return code;
}

#define PROFILING_NAME(NAME) decltype(MPI_##NAME) PMPI_##NAME __attribute__((alias("MPI_" #NAME)))
PROFILING_NAME(Parrived);
PROFILING_NAME(Pready);
PROFILING_NAME(Pready_list);
PROFILING_NAME(Pready_range);
PROFILING_NAME(Precv_init);
PROFILING_NAME(Psend_init);

}  // extern "C"

#endif
