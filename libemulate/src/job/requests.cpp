#include "job/requests.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commgauge/base/error.hpp"
#include "mpi/failure.hpp"
#include "rank/threads.hpp"

namespace commgauge::emulate {

namespace {

struct Handles {
  std::vector<std::unique_ptr<Request>> requests;
  std::vector<std::size_t> unused;
};
Handles& handles() {
  static auto& all = lasting<Handles>();
  return all;
}

/// Far from the values of MPICH's own requests, so that one of them is recognised.
constexpr std::intptr_t first_handle = 0x10000000;

// Handles are numbers in some MPI libraries and pointers in others.
MPI_Request as_handle(std::size_t index) {
  return (MPI_Request)(first_handle + static_cast<std::intptr_t>(index));
}

std::size_t index_of(MPI_Request handle) {
  const auto number = (std::intptr_t)handle;
  const auto index = static_cast<std::size_t>(number - first_handle);
  if (number < first_handle || index >= handles().requests.size() || !handles().requests[index]) {
    throw InputError(
        "a request that the emulation did not make was given to it: use requests of "
        "point-to-point and collective operations only");
  }
  return index;
}

}  // namespace

MPI_Request to_handle(std::unique_ptr<Request> request) {
  Handles& all = handles();
  if (all.unused.empty()) {
    all.unused.push_back(all.requests.size());
    all.requests.emplace_back();
  }
  const std::size_t index = all.unused.back();
  all.unused.pop_back();
  all.requests[index] = std::move(request);
  return as_handle(index);
}

Request* from_handle(MPI_Request handle) {
  return handle == MPI_REQUEST_NULL ? nullptr : handles().requests[index_of(handle)].get();
}

namespace {

/// The program has been told so where it waited for it.
bool has_failed(const Request& request) {
  if (!request.task || !request.done) return false;
  try {
    request.task->check();
  } catch (const MpiFailure&) {
    return true;
  }
  return false;
}

}  // namespace

int open_operations() {
  return static_cast<int>(std::ranges::count_if(handles().requests, [](const auto& request) {
    return request && request->active && !has_failed(*request);
  }));
}

bool has_collectives() {
  const auto is_collective = [](const auto& request) {
    return request && request->kind == Request::Kind::collective;
  };
  return threads::have_collectives() || std::ranges::any_of(handles().requests, is_collective);
}

void free_handle(MPI_Request& handle) { (void)take_handle(handle); }

std::unique_ptr<Request> take_handle(MPI_Request& handle) {
  const std::size_t index = index_of(handle);
  handles().unused.push_back(index);
  handle = MPI_REQUEST_NULL;
  return std::move(handles().requests[index]);
}

}  // namespace commgauge::emulate
