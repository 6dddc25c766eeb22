#include "job.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "real_calls.hpp"
#include "real_time.hpp"
#include "report.hpp"
#include "session.hpp"
#include "threads.hpp"

namespace commgauge::emulate {

namespace {

std::unordered_map<MPI_Comm, CommunicatorPtr>& communicators() {
  static auto& known = lasting<std::unordered_map<MPI_Comm, CommunicatorPtr>>();
  return known;
}

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

bool is_intercommunicator(MPI_Comm comm) {
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  return is_inter != 0;
}

/// A new communicator's number, the same on every rank of it.
int agree_on_id(MPI_Comm comm, bool is_inter) {
  const threads::Outside meanwhile;
  MPI_Comm whole = comm;
  if (is_inter) real::Intercomm_merge(comm, 0, &whole);
  int rank = 0;
  PMPI_Comm_rank(whole, &rank);
  int id = rank == 0 ? emulator().live().next_number() : 0;
  real::Bcast(&id, 1, MPI_INT, 0, whole);
  if (is_inter) real::Comm_free(&whole);
  return id;
}

}  // namespace

bool is_active() { return session().emulator != nullptr; }

Emulator& emulator() {
  Emulator* const own = threads::own();
  if (own == nullptr) {
    fail(ExitCode::bad_input,
         "MPI was called before MPI_Init or after MPI_Finalize (nothing is emulated "
         "there): call it in between");
  }
  return *own;
}

void fail(ExitCode code, const std::string& text) {
  preload::mpi_is_called();
  preload::mpi_is_done();
  LiveWorld* const live = session().live.get();
  const bool says = live == nullptr || live->is_first_to_fail();
  if (says) {
    say(text);
    preload::wait_until_read(STDERR_FILENO);
    if (live != nullptr) live->has_told();
  } else {
    live->wait_until_told();
  }
  // Until the launcher has passed it on; the one that has said it ends the job, if it can. Past the
  // C library's sleep, which is virtual where a refused call comes from.
  sleep_until(real_time() + (says ? 0.1 : 3));
  int running = 0;
  PMPI_Initialized(&running);
  if (running != 0 || is_active()) real::Abort(world(), static_cast<int>(code));
  _exit(static_cast<int>(code));
}

namespace {

bool is_fatal(MPI_Errhandler handler) {
#if MPI_VERSION >= 4
  if (handler == MPI_ERRORS_ABORT) return true;
#endif
  return handler == MPI_ERRORS_ARE_FATAL;
}

/// @param get  MPI_Errhandler of a handle
template <class Handle>
bool is_fatal_for(Handle handle, int (*get)(Handle, MPI_Errhandler*)) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  get(handle, &handler);
  const bool is = is_fatal(handler);
  PMPI_Errhandler_free(&handler);
  return is;
}
bool is_fatal_on(MPI_Comm comm) { return is_fatal_for(comm, PMPI_Comm_get_errhandler); }

MPI_Comm whose_handler(MPI_Comm comm) { return is_fatal_on(comm) ? world() : comm; }

/// Says which call failed, which MPI's own handlers don't know.
[[noreturn]] void fail_in_call(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  const std::string call = emulator().call_name();
  fail(static_cast<ExitCode>(code), (call.empty() ? "a call" : call) + " fails on rank " +
                                        std::to_string(emulator().rank()) + " (" + text.data() +
                                        ", and errors are fatal there): correct the call, or set "
                                        "MPI_ERRORS_RETURN and look at what it returns");
}

}  // namespace

bool errors_are_fatal(MPI_Comm comm) { return is_fatal_on(whose_handler(comm)); }

int report_failure(const MpiFailure& failure) {
  if (failure.is_told) return failure.code;
  if (failure.window != MPI_WIN_NULL) {
    if (is_fatal_for(failure.window, PMPI_Win_get_errhandler)) fail_in_call(failure.code);
    PMPI_Win_call_errhandler(failure.window, failure.code);
    return failure.code;
  }
  const bool is_job = failure.comm == MPI_COMM_NULL || failure.comm == MPI_COMM_WORLD;
  const MPI_Comm comm = is_job ? world() : whose_handler(failure.comm);
  if (is_fatal_on(comm)) fail_in_call(failure.code);
  PMPI_Comm_call_errhandler(comm, failure.code);
  return failure.code;
}

const CommunicatorPtr& communicator(MPI_Comm comm) {
  // A thread's own, for it may use it still when another has asked for another.
  thread_local MPI_Comm latest = MPI_COMM_NULL;
  thread_local auto& known = lasting<CommunicatorPtr>();
  if (known && comm == latest && known->handle == comm) return known;
  const auto found = communicators().find(comm);
  if (found == communicators().end()) {
    if (comm == MPI_COMM_NULL) throw MpiFailure{MPI_COMM_WORLD, MPI_ERR_COMM};
    // One that is none, as after it was freed: MPI tells the program's handler itself.
    int is_inter = 0;
    if (const int code = PMPI_Comm_test_inter(comm, &is_inter); code != MPI_SUCCESS) {
      throw MpiFailure{.comm = MPI_COMM_WORLD, .code = code, .is_told = true};
    }
    throw InputError(
        "a communicator that the emulation does not know was given to it: make "
        "communicators of MPI_COMM_WORLD only");
  }
  latest = comm;
  known = found->second;
  return known;
}

const CommunicatorPtr& group_communicator(MPI_Comm comm) {
  const CommunicatorPtr& found = communicator(comm);
  require(!found->is_inter, comm, MPI_ERR_COMM);
  return found;
}

void adopt(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) adopt(comm, agree_on_id(comm, is_intercommunicator(comm)));
}

void adopt(MPI_Comm comm, int id) {
  auto adopted = std::make_shared<Communicator>();
  adopted->handle = comm;
  adopted->id = id;
  adopted->is_inter = is_intercommunicator(comm);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  adopted->peers = ranks_of_job(group);
  PMPI_Group_free(&group);
  if (adopted->is_inter) {
    adopted->beside = std::move(adopted->peers);
    PMPI_Comm_remote_group(comm, &group);
    adopted->peers = ranks_of_job(group);
    PMPI_Group_free(&group);
  }
  adopted->positions.assign(static_cast<std::size_t>(emulator().machine().ranks), -1);
  for (int i = 0; i < adopted->size(); ++i) {
    adopted->positions[static_cast<std::size_t>(adopted->peers[static_cast<std::size_t>(i)])] = i;
  }
  PMPI_Comm_rank(comm, &adopted->rank);
  communicators()[comm] = std::move(adopted);
}

void adopt_job() {
  const auto& [all, own] = preload::job_communicators();
  constexpr int number = 0;  // no other communicator's
  adopt(all, number);
  adopt(own, emulator().live().next_number());
  communicators()[MPI_COMM_WORLD] = communicators()[all];
  communicators()[MPI_COMM_SELF] = communicators()[own];
}

void forget(MPI_Comm comm) {
  if (const auto found = communicators().find(comm); found != communicators().end()) {
    found->second->handle = MPI_COMM_NULL;
    communicators().erase(found);
  }
}

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
