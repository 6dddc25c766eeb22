#pragma once

#include <mpi.h>

#include "common/process/session.hpp"

namespace commgauge::tools {

/// With the MPI library that this is compiled for.
class MpiSession final : public Session {
 public:
  MpiSession(int& argc, char**& argv);

  [[nodiscard]] MPI_Comm comm() const { return MPI_COMM_WORLD; }

  [[nodiscard]] ExitCode everywhere(const std::function<ExitCode()>& work) const override;
  [[nodiscard]] ExitCode on_root(const std::function<ExitCode()>& work) const override;
  void share(std::vector<std::uint64_t>& numbers) const override;
  [[nodiscard]] int leave(ExitCode code) const override;

  void end_stalls_after(Seconds limit) const override;

  [[nodiscard]] bench::PlanSummary plan(const bench::Options& options) const override;
  [[nodiscard]] Measurements measure(const bench::Options& options) const override;
  [[nodiscard]] Measurements resume(Measurements checkpoint,
                                    const bench::Options& options) const override;
  [[nodiscard]] Measurements measure_experiments(const std::vector<Experiment>& experiments,
                                                 const bench::Options& options) const override;
  [[nodiscard]] Measurements measure_thresholds(const bench::Options& options) const override;
  [[nodiscard]] std::vector<std::string> hosts_of_ranks() const override;
  [[nodiscard]] bench::Refreshed refresh(const Model& job,
                                         const bench::RefreshOptions& options) const override;
};

}  // namespace commgauge::tools
