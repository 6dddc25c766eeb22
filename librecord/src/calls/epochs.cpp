// Epochs of windows, as the messages and accesses that libemulate makes of them (decisions/0024).

#include <utility>

#include "job/call.hpp"
#include "job/meeting.hpp"
#include "job/windows.hpp"
#include "mpi/real_calls.hpp"

namespace commgauge::record::real {

COMMGAUGE_BEHIND(Win_complete);
COMMGAUGE_BEHIND(Win_fence);
COMMGAUGE_BEHIND(Win_flush);
COMMGAUGE_BEHIND(Win_flush_all);
COMMGAUGE_BEHIND(Win_flush_local);
COMMGAUGE_BEHIND(Win_flush_local_all);
COMMGAUGE_BEHIND(Win_lock);
COMMGAUGE_BEHIND(Win_lock_all);
COMMGAUGE_BEHIND(Win_post);
COMMGAUGE_BEHIND(Win_start);
COMMGAUGE_BEHIND(Win_sync);
COMMGAUGE_BEHIND(Win_test);
COMMGAUGE_BEHIND(Win_unlock);
COMMGAUGE_BEHIND(Win_unlock_all);
COMMGAUGE_BEHIND(Win_wait);

}  // namespace commgauge::record::real

using namespace commgauge::record;
using commgauge::trace::Effect;
namespace trace = commgauge::trace;

namespace {

// Tags of a window's own messages.
constexpr int opens = 1;
constexpr int closes = 2;

using Numbers = std::vector<std::uint32_t>;

bool any(const OpenAccess&) { return true; }
bool comes_back(const OpenAccess& access) { return access.comes_back; }
auto at(const Window& window, int target) {
  return [peer = window.peer(target)](const OpenAccess& access) { return access.peer == peer; };
}

/// @param what  a Wait or a Flush
void write_over(Recorder& r, const event::Any& what, const std::vector<trace::Over>& over,
                bool ends_call = true) {
  if (!over.empty()) r.write(what, over, ends_call);
}

std::vector<trace::Over> over(const Numbers& accesses) {
  std::vector<trace::Over> all;
  for (const std::uint32_t number : accesses) all.push_back({number});
  return all;
}

/// A look that finds nothing.
void write_look(Recorder& r) { r.write_unsuccessful(1); }

/// Those are over that are meant of what has been started by now.
/// @param ends_call  the call does nothing behind it. @return whether there were any
bool finish(Recorder& r, Window& window, const event::Any& what, const auto& is_meant,
            bool ends_call = true) {
  Numbers meant;
  std::erase_if(window.open, [&](const OpenAccess& access) {
    if (!is_meant(access)) return false;
    meant.push_back(access.request);
    return true;
  });
  write_over(r, what, over(meant), ends_call);
  for (const std::uint32_t number : meant) {
    Request& request = request_at(number);
    request.open = nullptr;
    request.is_over = true;
    if (request.real == MPI_REQUEST_NULL) remove(number);
  }
  return !meant.empty();
}

void flush(Recorder& r, Window& window, const auto& is_meant) {
  if (!finish(r, window, event::Flush{}, is_meant)) write_look(r);
}

void change_locks(Recorder& r, Window& window, const std::vector<int>& targets, Effect effect) {
  Numbers changes;
  for (const int target : targets) changes.push_back(start_access(r, window, target, effect));
  write_over(r, event::Flush{}, over(changes));
  for (const std::uint32_t number : changes) remove(number);
}

std::vector<int> all_targets(const Window& window) {
  std::vector<int> targets;
  for (int target = 0; target < window.size(); ++target) targets.push_back(target);
  return targets;
}

bool is_asked_for(int assertion) { return (assertion & MPI_MODE_NOCHECK) == 0; }

/// By empty messages of the window's own.
void tell(Recorder& r, const Window& window, const std::vector<int>& ranks, int tag) {
  for (const int rank : ranks) {
    r.write(event::Send{
        .peer = rank, .tag = tag, .context = window.context, .mode = trace::Mode::buffered});
  }
}

Numbers listen(Recorder& r, const Window& window, const std::vector<int>& ranks, int tag) {
  Numbers receives;
  for (const int rank : ranks) {
    Request request;
    request.kind = Request::Kind::operation;
    receives.push_back(add(std::move(request)));
    r.write(event::Receive{
        .request = receives.back(), .peer = rank, .tag = tag, .context = window.context});
  }
  return receives;
}

/// What they all sent has been received. @param what  a Wait, or a Poll with its number of
/// unsuccessful attempts
void hear(Recorder& r, const event::Any& what, const Numbers& receives,
          const std::vector<int>& ranks, int tag) {
  std::vector<trace::Over> all;
  for (std::size_t i = 0; i < receives.size(); ++i) {
    all.push_back({receives[i], {ranks[i], tag, 0}});
    remove(receives[i]);
  }
  if (!all.empty()) return r.write(what, all);
  if (const auto* const poll = std::get_if<event::Poll>(&what))
    r.write_unsuccessful(poll->attempts);
}

}  // namespace

