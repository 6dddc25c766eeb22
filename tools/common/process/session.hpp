#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "commgauge/base/exit_code.hpp"

namespace commgauge::tools {

/// One program's use of MPI: from MPI_Init to an end that comes soon and with one exit code.
/// Rank 0 reports, the others are silent. At most one for a process.
class Session {
 public:
  Session(int& argc, char**& argv);

  [[nodiscard]] MPI_Comm comm() const { return MPI_COMM_WORLD; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool speaks() const { return rank_ == 0; }

  /// Does `work` on every rank. An InputError or FitError must be thrown on every rank. What one
  /// rank alone may meet (MPI fails, memory runs out) ends all, with a line from that rank.
  /// Collective.
  [[nodiscard]] ExitCode everywhere(const std::function<ExitCode()>& work) const;

  /// Does `work` on rank 0, while the others sleep, and tells all how it ended. Collective.
  [[nodiscard]] ExitCode on_root(const std::function<ExitCode()>& work) const;

  /// Gives every rank the numbers of rank 0. Collective.
  void share(std::vector<std::uint64_t>& numbers) const;

  /// Ends MPI, in a few seconds at most. Everything must have been written before. Collective.
  /// @return the exit code, as a number for main.
  [[nodiscard]] int leave(ExitCode code) const;

 private:
  int rank_{};
  int size_{};
};

}  // namespace commgauge::tools
