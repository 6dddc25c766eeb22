#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/trace/events/trace.hpp"
#include "commgauge/trace/write/origin.hpp"

namespace commgauge::trace {

/// Where records are, and how many.
struct LocationReport {
  std::uint64_t number{};
  std::uint64_t events{};
};

/// What a process knows at the end of one of its ranks.
struct RankReport {
  std::int32_t rank{};
  std::string host{};
  std::uint64_t events{};                         ///< of its first thread
  std::vector<LocationReport> further_threads{};  ///< in order
  std::uint64_t last_time{};                      ///< [ns]
  int threads{1};
  bool is_complete{true};
  std::string problem{};  ///< why not all of its events are written; empty: they are
};

/// What a process reports at the end.
struct Report {
  std::vector<std::string> names;
  std::vector<std::uint8_t> used;  ///< Definitions::used
  std::vector<Site> sites;         ///< the first is number no_site + 1, and 0 in the archive
  std::vector<Communicator> communicators;
  std::vector<Origin> origins;  ///< of each communicator; of all processes' as one: empty
  std::vector<RankReport> ranks;
};

/// Of any rank.
[[nodiscard]] bool has_further_threads(const Report& report);

[[nodiscard]] std::string to_bytes(const Report& report);
[[nodiscard]] Report to_report(const std::string& bytes);

/// A name is up to two regions in OTF2: a function of MPI's, and one of the program's own.
[[nodiscard]] constexpr std::uint32_t region_of(std::uint32_t name, bool is_user) {
  return 2 * name + (is_user ? 1 : 0);
}

/// The numbers of all regions in the archive, by region_of(): without gaps.
[[nodiscard]] std::vector<std::uint32_t> region_numbers(const std::vector<std::uint8_t>& used);

/// All processes' reports as one, and which number of it each process's own ones have.
struct Unified {
  struct Numbers {
    std::vector<std::uint32_t> regions;  ///< by region_of()
    std::vector<std::uint32_t> communicators;
    std::vector<std::uint32_t> windows;  ///< by communicator; empty: there are none
    std::vector<std::uint32_t> sites;    ///< in the archive
  };
  Report whole;  ///< its ranks in order
  std::vector<Numbers> numbers;
};
/// @param resolve  once for each site: as it stands in the whole
[[nodiscard]] Unified unify(const std::vector<Report>& reports,
                            const std::function<Site(const Site&)>& resolve = std::identity{});

/// The numbers of all windows in the archive, by communicator: without gaps. Empty: there are none.
[[nodiscard]] std::vector<std::uint32_t> window_numbers(const std::vector<Communicator>& all);

[[nodiscard]] std::string to_bytes(const Unified::Numbers& numbers);
[[nodiscard]] Unified::Numbers to_numbers(const std::string& bytes);

}  // namespace commgauge::trace
