// What a program learns of its requests: waiting, testing, starting again, giving up.

#include <algorithm>

#include "job/call.hpp"
#include "job/requests.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/status.hpp"

using namespace commgauge::record;

namespace {

/// Statuses for the recorder where the program wants none. One at a time in a thread: its room is
/// used again.
class Statuses {
 public:
  Statuses(int count, MPI_Status* wanted) : wanted_{wanted} {
    if (wanted == MPI_STATUSES_IGNORE && count > static_cast<int>(own().size())) {
      own().resize(static_cast<std::size_t>(count));
    }
  }
  [[nodiscard]] MPI_Status* data() {
    return wanted_ == MPI_STATUSES_IGNORE ? own().data() : wanted_;
  }

 private:
  static std::vector<MPI_Status>& own() {
    thread_local auto* const room = new std::vector<MPI_Status>;  // as room<T>()
    return *room;
  }
  MPI_Status* wanted_;
};

/// One for each of several requests, of which some may not be over (MPI_ERR_IN_STATUS).
bool tells_of_each(int code) {
  if (code == MPI_SUCCESS) return true;
  int kind = MPI_SUCCESS;
  PMPI_Error_class(code, &kind);
  return kind == MPI_ERR_IN_STATUS;
}

bool is_over(int code, const MPI_Status& status) {
  return code == MPI_SUCCESS || status.MPI_ERROR != MPI_ERR_PENDING;
}

/// What is over of all requests of a call.
void add_all(Completion& completion, int code, int count, MPI_Request handles[],
             const MPI_Status statuses[]) {
  if (!tells_of_each(code)) return;
  for (int i = 0; i < count; ++i) {
    if (is_over(code, statuses[i])) completion.add(handles[i], statuses[i]);
  }
}

void add_some(Completion& completion, int code, int found, const int indices[],
              MPI_Request handles[], const MPI_Status statuses[]) {
  if (!tells_of_each(code) || found == MPI_UNDEFINED) return;
  for (int i = 0; i < found; ++i) completion.add(handles[indices[i]], statuses[i]);
}

void say_failure(Recorder& recorder, const Name& name, int code) {
  if (code != MPI_SUCCESS) recorder.leave_out(std::string{name.text} + " that failed");
}

void end_wait(Recorder& recorder, const Name& name, int code, const Completion& completion) {
  say_failure(recorder, name, code);
  completion.write_wait(recorder);
  recorder.leave(name);
  left();
}

void end_test(Recorder& recorder, const Name& name, const Completion& completion,
              std::uint64_t attempts) {
  completion.write_poll(recorder, attempts);
  recorder.leave(name);
  left();
}

bool unsuccessful(Recorder& recorder, const Name& name, int code, bool found) {
  if (code != MPI_SUCCESS || found) return false;
  recorder.leave_unsuccessful(name);
  left();
  return true;
}

void note_start(Recorder& recorder, MPI_Request handle) {
  const auto number = number_of(handle);
  if (!number) return;
  Request& request = request_at(*number);
  request.is_active = true;
  if (!request.start) return;
  set_request(request.start->event, *number);
  if (request.kind == Request::Kind::collective) {
    recorder.write(request.start->event, request.start->collective);
  } else {
    recorder.write(request.start->event);
  }
}

}  // namespace

extern "C" {

int MPI_Start(MPI_Request* handle) {
  const auto work = [&] { return real::Start(real_of(handle)); };
  COMMGAUGE_RECORDED("MPI_Start", work());
  return call(*recorder, name, work, [&](Recorder& r) { note_start(r, *handle); });
}

int MPI_Startall(int count, MPI_Request handles[]) {
  const auto work = [&] {
    RealRequests requests(count, handles);
    return real::Startall(count, requests.data());
  };
  COMMGAUGE_RECORDED("MPI_Startall", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    for (int i = 0; i < count; ++i) note_start(r, handles[i]);
  });
}

int MPI_Wait(MPI_Request* handle, MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Wait", real::Wait(real_of(handle), wanted));
  Status status(wanted);
  const int code = real::Wait(real_of(handle), status.get());
  recorder->begin(name);
  Completion completion;
  completion.add(*handle, *status.get());  // over all the same where it failed
  end_wait(*recorder, name, code, completion);
  return code;
}

int MPI_Waitall(int count, MPI_Request handles[], MPI_Status wanted[]) {
  RealRequests requests(count, handles);
  COMMGAUGE_RECORDED("MPI_Waitall", real::Waitall(count, requests.data(), wanted));
  Statuses statuses(count, wanted);
  const int code = real::Waitall(count, requests.data(), statuses.data());
  recorder->begin(name);
  Completion completion;
  add_all(completion, code, count, handles, statuses.data());
  end_wait(*recorder, name, code, completion);
  return code;
}

int MPI_Waitany(int count, MPI_Request handles[], int* index, MPI_Status* wanted) {
  RealRequests requests(count, handles);
  COMMGAUGE_RECORDED("MPI_Waitany", real::Waitany(count, requests.data(), index, wanted));
  Status status(wanted);
  const int code = real::Waitany(count, requests.data(), index, status.get());
  recorder->begin(name);
  Completion completion;
  if (*index >= 0 && *index < count) completion.add(handles[*index], *status.get());
  end_wait(*recorder, name, code, completion);
  return code;
}

