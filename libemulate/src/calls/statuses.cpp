#include "calls/statuses.hpp"

namespace commgauge::emulate {

void fill(MPI_Status* status, int source, int tag, std::uint64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  PMPI_Status_set_cancelled(status, 0);
  PMPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(bytes));
}

namespace {

void fill_of_send(MPI_Status* status) { fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0); }

/// @param rank  of the job, or none: that stays as it is
int position_of(const Communicator& comm, int rank) {
  return rank < 0 ? rank : comm.positions[static_cast<std::size_t>(rank)];
}

}  // namespace

void fill_empty(MPI_Status* status) {
  fill_of_send(status);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

void fill(MPI_Status* status, const Request& request) {
  const bool has_source = request.found_tag != wildcard;
  if (request.is_cancelled) {
    fill_of_send(status);
    if (status != MPI_STATUS_IGNORE) PMPI_Status_set_cancelled(status, 1);
  } else if (request.kind == Request::Kind::receive || request.is_sendrecv || has_source) {
    fill(status, position_of(*request.comm, request.source), request.found_tag, request.bytes);
  } else {
    fill_of_send(status);
  }
}

void fill(MPI_Status* status, const Communicator& comm, const Message& message) {
  fill(status, position_of(comm, message.envelope.source), message.envelope.tag, message.size);
}

}  // namespace commgauge::emulate
