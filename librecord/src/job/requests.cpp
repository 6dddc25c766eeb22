#include "job/requests.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "job/own_thread.hpp"
#include "mpi/real_calls.hpp"
#include "recorder/thread_lock.hpp"

namespace commgauge::record {

namespace {

struct Requests {
  std::deque<Request> all;
  std::vector<MPI_Request> handles;  ///< of each
  std::vector<MPI_Request> spare;    ///< handles
  std::unordered_map<MPI_Request, std::uint32_t> numbers;
  std::unordered_map<int, std::vector<std::uint32_t>> unused;  ///< by slot of a thread
};
Requests& requests() {
  static Requests only;
  return only;
}

/// A request of MPI that does nothing, by whose handle the program knows one of the recorder's.
/// Some libraries' bindings look into what a handle stands for.
MPI_Request make_handle() {
  MPI_Request made = MPI_REQUEST_NULL;
  mpi::Grequest_start([](void*, MPI_Status*) { return MPI_SUCCESS; },
                      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; },
                      nullptr, &made);
  return made;
}

/// Of one of its users at a time. It outlives its thread, whose destructors may call MPI.
template <class T>
std::vector<T>& room() {
  thread_local auto* const only = new std::vector<T>;
  only->clear();
  return *only;
}

std::uint64_t bytes_in(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return static_cast<std::uint64_t>(std::max<MPI_Count>(bytes, 0));
}

int peer_in_job(const Communicator& comm, int rank) {
  return rank >= 0 && rank < comm.size() ? comm.peer(rank) : trace::any;
}

}  // namespace

std::uint32_t add(Request request) {
  Requests& here = requests();
  request.slot = threads::own_slot();
  auto& unused = here.unused[request.slot];
  if (unused.empty()) {
    const auto number = static_cast<std::uint32_t>(here.all.size());
    unused.push_back(number);
    here.all.emplace_back();
    here.handles.push_back(MPI_REQUEST_NULL);
  }
  const std::uint32_t number = unused.back();
  unused.pop_back();
  here.all[number] = std::move(request);
  return number;
}

bool has_collectives() {
  return std::ranges::any_of(requests().all, [](const Request& one) {
    const bool goes_on =
        one.kind == Request::Kind::collective || one.kind == Request::Kind::partitioned;
    return goes_on && one.is_active && !one.is_over;
  });
}

Request& request_at(std::uint32_t number) { return requests().all[number]; }

void remove(std::uint32_t number) {
  Requests& here = requests();
  const int slot = std::exchange(request_at(number), {}).slot;
  if (slot == threads::own_slot()) {
    here.unused[slot].push_back(number);
    return;
  }
  // In a replay another thread may start the next one before this one has come to here.
  const MPI_Request handle = std::exchange(here.handles[number], MPI_REQUEST_NULL);
  if (handle == MPI_REQUEST_NULL) return;
  here.numbers.erase(handle);
  here.spare.push_back(handle);
}

void forget_unused(int slot) { requests().unused.erase(slot); }

void forget_requests() {
  // Freeing asks MPI for progress, for which a process alone has nothing in MPICH where only a
  // session has started it.
  int has_world = 0;
  PMPI_Initialized(&has_world);
  auto all = std::exchange(requests().handles, {});
  all.insert(all.end(), requests().spare.begin(), requests().spare.end());
  for (MPI_Request handle : all) {
    if (handle == MPI_REQUEST_NULL) continue;
    mpi::Grequest_complete(handle);
    if (has_world != 0) mpi::Request_free(&handle);
  }
  requests() = {};
}

MPI_Request to_handle(std::uint32_t number) {
  MPI_Request& handle = requests().handles[number];
  if (handle != MPI_REQUEST_NULL) return handle;
  auto& spare = requests().spare;
  if (spare.empty()) spare.push_back(make_handle());
  handle = spare.back();
  spare.pop_back();
  requests().numbers[handle] = number;
  return handle;
}

