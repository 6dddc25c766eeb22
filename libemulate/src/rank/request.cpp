#include "rank/request.hpp"

#include "mpi/real_calls.hpp"
#include "rank/session.hpp"

namespace commgauge::emulate {

/// A program need not free its requests, so this may run after MPI's end, when no type can be
/// freed.
Request::~Request() {
  if (owns_type && is_active()) real::Type_free(&place.type);
}

std::unique_ptr<Request> make_request(Request::Kind kind, const CommunicatorPtr& comm,
                                      const Place& place, int peer, int tag, int context,
                                      Mode mode) {
  auto request = std::make_unique<Request>();
  request->kind = kind;
  request->comm = comm;
  request->place = place;
  request->capacity = bytes_of(place);
  request->peer = peer;
  request->tag = tag;
  request->context = context;
  request->mode = mode;
  return request;
}

}  // namespace commgauge::emulate
