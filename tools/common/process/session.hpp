#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commgauge/base/exit_code.hpp"
#include "commgauge/bench/base/options.hpp"
#include "commgauge/bench/calibrate/refreshed.hpp"
#include "commgauge/bench/campaign/plan_summary.hpp"
#include "commgauge/measurements/measurements.hpp"

namespace commgauge::tools {

/// One program's part in a job of several: from the start of MPI to an end that comes soon and with
/// one exit code. Rank 0 reports, the others are silent. Of which MPI library it is only the
/// program's link says (tools/measuring).
class Session {
 public:
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool speaks() const { return rank_ == 0; }

  /// Does `work` on every rank. An InputError or FitError must be thrown on every rank. What one
  /// rank alone may meet (MPI fails, memory runs out) ends all, with a line from that rank.
  /// Collective.
  [[nodiscard]] virtual ExitCode everywhere(const std::function<ExitCode()>& work) const = 0;

  /// Does `work` on rank 0, while the others sleep, and tells all how it ended. Collective.
  [[nodiscard]] virtual ExitCode on_root(const std::function<ExitCode()>& work) const = 0;

  /// Gives every rank the numbers of rank 0. Collective.
  virtual void share(std::vector<std::uint64_t>& numbers) const = 0;

  /// Ends MPI, in a few seconds at most. Everything must have been written before. Collective.
  /// @return the exit code, as a number for main.
  [[nodiscard]] virtual int leave(ExitCode code) const = 0;

  /// From here on an experiment that stands still for so long ends the job: with
  /// ExitCode::not_precise where what was measured is kept, else ExitCode::mpi_failed.
  virtual void end_stalls_after(Seconds limit) const = 0;

  /// What libbench does among all ranks, by its functions of these names. Collective.
  [[nodiscard]] virtual bench::PlanSummary plan(const bench::Options& options) const = 0;
  [[nodiscard]] virtual Measurements measure(const bench::Options& options) const = 0;
  [[nodiscard]] virtual Measurements resume(Measurements checkpoint,
                                            const bench::Options& options) const = 0;
  [[nodiscard]] virtual Measurements measure_experiments(const std::vector<Experiment>& experiments,
                                                         const bench::Options& options) const = 0;
  [[nodiscard]] virtual Measurements measure_thresholds(const bench::Options& options) const = 0;
  [[nodiscard]] virtual std::vector<std::string> hosts_of_ranks() const = 0;
  /// @param job  rank 0's counts
  [[nodiscard]] virtual bench::Refreshed refresh(const Model& job,
                                                 const bench::RefreshOptions& options) const = 0;

 protected:
  Session() = default;

  int rank_{};
  int size_{};
};

/// Starts MPI. A program that is built for none goes on as the one that is built for the MPI
/// library whose launcher started it (COMMGAUGE_MPI names another), from its beginning. At most one
/// for a process. @throws InputError  there is none
[[nodiscard]] std::unique_ptr<Session> start_session(int& argc, char**& argv);

}  // namespace commgauge::tools
