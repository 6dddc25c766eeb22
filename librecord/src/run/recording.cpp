#include "run/recording.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "commgauge/base/launcher.hpp"
#include "commgauge/base/printable.hpp"
#include "job/call.hpp"
#include "job/requests.hpp"
#include "lifetime/end.hpp"
#include "lifetime/given_up.hpp"
#include "lifetime/roll_call.hpp"
#include "lifetime/waiting_for_start.hpp"
#include "mpi/by_mpi.hpp"
#include "mpi/real_calls.hpp"
#include "program/mpi_library.hpp"
#include "run/agreement.hpp"
#include "run/recording_variables.hpp"
#include "run/summary.hpp"
#include "sites/symbols.hpp"
#include "system/futex_lock.hpp"

namespace commgauge {

const preload::Library& preload::library() {
  using namespace record;
  static constexpr Library recording{{"recorded", "the recording"},
                                     "record",
                                     variable::file,
                                     variable::process,
                                     variable::speaks,
                                     say,
                                     abandon};
  return recording;
}

}  // namespace commgauge

namespace commgauge::record {

namespace {

const char* setting(const char* name) { return variable::value_of(name); }

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> text{};
  int length = 0;
  PMPI_Get_processor_name(text.data(), &length);
  return text.data();
}

void sleep_until(std::int64_t time) {
  constexpr std::int64_t second = 1'000'000'000;
  const timespec end{time / second, time % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) == EINTR) continue;
}

/// When all ranks go on together, soon, by the clock of this host. Those of several hosts are set
/// to each other by a barrier, as exactly as all leave it: the first rank of each host reads it.
/// Collective.
std::int64_t common_start(trace::Together& together, const std::string& host) {
  together.barrier();
  const std::int64_t before = read_clock(CLOCK_MONOTONIC);
  together.barrier();
  const std::int64_t after = read_clock(CLOCK_MONOTONIC);
  const std::vector<std::string> hosts = together.gather(host);
  const std::vector<std::string> times = together.gather(std::to_string(after));
  // Until everyone knows it.
  const std::int64_t pause =
      std::clamp<std::int64_t>(3 * (read_clock(CLOCK_MONOTONIC) - before), 1'000'000, 200'000'000);
  std::map<std::string, std::int64_t> start_of;
  std::vector<std::string> starts;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const auto& [name, start] =
        *start_of.try_emplace(hosts[rank], std::stoll(times[rank]) + pause).first;
    starts.push_back(std::to_string(start));
  }
  if (start_of.size() > 1) {
    say("the clocks of " + std::to_string(start_of.size()) +
        " hosts were set by a barrier (they may differ by the " +
        std::to_string((after - before) / 1000) +
        " us that it took, and drift): compare times of one host only");
  }
  return std::stoll(together.scatter(starts));
}

void set_up(Session& session) {
  const bool is_virtual{emulation()};
  const Clocks clocks(is_virtual || std::string_view{setting(variable::clock)} != "wall");
  const std::string host = host_name();
  const trace::About about{session.size, clocks.reads_cpu(), is_virtual,
                           setting(variable::program)};
  session.writer = std::make_unique<trace::Writer>(setting(variable::output), about,
                                                   std::vector{trace::Place{session.rank, host}},
                                                   *session.together);
  const std::int64_t start = is_virtual ? 0 : common_start(*session.together, host);
  if (!is_virtual) sleep_until(start);
  session.recorder = std::make_unique<Recorder>(*session.writer, session.writer->rank(session.rank),
                                                clocks, start);
}

/// The trace stays unfinished. The first rank to know says why.
void give_up(const std::string& why) {
  const std::string directory = setting(variable::output);
  const bool is_first = !preload::is_given_up(directory);
  current_session->writer->give_up("rank " + std::to_string(current_session->rank) + " " + why);
  if (!is_first) return;
  say("rank " + std::to_string(current_session->rank) + " " + why + " (" + directory +
      " is unfinished, and can't be read): let the program come to MPI_Finalize");
  preload::wait_until_read(STDERR_FILENO);
}