// Behind the arguments stands what the call did, with `r`, the recorder, and `w`, its window.
#define EPOCH_CALL(NAME, PARAMETERS, ARGUMENTS, ...)        \
  int MPI_##NAME PARAMETERS {                               \
    const auto work = [&] { return real::NAME ARGUMENTS; }; \
    COMMGAUGE_RECORDED("MPI_" #NAME, work());               \
    return call(*recorder, name, work, [&](Recorder& r) {   \
      Window* const found = window(r, win, name);           \
      if (found == nullptr) return;                         \
      Window& w = *found;                                   \
      __VA_ARGS__                                           \
    });                                                     \
  }                                                         \
  int PMPI_##NAME PARAMETERS __attribute__((alias("MPI_" #NAME)));

extern "C" {

EPOCH_CALL(Win_fence, (int assertion, MPI_Win win), (assertion, win), {
  finish(r, w, event::Wait{}, any, false);
  write_barrier(r, w.context, w.size());
})

EPOCH_CALL(Win_start, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win), {
  w.targets = ranks_of_job(group);
  if (!is_asked_for(assertion)) return;
  hear(r, event::Wait{}, listen(r, w, w.targets, opens), w.targets, opens);
})
EPOCH_CALL(Win_complete, (MPI_Win win), (win), {
  finish(r, w, event::Wait{}, any, false);
  tell(r, w, w.targets, closes);
})
EPOCH_CALL(Win_post, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win), {
  w.origins = ranks_of_job(group);
  w.completions = listen(r, w, w.origins, closes);
  if (is_asked_for(assertion)) tell(r, w, w.origins, opens);
})
EPOCH_CALL(Win_wait, (MPI_Win win), (win),
           { hear(r, event::Wait{}, std::exchange(w.completions, {}), w.origins, closes); })

int MPI_Win_test(MPI_Win win, int* flag) {
  const auto work = [&] { return real::Win_test(win, flag); };
  COMMGAUGE_RECORDED("MPI_Win_test", work());
  const int code = work();
  end_attempt(*recorder, name, code, *flag != 0, [&](Recorder& r, std::uint64_t attempts) {
    const event::Poll polled{.attempts = attempts};
    Window* const w = code == MPI_SUCCESS ? window(r, win, name) : nullptr;
    if (w == nullptr) return hear(r, polled, {}, {}, closes);
    hear(r, polled, std::exchange(w->completions, {}), w->origins, closes);
  });
  return code;
}
int PMPI_Win_test(MPI_Win, int*) __attribute__((alias("MPI_Win_test")));

EPOCH_CALL(Win_lock, (int type, int rank, int assertion, MPI_Win win), (type, rank, assertion, win),
           {
             if (rank == MPI_PROC_NULL) return;
             w.asked_locks[rank] = is_asked_for(assertion);
             if (!w.asked_locks[rank]) return;
             const bool shares = type == MPI_LOCK_SHARED;
             change_locks(r, w, {rank}, shares ? Effect::shared_lock : Effect::exclusive_lock);
           })
EPOCH_CALL(Win_unlock, (int rank, MPI_Win win), (rank, win), {
  if (rank == MPI_PROC_NULL) return;
  flush(r, w, at(w, rank));
  if (w.asked_locks[rank]) change_locks(r, w, {rank}, Effect::unlock);
  w.asked_locks.erase(rank);
})
EPOCH_CALL(Win_lock_all, (int assertion, MPI_Win win), (assertion, win), {
  w.asks_lock_of_all = is_asked_for(assertion);
  if (w.asks_lock_of_all) change_locks(r, w, all_targets(w), Effect::shared_lock);
})
EPOCH_CALL(Win_unlock_all, (MPI_Win win), (win), {
  flush(r, w, any);
  if (w.asks_lock_of_all) change_locks(r, w, all_targets(w), Effect::unlock);
})

EPOCH_CALL(Win_flush, (int rank, MPI_Win win), (rank, win), {
  if (rank != MPI_PROC_NULL) flush(r, w, at(w, rank));
})
EPOCH_CALL(Win_flush_all, (MPI_Win win), (win), { flush(r, w, any); })
// The data of what is sent have been taken already.
EPOCH_CALL(Win_flush_local, (int rank, MPI_Win win), (rank, win), {
  if (rank == MPI_PROC_NULL) return;
  finish(r, w, event::Wait{}, [is_there = at(w, rank)](const OpenAccess& access) {
    return comes_back(access) && is_there(access);
  });
})
EPOCH_CALL(Win_flush_local_all, (MPI_Win win), (win), { finish(r, w, event::Wait{}, comes_back); })

EPOCH_CALL(Win_sync, (MPI_Win win), (win), {
  static_cast<void>(w);
  write_look(r);
})

}  // extern "C"
