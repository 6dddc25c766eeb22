// Epochs of windows: fence, post-start-complete-wait, locks; flush. Whose costs: decisions/0024.

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "collective/algorithms.hpp"
#include "collective/announcing.hpp"
#include "collective/members.hpp"
#include "job/call.hpp"
#include "mpi/failure.hpp"
#include "mpi/world.hpp"
#include "rank/request.hpp"
#include "shared/access.hpp"
#include "windows/window.hpp"

using namespace commgauge::emulate;
using commgauge::simulate::Effect;
using Asked = commgauge::simulate::Request;
using Locking = Window::Locking;

namespace {

// Tags of a window's own messages.
constexpr int opens = 1;
constexpr int closes = 2;

using Meant = std::function<bool(const Access&)>;

bool any(const Access&) { return true; }
/// The program's own buffers are still needed.
bool uses_memory(const Access& access) {
  return access.leaves_data || access.answer != commgauge::simulate::no_answer;
}
Meant at(const Window& window, int target) {
  return [rank = window.comm->peers[static_cast<std::size_t>(target)]](const Access& access) {
    return access.peer == rank;
  };
}

void forget_over(Window& window) {
  std::erase_if(window.open, [](const Access* access) { return access->done; });
  std::erase_if(window.kept, [](const auto& access) { return access->done; });
}

using Ends = std::vector<std::shared_ptr<const End>>;

/// Waits until those are over that are meant of what has been started by now. Other threads may do
/// the same meanwhile, and forget them then.
Ends finish(Emulator& e, Window& window, const Meant& is_meant) {
  std::vector<std::pair<Access*, std::shared_ptr<const End>>> meant;
  for (Access* const access : window.open) {
    if (!access->done && is_meant(*access)) meant.emplace_back(access, access->end);
  }
  e.wait_all_of([&] {
    std::vector<Asked*> left;
    for (const auto& [access, end] : meant) {
      if (!end->is_over) left.push_back(access);
    }
    return left;
  });
  Ends ends;
  for (auto& [access, end] : meant) {
    e.go_on_from(end->time);
    ends.push_back(std::move(end));
  }
  forget_over(window);
  return ends;
}

/// At nothing. Collective operations that are under way go on, as they do at a test.
void look(Emulator& e) {
  e.test_some({}, e.clock());
  e.poll_unsuccessfully();
}

/// The same, until the origin knows that they are: those from which nothing comes back are
/// acknowledged. A program may ask again and again.
void flush(Emulator& e, Window& window, const Meant& is_meant) {
  const Ends over = finish(e, window, is_meant);
  for (const auto& end : over) {
    if (!end->has_answer) e.hear_of(end->peer, end->time);
  }
  if (over.empty()) look(e);
}

/// Asks for locks, or gives them back, at all of these targets at once, and hears that it is done.
void change_locks(Emulator& e, const WindowPtr& window, const std::vector<int>& targets,
                  Effect effect) {
  std::vector<std::unique_ptr<Access>> changes;
  std::vector<Asked*> asked;
  for (const int target : targets) {
    auto change = std::make_unique<Access>();
    change->window = window;
    change->comm = window->comm;
    change->peer = window->comm->peers[static_cast<std::size_t>(target)];
    change->context = window->comm->program_context();
    change->effect = effect;
    e.start(*change);
    asked.push_back(change.get());
    changes.push_back(std::move(change));
  }
  e.wait_all(asked);
  for (const auto& change : changes) e.hear_of(change->peer, change->over);
}

std::vector<int> all_targets(const Window& window) {
  std::vector<int> targets;
  for (int target = 0; target < window.comm->size(); ++target) targets.push_back(target);
  return targets;
}

Locking locking(int assertion) {
  return (assertion & MPI_MODE_NOCHECK) != 0 ? Locking::unchecked : Locking::checked;
}

void check_target(const Window& window, int target) {
  require(target >= 0 && target < window.comm->size(), window, MPI_ERR_RANK);
}

/// Whether this is a passive epoch for the target.
void check_locked(const Window& window, int target) {
  check_target(window, target);
  require(window.lock_of_all || window.locks.contains(target), window, MPI_ERR_RMA_SYNC);
}

void tell(Emulator& e, const Window& window, const std::vector<int>& ranks, int tag) {
  for (const int rank : ranks) {
    e.start_send(window.comm, {}, rank, tag, window.comm->program_context(), Mode::buffered);
  }
}

std::vector<std::unique_ptr<Request>> listen(Emulator& e, const Window& window,
                                             const std::vector<int>& ranks, int tag) {
  std::vector<std::unique_ptr<Request>> requests;
  for (const int rank : ranks) {
    requests.push_back(e.start_receive(window.comm, {}, rank, tag, window.comm->program_context()));
  }
  return requests;
}

std::vector<Asked*> asked(const std::vector<std::unique_ptr<Request>>& requests) {
  std::vector<Asked*> all;
  for (const auto& request : requests) all.push_back(request.get());
  return all;
}

/// The exposure epoch is over.
void close(Emulator& e, Window& window) {
  window.completions.clear();
  window.is_posted = false;
  carry_out_accesses(e.live(), e.rank());
}

}  // namespace

