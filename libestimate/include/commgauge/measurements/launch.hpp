#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/base/units.hpp"
#include "commgauge/measurements/disturbance.hpp"
#include "commgauge/measurements/rank_place.hpp"

namespace commgauge {

/// Whether disjoint experiments disturb one another, and what was made of it.
struct Contention {
  bool tested{};
  double ratio{};  ///< time together / time alone, median over the sample
  double low{};
  double high{};
};

/// Message sizes of a launch's experiments; checks have others.
struct MeasuredSizes {
  std::vector<Bytes> round_trips;   ///< the sweep over sizes
  std::optional<Bytes> one_to_two;  ///< the medium size
  std::vector<Bytes> bulk;
  bool operator==(const MeasuredSizes&) const = default;
};

/// How a launch swept scatter and gather.
struct SweepRun {
  /// global | root | longest; empty: the file, of an older version, doesn't say
  std::string timing{};
  long late{};  ///< repetitions in which a rank started late
  /// Why they are less than was asked for, if they are; the problem stands behind "the sweeps".
  std::optional<Diagnostic> limited{};
};

/// Where and how one launch measured: enough to repeat it.
struct Launch {
  std::string time_utc;  ///< ISO 8601
  std::string commgauge_version;
  std::string mpi_library;
  std::string mpi_standard;
  std::vector<RankPlace> ranks;
  std::map<std::string, std::string> environment;  ///< UCX_*, MPIR_CVAR_*, …
  std::map<std::string, std::string> options;      ///< as given and as decided
  MeasuredSizes sizes;
  std::optional<SweepRun> sweep_run;  ///< nothing: it swept nothing
  std::uint64_t seed{};
  double confidence{};
  double precision{};
  double clock_resolution_s{};
  double clock_cost_s{};
  std::string wait;      ///< blocking | yield
  std::string buffers;   ///< rotating | same
  std::string schedule;  ///< parallel | serial
  Contention contention;
  std::optional<std::uint64_t> eager_limit_bytes;  ///< largest size still sent eagerly
  /// Largest size that was probed for it; 0: none, a limit was given instead, or is not known.
  /// Nothing: the file, of an older version, doesn't say.
  std::optional<std::uint64_t> eager_probed_bytes;
  int passes{};
  long rounds{};
  double elapsed_s{};
  double timed_s{};  ///< inside timed communication: rank with the most; serial: sum of all
  std::optional<Disturbance> disturbance;  ///< nothing: the file is of an older version
  /// How often it was gone on with: its rows are of so many launches of MPI more.
  int resumed{};
  bool complete{true};  ///< false while it goes on, and when something cut it short
  std::string incomplete_reason;
};

}  // namespace commgauge