/// Lets none wait for a rank that isn't recorded: ends the job. @return a problem; empty: none
std::string call_roll() {
  const preload::RollCall ranks =
      preload::call_roll(std::string{"output="} + setting(variable::output) +
                         "\nclock=" + setting(variable::clock) + "\n");
  if (ranks.is_complete) return ranks.problem;
  say(ranks.problem);
  preload::wait_until_read(STDERR_FILENO);
  preload::mpi_is_done();
  real::Abort(preload::job_communicators().world, static_cast<int>(ExitCode::bad_input));
  _exit(static_cast<int>(ExitCode::bad_input));
}

/// From here on the program is recorded, until it comes to MPI_Finalize.
void activate(std::unique_ptr<Session> session) {
  current_session = session.release();
  threads::begin(*current_session->recorder);
  adopt(preload::job_communicators().world);
  pthread_atfork(nullptr, nullptr, [] {
    current_session = nullptr;
    threads::begin_again_in_child();
  });
}

/// Of an MPI library's launcher that the program isn't of, each process is a job of its own.
void check_launcher(int size) {
  if (size > 1) return;
  const std::optional<std::string> problem = why_alone(preload::known_mpi());
  if (!problem) return;
  preload::say_once(*problem);
  preload::mpi_is_done();
  real::Finalize();
  _exit(static_cast<int>(ExitCode::bad_input));
}

/// Starts the recording. If that fails on any rank, rank 0 says why, and all ranks finalize MPI and
/// end: an abort would add lines of MPI's own.
void start_or_leave(const std::string& own_problem = {}) {
  preload::mpi_is_called();
  // The program goes on when the recorder is there.
  if (Moment now; emulation()) {
    emulation().go_on(now.time, now.cpu);
    emulation().pause(now.time, now.cpu);
  }
  auto session = std::make_unique<Session>();
  session->together = by_mpi();
  session->rank = session->together->rank();
  session->size = session->together->size();
  check_launcher(session->size);
  const std::string found = emulation() ? "" : call_roll();
  std::string problem = agree(*session->together, own_problem.empty() ? found : own_problem);
  if (problem.empty() && *setting(variable::output) == '\0') {
    if (session->rank == 0) {
      say(std::string{"nothing is recorded ("} + variable::output +
          " isn't set): start the program with the launcher, record -o DIR program");
    }
    return;
  }
  try {
    if (problem.empty()) set_up(*session);
  } catch (const Error& error) {
    problem = error.what();
  }
  if (problem.empty()) {
    activate(std::move(session));
    return;
  }
  if (session->rank == 0) say(problem);
  preload::mpi_is_done();
  real::Finalize();
  _exit(static_cast<int>(ExitCode::bad_input));
}

/// What a replay will leave out of any rank. Collective. @return at rank 0
std::set<std::string> all_left_out(Session& session) {
  session.left_out.insert(session.recorder->left_out().begin(), session.recorder->left_out().end());
  return united(*session.together, session.left_out);
}

/// Nothing where there is nothing to say.
void say_if_any(const std::string& text) {
  if (!text.empty()) say(text);
}

/// Collective.
void say_what_is_missing(Session& session, const std::set<std::string>& left_out, int threads) {
  const auto counts = session.together->gather(std::to_string(threads));
  if (session.rank != 0) return;
  say_if_any(text_of_left_out(left_out));
  say_if_any(text_of_threads(counts));
}

std::string problem_of(const Session& session) {
  const std::string& own = session.recorder->problem();
  const std::string& problem = own.empty() ? session.problem : own;
  return problem.empty() ? "" : "rank " + std::to_string(session.rank) + ": " + problem;
}