int MPI_Waitsome(int count, MPI_Request handles[], int* found, int indices[], MPI_Status wanted[]) {
  RealRequests requests(count, handles);
  COMMGAUGE_RECORDED("MPI_Waitsome",
                     real::Waitsome(count, requests.data(), found, indices, wanted));
  Statuses statuses(count, wanted);
  const int code = real::Waitsome(count, requests.data(), found, indices, statuses.data());
  recorder->begin(name);
  Completion completion;
  add_some(completion, code, *found, indices, handles, statuses.data());
  end_wait(*recorder, name, code, completion);
  return code;
}

int MPI_Test(MPI_Request* handle, int* flag, MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Test", real::Test(real_of(handle), flag, wanted));
  Status status(wanted);
  const int code = real::Test(real_of(handle), flag, status.get());
  if (unsuccessful(*recorder, name, code, *flag != 0)) return code;
  const std::uint64_t attempts = recorder->begin_poll(name);
  say_failure(*recorder, name, code);
  Completion completion;
  completion.add(*handle, *status.get());
  end_test(*recorder, name, completion, attempts);
  return code;
}

int MPI_Testall(int count, MPI_Request handles[], int* flag, MPI_Status wanted[]) {
  RealRequests requests(count, handles);
  COMMGAUGE_RECORDED("MPI_Testall", real::Testall(count, requests.data(), flag, wanted));
  Statuses statuses(count, wanted);
  const int code = real::Testall(count, requests.data(), flag, statuses.data());
  if (unsuccessful(*recorder, name, code, *flag != 0)) return code;
  const std::uint64_t attempts = recorder->begin_poll(name);
  say_failure(*recorder, name, code);
  Completion completion;
  add_all(completion, code, count, handles, statuses.data());
  end_test(*recorder, name, completion, attempts);
  return code;
}

int MPI_Testany(int count, MPI_Request handles[], int* index, int* flag, MPI_Status* wanted) {
  RealRequests requests(count, handles);
  COMMGAUGE_RECORDED("MPI_Testany", real::Testany(count, requests.data(), index, flag, wanted));
  Status status(wanted);
  const int code = real::Testany(count, requests.data(), index, flag, status.get());
  if (unsuccessful(*recorder, name, code, *flag != 0)) return code;
  const std::uint64_t attempts = recorder->begin_poll(name);
  say_failure(*recorder, name, code);
  Completion completion;
  if (*index >= 0 && *index < count) completion.add(handles[*index], *status.get());
  end_test(*recorder, name, completion, attempts);
  return code;
}

int MPI_Testsome(int count, MPI_Request handles[], int* found, int indices[], MPI_Status wanted[]) {
  RealRequests requests(count, handles);
  COMMGAUGE_RECORDED("MPI_Testsome",
                     real::Testsome(count, requests.data(), found, indices, wanted));
  Statuses statuses(count, wanted);
  const int code = real::Testsome(count, requests.data(), found, indices, statuses.data());
  if (unsuccessful(*recorder, name, code, *found != 0)) return code;
  const std::uint64_t attempts = recorder->begin_poll(name);
  say_failure(*recorder, name, code);
  Completion completion;
  add_some(completion, code, *found, indices, handles, statuses.data());
  end_test(*recorder, name, completion, attempts);
  return code;
}

int MPI_Request_get_status(MPI_Request handle, int* flag, MPI_Status* wanted) {
  COMMGAUGE_RECORDED("MPI_Request_get_status",
                     real::Request_get_status(*real_of(&handle), flag, wanted));
  Status status(wanted);
  const int code = real::Request_get_status(*real_of(&handle), flag, status.get());
  if (unsuccessful(*recorder, name, code, *flag != 0)) return code;
  const std::uint64_t attempts = recorder->begin_poll(name);
  Completion completion;
  completion.look_at(handle, *status.get());
  end_test(*recorder, name, completion, attempts);
  return code;
}

int MPI_Request_free(MPI_Request* handle) {
  const auto work = [&] { return real::Request_free(real_of(handle)); };
  COMMGAUGE_RECORDED("MPI_Request_free", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const auto number = number_of(*handle);
    if (!number) return;
    Request& request = request_at(*number);
    *handle = MPI_REQUEST_NULL;
    if (request.open != nullptr) {  // its window waits for it all the same
      request.real = MPI_REQUEST_NULL;
      return;
    }
    const bool is_open = request.is_active && !request.is_over && request.is_event();
    if (is_open || request.kind == Request::Kind::partitioned) {
      r.write(event::Free{*number});
      if (request.with) r.write(event::Free{*request.with});
    }
    if (request.with) remove(*request.with);
    remove(*number);
  });
}

/// Of a send a trace has the message all the same: it may have been received.
int MPI_Cancel(MPI_Request* handle) {
  const auto work = [&] { return real::Cancel(real_of(handle)); };
  COMMGAUGE_RECORDED("MPI_Cancel", work());
  return call(*recorder, name, work, [&](Recorder& r) {
    const auto number = number_of(*handle);
    const bool is_send =
        !number || (!request_at(*number).is_receive && request_at(*number).is_event());
    if (is_send) r.leave_out(std::string{name.text} + " of a send");
    if (number) request_at(*number).is_cancelled = true;
  });
}

}  // extern "C"
