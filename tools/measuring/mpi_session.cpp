#include "measuring/mpi_session.hpp"

#include <time.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "commgauge/base/launcher.hpp"
#include "commgauge/bench/base/error.hpp"
#include "commgauge/bench/calibrate/calibrate.hpp"
#include "commgauge/bench/calibrate/for_communicator.hpp"
#include "commgauge/bench/calibrate/refresh.hpp"
#include "commgauge/bench/ranks/mpi_library.hpp"
#include "common/output/report.hpp"
#include "common/process/stop_request.hpp"
#include "measuring/watchdog.hpp"

namespace commgauge::tools {

namespace {

constexpr int finalize_limit_s = 3;
constexpr int failed_limit_s = 5;
/// For believe_announcements_after(): longer than a job takes to stop when it is asked to, while it
/// measures (a round at most), and while rank 0 fits and writes and the others wait.
constexpr int round_limit_s = 30;
constexpr int fit_limit_s = 600;

/// Leaves the cores to those that work. Under SMPI an MPI_Test costs simulated time, a sleep
/// doesn't.
void wait_asleep(MPI_Request& request) {
#ifdef COMMGAUGE_SMPI
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
#endif
}

ExitCode from_root(ExitCode code) {
  int number = static_cast<int>(code);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait_asleep(request);
  return static_cast<ExitCode>(number);
}

/// The other ranks can't know of an error on this one alone, and would wait for it: ends all of
/// them.
ExitCode abort_all(int rank, const std::string& text) {
  say("rank " + std::to_string(rank) + ": " + text);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::mpi_failed));
  return ExitCode::mpi_failed;
}

#ifndef COMMGAUGE_SMPI
/// Ends a process that was to be one of several. They can't know of each other: each does.
void end_if_alone_by_mistake() {
  const std::optional<std::string> problem = why_alone(bench::name_of_mpi());
  if (!problem) return;
  const bool speaks = launcher()->rank == 0;
  if (speaks) say(*problem);
  const ExitCode code = after_who_speaks(ExitCode::bad_input, speaks);
  MPI_Finalize();
  std::exit(static_cast<int>(code));
}
#endif

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
#ifndef COMMGAUGE_SMPI
  if (size_ == 1) end_if_alone_by_mistake();
#endif
  accept_stop_requests();
  start_watchdog(MPI_COMM_WORLD);
}

ExitCode MpiSession::everywhere(const std::function<ExitCode()>& work) const {
  try {
    believe_announcements_after(round_limit_s);
    const ExitCode code = work();
    believe_announcements_after(fit_limit_s);
    return code;
  } catch (const bench::MpiError& error) {
    return abort_all(rank_, error.what());
  } catch (const Error& error) {
    if (speaks()) say(error.what());
    return ExitCode::bad_input;
  } catch (const std::bad_alloc&) {
    return abort_all(rank_, std::string{out_of_memory});
  } catch (const std::exception& error) {
    return abort_all(rank_, std::string{"internal error ("} + error.what() +
                                "): please report it; no file is half-written");
  }
}

ExitCode MpiSession::on_root(const std::function<ExitCode()>& work) const {
  ExitCode code{};
  if (rank_ == 0) {
    pause_watchdog();
    code = everywhere([&] { return guarded(true, work); });
    resume_watchdog();
  }
  return from_root(code);
}

void MpiSession::share(std::vector<std::uint64_t>& numbers) const {
  int count = static_cast<int>(numbers.size());
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  numbers.resize(static_cast<std::size_t>(count));
  MPI_Bcast(numbers.data(), count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

int MpiSession::leave(ExitCode code) const {
  std::cout.flush();
  if (code == ExitCode::mpi_failed) limit_the_rest(failed_limit_s, code, false);
  code = from_root(code);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(request);
  limit_the_rest(finalize_limit_s, code, speaks());
  MPI_Finalize();
  return static_cast<int>(code);
}

void MpiSession::end_stalls_after(Seconds limit) const { limit_stalls(limit); }

bench::PlanSummary MpiSession::plan(const bench::Options& options) const {
  const StallWatch watch;
  return bench::plan(comm(), options);
}

Measurements MpiSession::measure(const bench::Options& options) const {
  const StallWatch watch;
  return bench::measure(comm(), options);
}

Measurements MpiSession::resume(Measurements checkpoint, const bench::Options& options) const {
  const StallWatch watch;
  return bench::resume(comm(), std::move(checkpoint), options);
}

Measurements MpiSession::measure_experiments(const std::vector<Experiment>& experiments,
                                             const bench::Options& options) const {
  const StallWatch watch;
  return bench::measure_experiments(comm(), experiments, options);
}

Measurements MpiSession::measure_thresholds(const bench::Options& options) const {
  const StallWatch watch;
  return bench::measure_thresholds(comm(), options);
}

std::vector<std::string> MpiSession::hosts_of_ranks() const { return bench::hosts_of(comm()); }

bench::Refreshed MpiSession::refresh(const Model& job, const bench::RefreshOptions& options) const {
  const StallWatch watch;
  return bench::refresh(bench::model_of_rank_0(job, comm()), comm(), options);
}

std::unique_ptr<Session> start_session(int& argc, char**& argv) {
  return std::make_unique<MpiSession>(argc, argv);
}

}  // namespace commgauge::tools
