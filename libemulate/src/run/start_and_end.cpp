// From MPI's start to its end, and what a program asks about time and place.

#include "run/start_and_end.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/emulation_variables.hpp"
#include "base/real_time.hpp"
#include "base/say.hpp"
#include "collective/algorithms.hpp"
#include "collective/announcing.hpp"
#include "collective/members.hpp"
#include "job/call.hpp"
#include "job/communicators.hpp"
#include "job/requests.hpp"
#include "lifetime/end.hpp"
#include "lifetime/roll_call.hpp"
#include "lifetime/waiting_for_start.hpp"
#include "mpi/politely.hpp"
#include "mpi/real_calls.hpp"
#include "mpi/world.hpp"
#include "rank/fail.hpp"
#include "rank/session.hpp"
#include "rank/threads.hpp"
#include "run/report.hpp"
#include "run/sharing.hpp"

namespace commgauge {

const preload::Library& preload::library() {
  using namespace emulate;
  static constexpr Library emulation{{"emulated", "the emulation"},
                                     "emulate",
                                     variable::machine,
                                     variable::process,
                                     variable::speaks,
                                     say,
                                     abandon};
  return emulation;
}

}  // namespace commgauge

namespace commgauge::emulate {

namespace {

struct State {
  std::unique_ptr<LiveWorld> live;
  std::unique_ptr<Emulator> emulator;
  int openings{};       ///< MPI_Init and sessions that haven't ended
  double last_clock{};  ///< virtual time when MPI ended [s]
  void (*at_end)(){};   ///< a recorder's, when all ranks have come to MPI_Finalize
};
State& state() {
  static auto& only = lasting<State>();
  return only;
}

}  // namespace

bool abandon(const std::string& how, int code) {
  if (!is_active()) return false;
  fail(static_cast<ExitCode>(code),
       "rank " + std::to_string(session().emulator->rank()) + " " + how +
           " (the emulation is over, and nothing is reported): let every rank call MPI_Finalize "
           "before it ends");
}

namespace {

const char* setting(const char* name) { return variable::value_of(name); }

FileCosts file_costs() {
  const std::string_view files = setting(variable::files);
  if (files == "measured") return {true, {}};
  return {false, {std::strtod(files.data(), nullptr)}};
}

/// MPI_THREAD_..., as MPI gave it; with a session all.
int level_of_threads() {
  int has_world = 0;
  PMPI_Initialized(&has_world);
  int level = MPI_THREAD_MULTIPLE;
  if (has_world != 0) PMPI_Query_thread(&level);
  return level;
}

/// Lets none wait for a rank that isn't emulated. @return a problem: this one, or what it has found
std::string call_roll(const std::string& problem) {
  const preload::RollCall ranks = preload::call_roll(setting(variable::options));
  if (!ranks.is_complete) fail(ExitCode::bad_input, ranks.problem);
  return problem.empty() ? ranks.problem : problem;
}

void start(int rank, int ranks, const std::string& problem) {
  Shared shared = share_memory(rank, ranks, call_roll(problem));
  state().live = std::make_unique<LiveWorld>(std::move(shared.memory), shared.place, rank);
  session().live = state().live.get();
  if (const char* const limit = setting(variable::stall_limit); *limit != '\0') {
    session().live->end_stalls_after(std::strtod(limit, nullptr));
  }
  const Machine& machine = session().live->world().machine();
  Settings settings;
  settings.measures_computing = std::string_view{setting(variable::compute)} != "none";
  settings.files = file_costs();
  settings.cores = std::atoi(setting(variable::cores));
  settings.time_ratio = machine.time_ratios[static_cast<std::size_t>(rank)].value;
  settings.traces = *setting(variable::trace) != '\0';
  settings.follows_real_time = *setting(variable::real_time) != '\0';
  state().emulator = std::make_unique<Emulator>(*session().live, rank, settings);
  session().emulator = state().emulator.get();
  session().was_active = true;
  // Where real time is followed there is one clock.
  threads::begin(*session().emulator, !settings.follows_real_time);
  threads::allow(level_of_threads());
  adopt_job();
  if (settings.follows_real_time) {
    double now = real_time();
    politely::broadcast(&now, sizeof now);
    emulator().follow_real_time(now);
    agree({});
  }
  emulator().leave();
}

/// Starts the emulation. If that fails on any rank, rank 0 says why, and all ranks finalize MPI and
/// end: an abort would add lines of MPI's own.
void start_or_leave(const std::string& problem = {}) {
  preload::mpi_is_called();
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(world(), &rank);
  PMPI_Comm_size(world(), &size);
  try {
    start(rank, size, problem);
  } catch (const Error& error) {
    if (rank == 0) say(error.what());
    preload::mpi_is_done();
    real::Finalize();
    _exit(static_cast<int>(ExitCode::bad_input));
  }
}

void tell_recorder(std::int64_t& time, std::int64_t& cpu) {
  if (!is_active()) return;
  time = nanoseconds(emulator().clock());
  cpu = nanoseconds(emulator().computed());
}

/// MPI_Init after a session that has started MPI: MPI's own communicators are there from now on.
void adopt_world(Emulator& e) {
  int has_world = 0;
  PMPI_Initialized(&has_world);
  if (has_world == 0 || communicator(MPI_COMM_WORLD)->handle == MPI_COMM_WORLD) return;
  e.synchronise(communicator(world())->peers);
  adopt(MPI_COMM_WORLD);
  adopt(MPI_COMM_SELF);
}

/// A call while the emulation goes on. @param then  if it succeeds
int pass(const char* name, const std::function<int()>& work,
         const std::function<void(Emulator&)>& then) {
  int result = MPI_SUCCESS;
  const int code = call(name, [&](Emulator& e) {
    result = threads::outside(work);
    if (result == MPI_SUCCESS) then(e);
  });
  return code != MPI_SUCCESS ? code : result;
}

/// @param start  → MPI's code
int start_first(const std::function<int()>& start) {
  threads::is_in_mpi(true);
  const int code = [&] {
    const preload::WaitingForStart waiting;
    return start();
  }();
  if (code == MPI_SUCCESS) {
    start_or_leave();
    ++state().openings;
  }
  threads::is_in_mpi(false);
  return code;
}

/// What this rank has left undone; empty: nothing.
std::string left_undone(Emulator& e) {
  std::string text;
  {
    const std::lock_guard lock(e.world());
    const auto [messages, first] = e.world().unreceived(e.rank());
    if (messages > 0) {
      const simulate::Message& message = e.world().message(first);
      text = "never received " + std::to_string(messages) +
             (messages == 1 ? " message" : " messages") +
             " that came (the first: " + std::to_string(message.size) + " bytes from rank " +
             std::to_string(message.envelope.source) + ", tag " +
             std::to_string(message.envelope.tag) + ")";
    }
  }
  if (const int open = open_operations(); open > 0) {
    text += (text.empty() ? "" : " and ") + std::string{"never waited for "} +
            std::to_string(open) + " of its operations";
  }
  return text;
}

/// MPI wants all of it done before it ends. The first rank that knows of something says so.
void tell_what_is_left(Emulator& e) {
  const std::string left = left_undone(e);
  if (left.empty() || !e.live().is_first_to_tell_of_rest()) return;
  say("rank " + std::to_string(e.rank()) + " " + left +
      " (another MPI library may wait for that in MPI_Finalize, for ever): complete it first");
}

/// All ranks wait for each other, and the first one reports.
int finish(const char* name) {
  return call(name, [](Emulator& e) {
    RankReport own{e.clock(),        e.shares(), e.account(), e.use().lost,
                   e.file_traffic(), 1,          e.in_turn()};
    own.add(threads::sum());
    e.wait_for_left_alone();
    const CommunicatorPtr all = group_communicator(world());
    const Members members = members_of(all);
    // Of sessions each rank may end another one last.
    if (world() == MPI_COMM_WORLD) announce(e, members);
    e.run(all, barrier(members));
    e.finish();
    const ReportFiles files{setting(variable::report), setting(variable::trace)};
    if (!write_reports(own, files)) preload::end_with(ExitCode::bad_input);
  });
}

}  // namespace

int start_mpi(const char* name, const std::function<int()>& start) {
  const auto further = [&](Emulator& e) {
    threads::allow(level_of_threads());
    adopt_world(e);
    ++state().openings;
  };
  // Threads may start sessions at once, which MPICH 4.0.2 doesn't always survive.
  static SharedLock starting;
  {
    const std::lock_guard lock(starting);
    if (!is_active()) return start_first(start);
  }
  const auto in_turn = [&] {
    const std::lock_guard lock(starting);
    return start();
  };
  return pass(name, in_turn, further);
}

int end_mpi(const char* name, const std::function<int()>& end) {
  bool is_last = false;
  int further = MPI_SUCCESS;
  const int ended = call(name, [&](Emulator&) {
    is_last = state().openings == 1;
    if (is_last) return;
    --state().openings;
    further = threads::outside(end);
    if (further != MPI_SUCCESS) ++state().openings;
  });
  if (!is_last) return ended != MPI_SUCCESS ? ended : further;
  threads::act_as_first();
  if (const int code = finish(name); code != MPI_SUCCESS) return code;
  if (state().at_end != nullptr) state().at_end();
  // Attribute callbacks, which MPI calls here, may still free communicators and the like: the
  // emulator must be there for them.
  preload::free_job_communicators();
  const int result = end();
  preload::mpi_is_done();
  tell_what_is_left(*session().emulator);
  state().openings = 0;
  state().last_clock = emulator().clock();
  std::unique_ptr<Emulator> last;
  {
    const threads::Inside here;
    session().emulator = nullptr;
    last = std::move(state().emulator);
  }
  threads::end();
  last.reset();
  session().live = nullptr;
  state().live.reset();
  return result;
}

}  // namespace commgauge::emulate

