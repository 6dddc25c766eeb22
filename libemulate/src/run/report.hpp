#pragma once

#include <string>

#include "rank/emulator.hpp"
#include "rank/threads.hpp"

namespace commgauge::emulate {

/// How a rank's program went, until it called MPI_Finalize.
struct RankReport {
  double time{};  ///< [s]
  Shares shares;
  Account account;
  double lost{};  ///< of its processor, to others [s]
  FileTraffic files;
  int threads{1};
  simulate::TakenInTurn in_turn;

  void add(const threads::Sum& further);
};

/// Names of files; empty: none wanted.
struct ReportFiles {
  std::string report;
  std::string trace;
};

/// A table on standard error, and the files. Collective over the real job.
/// @return the same on every rank: whether all of it was written. If not, it has been said why.
[[nodiscard]] bool write_reports(const RankReport& own, const ReportFiles& files);

}  // namespace commgauge::emulate
