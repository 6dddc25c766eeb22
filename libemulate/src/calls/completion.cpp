// How a program waits for operations, tests them, and gives them up.

#include <mpi.h>

#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "calls/generalised_requests.hpp"
#include "calls/statuses.hpp"
#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/failure.hpp"

using namespace commgauge::emulate;
using Asked = commgauge::simulate::Request;

namespace {

/// What went wrong with what is over, as MPI has it.
int conclude(Request& request, MPI_Status* status) {
  if (request.own) return ask_program(request, status);
  fill(status, request);
  return request.error();
}

/// A program has been told of it: it may start again, or is no more.
void retire(MPI_Request& handle) {
  Request* const request = from_handle(handle);
  if (request->persistent) {
    request->active = false;
  } else {
    const std::unique_ptr<Request> over = take_handle(handle);
    if (over->own) free_by_program(*over);
  }
}

void report(MPI_Request& handle, MPI_Status* status) {
  Request* const request = from_handle(handle);
  const int error = conclude(*request, status);
  const MPI_Comm comm = request->comm->handle;
  retire(handle);
  require(error == MPI_SUCCESS, comm, error);
}

Request* active(MPI_Request handle) {
  Request* const request = from_handle(handle);
  return request != nullptr && request->active ? request : nullptr;
}

std::vector<Asked*> all_active(int count, MPI_Request handles[]) {
  std::vector<Asked*> requests;
  for (int i = 0; i < count; ++i) {
    if (Request* const request = active(handles[i])) requests.push_back(request);
  }
  return requests;
}

MPI_Status* status_at(MPI_Status statuses[], int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

/// Of a call that ends several operations: each has its error, or that it has none.
/// @param indices  of those that are over, among `handles`
void report_each(std::span<const int> indices, MPI_Request handles[], MPI_Status statuses[]) {
  CommunicatorPtr failed;
  std::vector<int> errors(indices.size(), MPI_SUCCESS);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    MPI_Request& handle = handles[indices[k]];
    MPI_Status* const status = status_at(statuses, static_cast<int>(k));
    Request* const request = active(handle);
    if (request == nullptr) {
      fill_empty(status);
      continue;
    }
    errors[k] = conclude(*request, status);
    if (errors[k] != MPI_SUCCESS) failed = request->comm;
    retire(handle);
  }
  if (statuses != MPI_STATUSES_IGNORE) {
    for (std::size_t k = 0; k < errors.size(); ++k) statuses[k].MPI_ERROR = errors[k];
  }
  if (failed) throw MpiFailure{failed->handle, MPI_ERR_IN_STATUS};
}

void report_all(int count, MPI_Request handles[], MPI_Status statuses[]) {
  std::vector<int> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  report_each(indices, handles, statuses);
}

/// The one that is over, if any; the first of several.
void report_any(int count, MPI_Request handles[], int* index, MPI_Status* status) {
  *index = MPI_UNDEFINED;
  for (int i = 0; i < count; ++i) {
    const Request* const request = active(handles[i]);
    if (request == nullptr || !request->done) continue;
    *index = i;
    report(handles[i], status);
    return;
  }
}

void report_some(int count, MPI_Request handles[], int* found, int indices[],
                 MPI_Status statuses[]) {
  *found = 0;
  for (int i = 0; i < count; ++i) {
    const Request* const request = active(handles[i]);
    if (request != nullptr && request->done) indices[(*found)++] = i;
  }
  report_each({indices, static_cast<std::size_t>(*found)}, handles, statuses);
}

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return call("MPI_Wait", [&](Emulator& e) {
    Request* const waited = active(*request);
    if (waited == nullptr) {
      fill_empty(status);
      return;
    }
    Asked* const one[]{waited};
    wait_for_program(e, one);
    if (!waited->done) e.wait_all(one);
    report(*request, status);
  });
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return call("MPI_Waitall", [&](Emulator& e) {
    const std::vector<Asked*> waited = all_active(count, requests);
    wait_for_program(e, waited);
    e.wait_all(waited);
    report_all(count, requests, statuses);
  });
}
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return call("MPI_Waitany", [&](Emulator& e) {
    const std::vector<Asked*> waited = all_active(count, requests);
    if (waited.empty()) {
      *index = MPI_UNDEFINED;
      fill_empty(status);
      return;
    }
    wait_any(e, waited);
    report_any(count, requests, index, status);
  });
}
int MPI_Waitsome(int count, MPI_Request requests[], int* found, int indices[],
                 MPI_Status statuses[]) {
  return call("MPI_Waitsome", [&](Emulator& e) {
    const std::vector<Asked*> waited = all_active(count, requests);
    if (waited.empty()) {
      *found = MPI_UNDEFINED;
      return;
    }
    const double now = e.clock();
    wait_any(e, waited);
    e.test_some(waited, now);
    report_some(count, requests, found, indices, statuses);
  });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return call("MPI_Test", [&](Emulator& e) {
    Request* const tested = active(*request);
    *flag = 1;
    if (tested == nullptr) {
      fill_empty(status);
      return;
    }
    Asked* const one[]{tested};
    poll_program(e, one);
    *flag = e.test_all(one);
    if (*flag) {
      report(*request, status);
    } else {
      e.poll_unsuccessfully();
    }
  });
}
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return call("MPI_Testall", [&](Emulator& e) {
    const std::vector<Asked*> tested = all_active(count, requests);
    poll_program(e, tested);
    *flag = e.test_all(tested);
    if (*flag) {
      report_all(count, requests, statuses);
    } else {
      e.poll_unsuccessfully();
    }
  });
}
int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return call("MPI_Testany", [&](Emulator& e) {
    const std::vector<Asked*> tested = all_active(count, requests);
    *flag = 1;
    if (tested.empty()) {
      *index = MPI_UNDEFINED;
      fill_empty(status);
      return;
    }
    poll_program(e, tested);
    e.test_any(tested);
    report_any(count, requests, index, status);
    *flag = *index != MPI_UNDEFINED;
    if (!*flag) e.poll_unsuccessfully();
  });
}
int MPI_Testsome(int count, MPI_Request requests[], int* found, int indices[],
                 MPI_Status statuses[]) {
  return call("MPI_Testsome", [&](Emulator& e) {
    const std::vector<Asked*> tested = all_active(count, requests);
    if (tested.empty()) {
      *found = MPI_UNDEFINED;
      return;
    }
    poll_program(e, tested);
    e.test_some(tested, e.clock());
    report_some(count, requests, found, indices, statuses);
    if (*found == 0) e.poll_unsuccessfully();
  });
}
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return call("MPI_Request_get_status", [&](Emulator& e) {
    Request* const tested = active(request);
    *flag = 1;
    if (tested == nullptr) {
      fill_empty(status);
      return;
    }
    Asked* const one[]{tested};
    poll_program(e, one);
    *flag = e.test_all(one);
    if (*flag) {
      const int error = conclude(*tested, status);
      require(error == MPI_SUCCESS || !tested->own, tested->comm->handle, error);
    } else {
      e.poll_unsuccessfully();
    }
  });
}
int MPI_Request_free(MPI_Request* request) {
  return call("MPI_Request_free", [&](Emulator& e) {
    require(*request != MPI_REQUEST_NULL, MPI_COMM_WORLD, MPI_ERR_REQUEST);
    Request* const freed = active(*request);
    if (freed != nullptr && freed->own && !freed->done) {
      // Its handle is still good for MPI_Grequest_complete.
      freed->is_freed = true;
      *request = MPI_REQUEST_NULL;
      return;
    }
    std::unique_ptr<Request> taken = take_handle(*request);
    if (taken->own) {
      free_by_program(*taken);
    } else if (freed != nullptr && !freed->done) {
      e.leave_alone(std::move(taken));
    }
  });
}
/// Sends aren't taken back: they are over sooner or later, cancelled or not, as MPI allows.
int MPI_Cancel(MPI_Request* request) {
  return call("MPI_Cancel", [&](Emulator& e) {
    Request* const cancelled = active(*request);
    require(cancelled != nullptr, MPI_COMM_WORLD, MPI_ERR_REQUEST);
    if (cancelled->own) {
      cancel_by_program(*cancelled);
    } else if (cancelled->kind == Request::Kind::receive) {
      (void)e.cancel(*cancelled);
    } else {
      require(cancelled->kind == Request::Kind::send, cancelled->comm->handle, MPI_ERR_REQUEST);
    }
  });
}

}  // extern "C"
