#include "explain/words.hpp"

#include <cmath>
#include <vector>

#include "commgauge/base/units.hpp"

namespace commgauge::replay {

using simulate::Why;

namespace {

std::string name_of(int rank) { return "rank " + std::to_string(rank); }

/// " at MPI_Recv (solve.c:120) in region "solve"", of what is known.
std::string at(const Whereabouts& where) {
  std::string text = where.call.empty() ? "" : " at " + where.call;
  if (!where.site.empty()) text += " (" + where.site + ")";
  if (!where.region.empty() && where.region != whole_program) {
    text += " in region \"" + where.region + "\"";
  }
  return text;
}

std::string region_text(const std::string& region) {
  return region == whole_program ? "the program" : "region \"" + region + "\"";
}

enum class Operation {
  barrier,
  communicator,
  window,
  fence,
  lock,
  access,
  collective,
  threads,
  message
};

Operation operation_of(const std::string& call) {
  if (call == "MPI_Barrier" || call == "MPI_Ibarrier") return Operation::barrier;
  if (!call.empty() && !call.starts_with("MPI_")) return Operation::threads;
  if (call == "MPI_Win_fence") return Operation::fence;
  for (const char* const made : {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_free"}) {
    if (call.starts_with(made)) return Operation::window;
  }
  // The others wait for messages of ranks that open or end an epoch.
  if (call.starts_with("MPI_Win_lock")) return Operation::lock;
  for (const char* const ends : {"MPI_Win_unlock", "MPI_Win_flush", "MPI_Win_complete"}) {
    if (call.starts_with(ends)) return Operation::access;
  }
  for (const char* const made :
       {"MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_", "MPI_Intercomm_"}) {
    if (call.starts_with(made)) return Operation::communicator;
  }
  for (const char* const collective : {"cast", "educe", "ather", "catter", "lltoall", "MPI_Scan",
                                       "MPI_Exscan", "MPI_Iscan", "MPI_Iexscan"}) {
    if (call.find(collective) != std::string::npos) return Operation::collective;
  }
  return Operation::message;
}

/// Of one that isn't there in time. @param is_late  " is late"
std::string advice_for_late(const std::string& partner, bool sleeps, const std::string& is_late) {
  return partner + (sleeps ? " sleeps before it sends: have it send earlier, or sleep less"
                           : is_late + ": have it send earlier, or do less before");
}

/// Of a collective operation it hardly matters which of its messages is waited for.
std::string advice_for_collective(Operation operation, const std::string& call) {
  switch (operation) {
    case Operation::barrier:
      return "see whether this barrier is needed at all; else divide more evenly what the ranks do "
             "before it";
    case Operation::communicator:
      return "make communicators once, before the work begins";
    case Operation::window:
      return "make windows once, before the work begins";
    case Operation::fence:
      return "all ranks meet here: let those alone wait that access each other (MPI_Win_post, "
             "MPI_Win_start, or locks), and divide more evenly what they do before";
    case Operation::lock:
      return "others have the lock, or it is far: hold locks for less, share them "
             "(MPI_LOCK_SHARED), or ask for them less often";
    case Operation::access:
      return "accesses are long under way: do several of them in one epoch, and compute between "
             "their start and " +
             call;
    case Operation::threads:
      return "divide more evenly what the threads of a rank do before they wait for each other, or "
             "hold for less what they wait for";
    default:
      return "divide more evenly what the ranks do before " + call +
             ", or start it earlier, without blocking, and finish it where its result is needed";
  }
}

}  // namespace

std::string title_of(const Wait& wait, const Whereabouts& where, double time) {
  std::string text = "Rank " + std::to_string(wait.rank) + " waits" + at(where) + " for ";
  const Operation operation = operation_of(where.call);
  if (operation == Operation::lock) {
    return text + "a lock of " + name_of(wait.partner) + "'s, until " + to_text(Seconds{time});
  }
  if (operation == Operation::access) {
    return text + "its access to " + name_of(wait.partner) + ", until " + to_text(Seconds{time});
  }
  switch (wait.why) {
    case Why::waiting_to_send:
      text += name_of(wait.partner) + " to receive its message";
      break;
    case Why::meeting:
      text += "the other ranks";
      break;
    case Why::thread:
      text += "another of its threads";
      break;
    default:
      text += "a message of " + name_of(wait.partner);
  }
  return text + ", until " + to_text(Seconds{time});
}

std::string advice_for(const Wait& wait, const Whereabouts& where) {
  const Operation operation = operation_of(where.call);
  if (wait.why == Why::meeting) {
    return advice_for_collective(Operation::communicator, where.call);
  }
  if (wait.why == Why::thread) return advice_for_collective(Operation::threads, where.call);
  if (operation != Operation::message) return advice_for_collective(operation, where.call);
  const std::string partner = name_of(wait.partner);
  const bool is_late = wait.late > wait.waited / 2;
  const bool sleeps = wait.asleep > wait.late / 2;
  if (wait.why == Why::waiting_to_send) {
    if (!is_late)
      return "the message is long under way: send it by MPI_Isend and compute meanwhile";
    return partner + (sleeps ? " sleeps before it receives" : " receives late") +
           ": post its receive earlier, or send by MPI_Isend and compute meanwhile";
  }
  if (is_late) return advice_for_late(partner, sleeps, " sends late");
  return "the message is long under way: send it earlier, or receive it by MPI_Irecv and compute "
         "meanwhile";
}

std::string title_of(Answer::Kind kind, const Whereabouts& where) {
  switch (kind) {
    case Answer::Kind::region:
      return "All waits in region \"" + where.region + "\"";
    case Answer::Kind::rank:
      return "All waits of rank " + std::to_string(where.rank);
    case Answer::Kind::all_waits:
      return "All waits of all ranks";
    case Answer::Kind::all_balanced:
      return "All computing, divided evenly among the ranks";
    case Answer::Kind::both:
      return "All waits, and all computing divided evenly";
    default:
      return "All waits" + at(where);
  }
}

std::string advice_for(Answer::Kind kind, const Whereabouts& where, const WaitSums& sums) {
  switch (kind) {
    case Answer::Kind::all_waits:
    case Answer::Kind::all_balanced:
    case Answer::Kind::both:
      return "nothing to do: how much there is to gain at most";
    default:
      break;
  }
  const Operation operation =
      sums.for_threads > sums.waited / 2 ? Operation::threads : operation_of(where.call);
  if (operation != Operation::message) return advice_for_collective(operation, where.call);
  const bool sleeps = sums.asleep > sums.late / 2;
  if (sums.partner != every_rank && sums.waiting > 2) {
    return name_of(sums.partner) + " keeps " + std::to_string(sums.waiting) + " ranks waiting" +
           (sleeps ? " while it sleeps" : "") +
           ": have it send earlier, do less before, or let several ranks do its work";
  }
  if (sums.late <= sums.waited / 2) {
    return "the messages are long under way: send them earlier, or compute meanwhile "
           "(MPI_Irecv, MPI_Isend)";
  }
  if (sums.partner != every_rank) {
    return advice_for_late(name_of(sums.partner), sleeps, " is late");
  }
  return sleeps ? "partners sleep before they send: have them send earlier, or sleep less"
                : "partners are late: have them send earlier, or do less before";
}

std::string title_of(const Balance& balance) {
  return "The computing " + std::string{balance.sleeping > 0 ? "and sleeping " : ""} + "of " +
         region_text(balance.region) + ", divided evenly";
}

std::string advice_for(const Balance& balance) {
  const bool sleeps = balance.sleeping > balance.computing / 2;
  return "divide what " + region_text(balance.region) + (sleeps ? " sleeps" : " computes") +
         " evenly: " + name_of(balance.slowest) + " has most of it";
}

std::string title_of(const DominoPath& path) {
  return "The " + std::to_string(path.steps.size()) + " waits of the domino path that ends at " +
         name_of(path.rank);
}

std::string advice_for(const DominoPath& path) {
  return "mend them one after the other, beginning with the last: " +
         name_of(path.steps.back().partner) + " is where it begins";
}

}  // namespace commgauge::replay
