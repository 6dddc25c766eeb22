#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "commgauge/schedule/schedule.hpp"
#include "commgauge/trace/events/event.hpp"
#include "commgauge/trace/events/site.hpp"

/// What the ranks of an MPI program did, call by call, as far as it matters to how long it takes.
namespace commgauge::trace {

/// A collective operation as one rank called it.
struct Collective {
  schedule::Collective what;
  /// A barrier or broadcast by which MPI itself makes a communicator or ends: always by
  /// dissemination, or along a binomial tree.
  bool is_own{};
  /// Of a neighbourhood collective (MPI_Neighbor_...), which has no schedule: its messages. Else
  /// empty.
  struct Neighbour {
    std::int32_t peer{};  ///< rank of the job
    std::int32_t tag{};   ///< tells directions of a grid apart
    std::uint64_t bytes{};
  };
  bool is_neighbourhood{};
  std::vector<Neighbour> to{};
  std::vector<Neighbour> from{};
};

struct Communicator {
  std::string name;                   ///< "MPI_COMM_WORLD"; may be empty
  std::vector<std::int32_t> members;  ///< ranks of the job, in the communicator's order
  /// Of an intercommunicator: the other side, as the first side's members see it. Else empty.
  std::vector<std::int32_t> others;
  bool is_window{};  ///< it stands for a window of its members
};

/// As a place in Rank::requests: there is none.
inline constexpr std::uint32_t no_entry = std::numeric_limits<std::uint32_t>::max();

struct Rank {
  std::string host;
  std::vector<Event> events;  ///< of its first thread, then of each further one
  /// Where those of each further thread begin, with its ThreadBegin.
  std::vector<std::uint32_t> further_threads{};
  std::vector<std::uint32_t> requests;  ///< lists of Wait, Poll and Flush, one after the other
  std::vector<Collective> collectives;
  int threads{1};          ///< that the process had at most, as far as is known
  bool is_complete{true};  ///< it came to MPI_Finalize
};

/// What an import did to a foreign or damaged archive, or what it can't know: counted by sentence.
struct Remark {
  std::string text;
  std::uint64_t count{1};
};

struct Trace {
  std::vector<std::string> names;           ///< of calls ("MPI_Send") and regions
  std::vector<Site> sites = {Site{}};       ///< of calls; no_site: not known, empty
  std::vector<Communicator> communicators;  ///< 0: MPI_COMM_WORLD
  std::vector<Rank> ranks;
  bool has_processor_time{};  ///< else `processor` is 0 everywhere, and `time` has to do
  bool is_virtual{};          ///< recorded in the virtual time of an emulation
  std::string program;        ///< how it was called; may be empty
  std::vector<Remark> remarks;
};

/// Whether a rank calls MPI, or does what takes it. O(events before the first)
[[nodiscard]] bool uses_mpi(const Trace& trace);

/// What a thread of a rank did. @param number  from 0, the first
[[nodiscard]] inline std::span<const Event> events_of(const Rank& rank, std::size_t thread) {
  const std::span<const Event> all = rank.events;
  const std::size_t from = thread == 0 ? 0 : rank.further_threads[thread - 1];
  const bool is_last = thread == rank.further_threads.size();
  return all.subspan(from, (is_last ? all.size() : rank.further_threads[thread]) - from);
}

}  // namespace commgauge::trace