/// Collective. @return empty, or why the archive stays unfinished: the same at all ranks
std::string finish(Session& session, int threads) {
  session.writer->rank(session.rank).set_threads(threads);
  if (std::string problem = agree(*session.together, problem_of(session)); !problem.empty()) {
    session.writer->give_up(problem);
    return problem;
  }
  try {
    Symbols symbols;
    session.writer->close([&](const trace::Site& place) { return symbols.resolve(place); });
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void write_final_barrier(Session& session) {
  trace::Collective barrier;
  barrier.is_own = true;
  barrier.what.operation = schedule::Operation::barrier;
  barrier.what.ranks = session.size;
  session.recorder->write(event::Collective{}, barrier);
}

/// Collective.
void end_recording() {
  threads::hold();
  auto session = std::unique_ptr<Session>{current_session};
  const int threads = 1 + threads::unrecorded();
  threads::finish();
  if (threads::have_others_called()) session->recorder->leave_out("what other threads called");
  const std::set<std::string> left_out = all_left_out(*session);
  session->writer->set_remarks(remarks_of(left_out));
  const std::string problem = finish(*session, threads);
  forget_requests();
  current_session = nullptr;
  threads::end();
  preload::mpi_is_done();
  preload::end_with(problem.empty() ? ExitCode::done : ExitCode::bad_input);
  if (problem.empty()) {
    say_what_is_missing(*session, left_out, threads);
  } else if (session->rank == 0) {
    say(problem);
  }
  preload::free_job_communicators();
  threads::retire(std::move(session));
  threads::let_go();
}

/// MPI_Init after a session that has started MPI: MPI's own communicator is there from now on.
void adopt_world() {
  int has_world = 0;
  PMPI_Initialized(&has_world);
  const bool is_new = preload::job_communicators().world != MPI_COMM_WORLD;
  if (has_world != 0 && is_new) adopt(MPI_COMM_WORLD);
}

std::atomic<int> openings{};  ///< MPI_Init and sessions that haven't ended

}  // namespace

bool abandon(const std::string& how, int) {
  if (current_session == nullptr) return false;
  give_up(how);
  return true;
}

bool has_started_mpi() { return openings > 0; }

int start_mpi(const CalledFrom& from, const char* text, const std::function<int()>& start) {
  {
    // Threads may start sessions at once.
    static preload::FutexLock starting;
    const std::lock_guard lock(starting);
    if (openings == 0) {
      preload::check_own_program();
      const int code = [&] {
        std::optional<preload::WaitingForStart> waiting;
        if (!emulation()) waiting.emplace();
        return start();
      }();
      if (code != MPI_SUCCESS) return code;
      start_or_leave();
      ++openings;
      return code;
    }
  }
  Recorder* const recorder = entered(from);
  const int code =
      recorder == nullptr ? start() : call(*recorder, name_of(text), start, [](Recorder&) {});
  if (code != MPI_SUCCESS) return code;
  ++openings;
  if (current_session != nullptr) adopt_world();
  return code;
}

int end_mpi(const CalledFrom& from, const char* text, const std::function<int()>& end) {
  const bool is_last = openings == 0 || --openings == 0;
  if (is_last && session() != nullptr) threads::act_as_first();
  Recorder* const recorder = entered(from);
  if (recorder == nullptr) return end();
  const Name name = name_of(text);
  if (!is_last) {
    const int code = call(*recorder, name, end, [](Recorder&) {});
    if (code != MPI_SUCCESS) ++openings;
    return code;
  }
  if (!emulation()) real::Barrier(preload::job_communicators().world);
  recorder->begin(name);
  write_final_barrier(*session());
  recorder->leave(name);
  if (emulation()) {
    emulation().at_end(end_recording);
    // Until then other threads go on, and the emulation waits for them.
    threads::let_go();
  } else {
    end_recording();
  }
  return end();
}

void say(const std::string& text) {
  const std::string line = (emulation() ? "emulate: " : "record: ") + one_line(text) + "\n";
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace commgauge::record

using namespace commgauge::record;

extern "C" {

void commgauge_record_refuse(const char* problem) {
  if (real::Init(nullptr, nullptr) == MPI_SUCCESS) start_or_leave(problem);
}

int MPI_Init(int* argc, char*** argv) {
  return start_mpi(COMMGAUGE_CALLED_FROM, "MPI_Init", [&] { return real::Init(argc, argv); });
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return start_mpi(COMMGAUGE_CALLED_FROM, "MPI_Init_thread",
                   [&] { return real::Init_thread(argc, argv, required, provided); });
}

int MPI_Finalize(void) {
  return end_mpi(COMMGAUGE_CALLED_FROM, "MPI_Finalize", [] { return real::Finalize(); });
}

int MPI_Abort(MPI_Comm comm, int code) {
  if (session() != nullptr) {
    give_up("called MPI_Abort");
    commgauge::preload::mpi_is_done();
  }
  return real::Abort(comm, code);
}

double MPI_Wtime(void) {
  Recorder* const own = current_session != nullptr ? threads::own() : nullptr;
  if (own != nullptr && !own->is_inside()) own->read_clock();
  return real::Wtime();
}

}  // extern "C"