std::optional<std::uint32_t> number_of(MPI_Request handle) {
  const auto& numbers = requests().numbers;
  const auto found = numbers.find(handle);
  if (found == numbers.end()) return std::nullopt;
  return found->second;
}

MPI_Request* real_of(MPI_Request* handle) {
  const threads::Held looking;
  const auto number = number_of(*handle);
  return number ? &request_at(*number).real : handle;
}

RealRequests::RealRequests(int count, MPI_Request* handles)
    : handles_{handles, static_cast<std::size_t>(std::max(count, 0))}, real_{room<MPI_Request>()} {
  const threads::Held looking;
  real_.assign(handles_.begin(), handles_.end());
  for (MPI_Request& handle : real_) {
    if (const auto number = number_of(handle)) handle = request_at(*number).real;
  }
}

RealRequests::~RealRequests() {
  const threads::Held looking;
  for (std::size_t i = 0; i < real_.size(); ++i) {
    if (const auto number = number_of(handles_[i])) {
      request_at(*number).real = real_[i];
    } else {
      handles_[i] = real_[i];
    }
  }
}

trace::Found found_in(const Communicator& comm, const MPI_Status& status) {
  return {peer_in_job(comm, status.MPI_SOURCE), status.MPI_TAG, bytes_in(status)};
}

Completion::Completion() : over_{room<trace::Over>()}, cancelled_{room<std::uint32_t>()} {}

void Completion::note(std::uint32_t number, const MPI_Status& status) {
  Request& request = request_at(number);
  if (!request.is_active) return;
  if (request.object != 0) objects_.push_back(request.object);
  if (request.is_over || !request.is_event()) {
    has_other_ = true;
    return;
  }
  int is_cancelled = 0;
  if (request.is_cancelled) PMPI_Test_cancelled(&status, &is_cancelled);
  if (is_cancelled != 0 && request.is_receive) {
    cancelled_.push_back(number);
    return;
  }
  over_.push_back({number});
  if (request.is_receive && !request.has_another_status) {
    over_.back().found = found_in(*request.comm, status);
  }
  if (request.open != nullptr) {
    std::erase_if(*request.open, [&](const OpenAccess& one) { return one.request == number; });
    request.open = nullptr;
  }
  if (request.with) over_.push_back({*request.with});
}

void Completion::look_at(MPI_Request handle, const MPI_Status& status) {
  const auto number = number_of(handle);
  if (!number) return;
  note(*number, status);
  // One that isn't started is over in MPI, too, but will be started.
  Request& request = request_at(*number);
  request.is_over = request.is_active;
}

void Completion::add(MPI_Request& handle, const MPI_Status& status) {
  const auto number = number_of(handle);
  if (!number) return;
  note(*number, status);
  Request& request = request_at(*number);
  if (request.is_persistent) {
    request.is_active = request.is_over = request.is_cancelled = false;
    return;
  }
  if (request.with) remove(*request.with);
  if (request.made) adopt_made(*request.made->where, std::move(request.made->comm));
  remove(*number);
  handle = MPI_REQUEST_NULL;
}

/// What was cancelled, and what the program itself says to be over.
void Completion::write_others(Recorder& recorder) const {
  for (const std::uint32_t number : cancelled_) recorder.write(event::Cancel{number});
  for (const std::uint32_t object : objects_) recorder.write(event::Acquire{object, 1});
}

void Completion::write_wait(Recorder& recorder) const {
  write_others(recorder);
  if (!over_.empty()) recorder.write(event::Wait{}, over_);
}

void Completion::write_poll(Recorder& recorder, std::uint64_t attempts) const {
  write_others(recorder);
  if (!over_.empty()) return recorder.write(event::Poll{.attempts = attempts}, over_);
  recorder.write_unsuccessful(attempts);
  if (has_other_ && has_collectives()) recorder.write(event::Poll{}, over_);
}

}  // namespace commgauge::record