using namespace commgauge::emulate;

extern "C" {

void commgauge_emulate_refuse(const char* problem) {
  if (real::Init(nullptr, nullptr) == MPI_SUCCESS) start_or_leave(problem);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const bool is_real = *setting(variable::real_time) != '\0';
  const int most = is_real ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
  const int code = start_mpi("MPI_Init_thread", [&] {
    return real::Init_thread(argc, argv, std::min(required, most), provided);
  });
  *provided = std::min(*provided, most);
  return code;
}

int MPI_Init(int* argc, char*** argv) {
  return start_mpi("MPI_Init", [&] { return real::Init(argc, argv); });
}

int MPI_Finalize(void) {
  return end_mpi("MPI_Finalize", [] { return real::Finalize(); });
}

void commgauge_emulate_pause(std::int64_t* time, std::int64_t* cpu) {
  if (is_active()) emulator().pause();
  tell_recorder(*time, *cpu);
}
void commgauge_emulate_go_on(std::int64_t* time, std::int64_t* cpu) {
  if (is_active()) emulator().go_on();
  tell_recorder(*time, *cpu);
}
void commgauge_emulate_at_end(void (*work)()) { state().at_end = work; }
int commgauge_thread_number() { return threads::own_number(); }
void commgauge_act_as(int) { threads::act_as_first(); }
void commgauge_tell_threads() { threads::tell_recorder(); }

int MPI_Abort(MPI_Comm comm, int code) {
  commgauge::preload::mpi_is_done();
  constexpr int bad_input = static_cast<int>(commgauge::ExitCode::bad_input);
  (void)abandon("called MPI_Abort", code == 0 ? bad_input : code);
  return real::Abort(comm, code);
}

double MPI_Wtime(void) {
  const threads::Inside here;
  Emulator* const own = threads::own();
  if (own == nullptr) return state().last_clock;
  own->enter(nullptr);
  const double now = own->read_clock();
  own->leave();
  return now;
}
double MPI_Wtick(void) { return 1e-9; }

int MPI_Get_processor_name(char* name, int* length) {
  return call(nullptr, [&](Emulator& e) {
    std::string host = e.machine().hosts[static_cast<std::size_t>(e.rank())];
    host.resize(std::min<std::size_t>(host.size(), MPI_MAX_PROCESSOR_NAME - 1));
    std::strcpy(name, host.c_str());
    *length = static_cast<int>(host.size());
  });
}

}  // extern "C"
