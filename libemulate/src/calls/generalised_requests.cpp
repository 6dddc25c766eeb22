#include "calls/generalised_requests.hpp"

#include <algorithm>

#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "mpi/failure.hpp"
#include "rank/request.hpp"

namespace commgauge::emulate {

namespace {

/// nullptr: not one that isn't over and has such a function.
Request* open_with(auto OwnFunctions::*function, simulate::Request* asked) {
  auto* const request = static_cast<Request*>(asked);
  const bool is_it = !request->done && request->own && (*request->own).*function != nullptr;
  return is_it ? request : nullptr;
}

void check(int code) { require(code == MPI_SUCCESS, MPI_COMM_WORLD, code); }

void poll(Emulator& e, Request& request) {
  int code = MPI_SUCCESS;
  MPI_Status ignored;
  e.run_program([&] { code = request.own->poll(request.own->state, &ignored); });
  check(code);
}

/// A subroutine in place of a function, whose last argument is its error.
template <class... Arguments>
int call_fortran(auto* function, Arguments... arguments) {
  MPI_Fint code = MPI_SUCCESS;
  auto* const any = reinterpret_cast<void (*)()>(function);
  reinterpret_cast<void (*)(Arguments..., MPI_Fint*)>(any)(arguments..., &code);
  return code;
}

int query(const OwnFunctions& own, MPI_Status* status) {
  if (own.are_fortran)
    return call_fortran(own.query, own.state, reinterpret_cast<MPI_Fint*>(status));
  return own.query(own.state, status);
}

int free(const OwnFunctions& own) {
  return own.are_fortran ? call_fortran(own.free, own.state) : own.free(own.state);
}

int cancel(const OwnFunctions& own, bool is_over) {
  MPI_Fint complete = is_over ? 1 : 0;
  if (own.are_fortran) return call_fortran(own.cancel, own.state, &complete);
  return own.cancel(own.state, complete);
}

void wait_by_program(Emulator& e, Request& request) {
  int code = MPI_SUCCESS;
  MPI_Status ignored;
  void* states[]{request.own->state};
  e.run_program([&] { code = request.own->wait(1, states, 0, &ignored); });
  check(code);
}

void start(const OwnFunctions& functions, MPI_Request* result) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::generalised;
  request->comm = communicator(MPI_COMM_WORLD);
  request->own = functions;
  *result = to_handle(std::move(request));
}

std::vector<OwnFunctions>& classes() {
  static auto& all = lasting<std::vector<OwnFunctions>>();
  return all;
}

}  // namespace

void wait_for_program(Emulator& e, std::span<simulate::Request* const> requests) {
  for (simulate::Request* const asked : requests) {
    if (Request* const open = open_with(&OwnFunctions::wait, asked)) wait_by_program(e, *open);
    Request* const open = open_with(&OwnFunctions::poll, asked);
    while (open != nullptr && !open->done) {
      poll(e, *open);
      if (!open->done) e.poll_unsuccessfully();
    }
  }
}

void poll_program(Emulator& e, std::span<simulate::Request* const> requests) {
  for (simulate::Request* const asked : requests) {
    if (Request* const open = open_with(&OwnFunctions::poll, asked)) poll(e, *open);
  }
}

void wait_any(Emulator& e, std::span<simulate::Request* const> requests) {
  const auto is_polled = [](simulate::Request* asked) {
    return open_with(&OwnFunctions::poll, asked) != nullptr;
  };
  while (std::ranges::any_of(requests, is_polled)) {
    poll_program(e, requests);
    e.test_any(requests);
    if (std::ranges::any_of(requests, &simulate::Request::done)) return;
    e.poll_unsuccessfully();
  }
  e.wait_any(requests);
}

int ask_program(const Request& over, MPI_Status* status) {
  MPI_Status ignored;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &ignored : status;
  PMPI_Status_set_cancelled(told, 0);
  PMPI_Status_set_elements_x(told, MPI_BYTE, 0);
  int code = MPI_SUCCESS;
  emulator().run_program([&] { code = query(*over.own, told); });
  return code;
}

void free_by_program(const Request& request) {
  int code = MPI_SUCCESS;
  emulator().run_program([&] { code = free(*request.own); });
  check(code);
}

void cancel_by_program(const Request& request) {
  int code = MPI_SUCCESS;
  emulator().run_program([&] { code = cancel(*request.own, request.done); });
  check(code);
}

}  // namespace commgauge::emulate

using namespace commgauge::emulate;

extern "C" {

int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                       MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  return call("MPI_Grequest_start", [&](Emulator&) {
    start({query, free, cancel, nullptr, nullptr, state}, request);
  });
}
int MPI_Grequest_complete(MPI_Request handle) {
  return call("MPI_Grequest_complete", [&](Emulator& e) {
    Request* const request = from_handle(handle);
    require(request != nullptr && request->own.has_value(), MPI_COMM_WORLD, MPI_ERR_REQUEST);
    e.complete(*request);
    if (!request->is_freed) return;
    const std::unique_ptr<Request> over = take_handle(handle);
    free_by_program(*over);
  });
}

#ifdef MPICH_VERSION
/// What MPICH's bindings for Fortran call after MPI_Grequest_start.
void MPII_Grequest_set_lang_f77(MPI_Request handle) {
  if (Request* const request = from_handle(handle)) request->own->are_fortran = true;
}
int MPIX_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                        MPI_Grequest_cancel_function* cancel, MPIX_Grequest_poll_function* poll,
                        MPIX_Grequest_wait_function* wait, void* state, MPI_Request* request) {
  return call("MPIX_Grequest_start", [&](Emulator&) {
    start({query, free, cancel, poll, wait, state}, request);
  });
}
int MPIX_Grequest_class_create(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                               MPI_Grequest_cancel_function* cancel,
                               MPIX_Grequest_poll_function* poll, MPIX_Grequest_wait_function* wait,
                               MPIX_Grequest_class* made) {
  return call("MPIX_Grequest_class_create", [&](Emulator&) {
    *made = static_cast<MPIX_Grequest_class>(classes().size());
    classes().push_back({query, free, cancel, poll, wait, nullptr});
  });
}
int MPIX_Grequest_class_allocate(MPIX_Grequest_class of, void* state, MPI_Request* request) {
  return call("MPIX_Grequest_class_allocate", [&](Emulator&) {
    const auto number = static_cast<std::size_t>(of);
    require(of >= 0 && number < classes().size(), MPI_COMM_WORLD, MPI_ERR_ARG);
    OwnFunctions functions = classes()[number];
    functions.state = state;
    start(functions, request);
  });
}
#endif

}  // extern "C"