extern "C" {

int MPI_Win_fence(int assertion, MPI_Win win) {
  return call_on("MPI_Win_fence", win, [&](Emulator& e, const WindowPtr& window) {
    require(!window->is_locked() && !window->is_started && !window->is_posted, *window,
            MPI_ERR_RMA_SYNC);
    finish(e, *window, any);
    const Members members = members_of(window->comm);
    announce(e, members);
    e.run(window->comm, barrier(members));
    window->is_fenced = (assertion & MPI_MODE_NOSUCCEED) == 0;
  });
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  return call_on("MPI_Win_start", win, [&](Emulator& e, const WindowPtr& window) {
    require(!window->is_locked() && !window->is_started, *window, MPI_ERR_RMA_SYNC);
    window->targets = ranks_of_job(group);
    if (locking(assertion) == Locking::checked) {
      const auto posts = listen(e, *window, window->targets, opens);
      e.wait_all(asked(posts));
    }
    window->is_fenced = false;
    window->is_started = true;
  });
}
int MPI_Win_complete(MPI_Win win) {
  return call_on("MPI_Win_complete", win, [&](Emulator& e, const WindowPtr& window) {
    require(window->is_started, *window, MPI_ERR_RMA_SYNC);
    finish(e, *window, any);
    tell(e, *window, window->targets, closes);
    window->is_started = false;
  });
}
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  return call_on("MPI_Win_post", win, [&](Emulator& e, const WindowPtr& window) {
    require(!window->is_posted, *window, MPI_ERR_RMA_SYNC);
    window->origins = ranks_of_job(group);
    window->completions = listen(e, *window, window->origins, closes);
    if (locking(assertion) == Locking::checked) tell(e, *window, window->origins, opens);
    window->is_posted = true;
  });
}
int MPI_Win_wait(MPI_Win win) {
  return call_on("MPI_Win_wait", win, [&](Emulator& e, const WindowPtr& window) {
    require(window->is_posted, *window, MPI_ERR_RMA_SYNC);
    e.wait_all(asked(window->completions));
    close(e, *window);
  });
}
int MPI_Win_test(MPI_Win win, int* flag) {
  return call_on("MPI_Win_test", win, [&](Emulator& e, const WindowPtr& window) {
    require(window->is_posted, *window, MPI_ERR_RMA_SYNC);
    *flag = e.test_all(asked(window->completions));
    if (*flag) {
      close(e, *window);
    } else {
      e.poll_unsuccessfully();
    }
  });
}

int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win) {
  return call_on("MPI_Win_lock", win, [&](Emulator& e, const WindowPtr& window) {
    require(type == MPI_LOCK_SHARED || type == MPI_LOCK_EXCLUSIVE, *window, MPI_ERR_LOCKTYPE);
    if (rank == MPI_PROC_NULL) return;
    check_target(*window, rank);
    require(!window->lock_of_all && !window->locks.contains(rank) && !window->is_started, *window,
            MPI_ERR_RMA_SYNC);
    if (locking(assertion) == Locking::checked) {
      const bool shares = type == MPI_LOCK_SHARED;
      change_locks(e, window, {rank}, shares ? Effect::shared_lock : Effect::exclusive_lock);
    }
    window->is_fenced = false;
    window->locks[rank] = locking(assertion);
  });
}
int MPI_Win_unlock(int rank, MPI_Win win) {
  return call_on("MPI_Win_unlock", win, [&](Emulator& e, const WindowPtr& window) {
    if (rank == MPI_PROC_NULL) return;
    check_target(*window, rank);
    require(window->locks.contains(rank), *window, MPI_ERR_RMA_SYNC);
    flush(e, *window, at(*window, rank));
    if (window->locks[rank] == Locking::checked) change_locks(e, window, {rank}, Effect::unlock);
    window->locks.erase(rank);
  });
}
int MPI_Win_lock_all(int assertion, MPI_Win win) {
  return call_on("MPI_Win_lock_all", win, [&](Emulator& e, const WindowPtr& window) {
    require(!window->is_locked() && !window->is_started, *window, MPI_ERR_RMA_SYNC);
    if (locking(assertion) == Locking::checked) {
      change_locks(e, window, all_targets(*window), Effect::shared_lock);
    }
    window->is_fenced = false;
    window->lock_of_all = locking(assertion);
  });
}
int MPI_Win_unlock_all(MPI_Win win) {
  return call_on("MPI_Win_unlock_all", win, [&](Emulator& e, const WindowPtr& window) {
    require(window->lock_of_all.has_value(), *window, MPI_ERR_RMA_SYNC);
    flush(e, *window, any);
    if (window->lock_of_all == Locking::checked) {
      change_locks(e, window, all_targets(*window), Effect::unlock);
    }
    window->lock_of_all.reset();
  });
}

int MPI_Win_flush(int rank, MPI_Win win) {
  return call_on("MPI_Win_flush", win, [&](Emulator& e, const WindowPtr& window) {
    if (rank == MPI_PROC_NULL) return;
    check_locked(*window, rank);
    flush(e, *window, at(*window, rank));
  });
}
int MPI_Win_flush_all(MPI_Win win) {
  return call_on("MPI_Win_flush_all", win, [&](Emulator& e, const WindowPtr& window) {
    require(window->is_locked(), *window, MPI_ERR_RMA_SYNC);
    flush(e, *window, any);
  });
}
// Most data of what is sent have been taken already.
int MPI_Win_flush_local(int rank, MPI_Win win) {
  return call_on("MPI_Win_flush_local", win, [&](Emulator& e, const WindowPtr& window) {
    if (rank == MPI_PROC_NULL) return;
    check_locked(*window, rank);
    const Meant is_there = at(*window, rank);
    finish(e, *window, [&](const Access& one) { return uses_memory(one) && is_there(one); });
  });
}
int MPI_Win_flush_local_all(MPI_Win win) {
  return call_on("MPI_Win_flush_local_all", win, [&](Emulator& e, const WindowPtr& window) {
    require(window->is_locked(), *window, MPI_ERR_RMA_SYNC);
    finish(e, *window, uses_memory);
  });
}

/// Costs a look: a program may ask again and again.
int MPI_Win_sync(MPI_Win win) {
  return call_on("MPI_Win_sync", win, [&](Emulator& e, const WindowPtr&) {
    look(e);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
}

}  // extern "C"
