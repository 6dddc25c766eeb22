#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "commgauge/schedule/schedule.hpp"

/// What the ranks of an MPI program did, call by call, as far as it matters to how long it takes.
namespace commgauge::trace {

/// As source or tag of a receive or probe: any (MPI_ANY_SOURCE, MPI_ANY_TAG).
inline constexpr int any = std::numeric_limits<int>::min();
/// As the peer of a message in partitions: there is none (MPI_PROC_NULL).
inline constexpr int nobody = -1;
/// As a request: the call itself waits for what it starts.
inline constexpr std::uint32_t no_request = std::numeric_limits<std::uint32_t>::max();
/// As a call's site: it isn't known.
inline constexpr std::uint32_t no_site = 0;

enum class Mode : std::uint8_t { standard, buffered, synchronous };

/// What an access of another rank's window does: it reads or writes its memory, asks for a lock, or
/// gives it back.
enum class Effect : std::uint8_t { access, shared_lock, exclusive_lock, unlock };

/// One thing that a rank did. Which fields mean something depends on the kind.
struct Event {
  enum class Kind : std::uint8_t {
    /// A call of MPI begins: `name`; `list`: where the program calls it, which of Trace::sites;
    /// `time`; `processor`.
    enter,
    /// It ends: `name`, `time`, `processor`.
    leave,
    /// The program says where it is (MPI_Pcontrol): `name`, `time`, `processor`.
    region_begin,
    region_end,
    /// A message is started, by MPI_Isend, MPI_Start, or as a part of a call: `request`, `peer`,
    /// `tag`, `context`, `bytes`, `mode`. It is over when a `wait` of its request says so.
    send,
    /// A receive is started, likewise; `bytes`: the most that it takes. `peer` and `tag` may be
    /// `any`; `found_peer`, `found_tag`, `found_bytes`: what it got, if that is known (else any).
    receive,
    /// The rank waited until all of its requests of a list were over: `list`, `count`.
    wait,
    /// The same, but the rank asked again and again (MPI_Test...): `attempts` times in vain before.
    poll,
    /// It asked so many times in vain, and did something else then: `attempts`.
    polls_in_vain,
    /// A probe found a message, which stays: `peer`, `tag`, `context`, `found_peer`, `found_tag`,
    /// `bytes`; after `attempts` in vain where it didn't wait (MPI_Iprobe).
    probe,
    /// A matched probe (MPI_Mprobe): as probe, and the message is set aside as `request`.
    matched_probe,
    /// What was set aside as `list` is received: `request`, `bytes`; `found_peer`, `found_tag`,
    /// `found_bytes` as of a receive.
    matched_receive,
    /// A collective operation is started: `request`, `context`, `list`: which of Rank::collectives.
    collective,
    /// All members of a communicator meet, without messages, as if by magic (it is being made):
    /// `context`.
    meet,
    /// The program read MPI_Wtime so many times: `attempts`.
    clock_reads,
    /// The program slept: `bytes` [ns].
    sleep,
    /// A request is given up (MPI_Request_free): `request`.
    free,
    /// A receive is over without a message (MPI_Cancel): `request`. An archive has both, read()
    /// leaves both out, for what got nothing takes no time.
    cancel,
    /// An access is started, which is a message that nobody receives: `request`, `peer`, `context`
    /// (a
    /// window's), `effect`, `bytes` that go there, `found_bytes` that come back (0: nothing does).
    /// It
    /// is over when a `wait`, `poll` or `flush` says so.
    access,
    /// The rank waited until all of these accesses were over, and had heard of it: `list`, `count`.
    flush,
    /// The first event of a further thread of the rank: `list`, its number.
    thread_begin,
    /// Its last one.
    thread_end,
    /// The thread has started another one: `list`, its number.
    thread_start,
    /// Something has happened to an object that threads of the rank wait for, as to a lock that was
    /// let go: `list`, which object.
    release,
    /// The thread waited until so much had happened to an object since the trace's beginning:
    /// `list`,
    /// which; `count` of `release`, by any thread.
    acquire,
    /// A message in partitions is prepared (MPI_Psend_init), to be started as often as the program
    /// likes: `request`, `peer` or nobody, `tag`, `context`; `count`: partitions, `bytes`: of each.
    /// The request is its own until it is given up (`free`).
    prepare_send,
    /// The same of its receive, whose partitions may be others. The k-th of a peer, tag and context
    /// belongs to that peer's k-th prepare_send.
    prepare_receive,
    /// What was prepared is started: `request`. It is over when a `wait` says so.
    start,
    /// Partitions of a message that is started can be sent: `request`; `tag`: the first of them,
    /// `count`.
    ready,
    /// A partition of a receive that is started had come: `request`, `tag`: which one, after
    /// `attempts` in vain.
    arrived,
  };
  Kind kind{};
  Mode mode{};
  Effect effect{};
  std::uint32_t name{};     ///< of Trace::names
  std::uint32_t context{};  ///< of Trace::communicators
  std::int32_t peer{};      ///< rank of the job
  std::int32_t tag{};
  std::int32_t found_peer{any};
  std::int32_t found_tag{any};
  std::uint32_t request{no_request};  ///< of its rank: used again once over
  std::uint32_t list{};
  std::uint32_t count{};
  std::uint64_t bytes{};
  std::uint64_t found_bytes{};
  std::uint64_t attempts{};
  /// Since the trace's beginning [ns]. Where a kind doesn't say that it matters: for the eye.
  std::int64_t time{};
  std::int64_t processor{};  ///< CPU time that the rank's thread had had by then [ns]
};

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

/// A place of the program that calls MPI, from where it returns to.
struct Site {
  /// "solve", "Grid::exchange(int)": the innermost, if one was built into another; empty: not
  /// known.
  std::string function{};
  /// Of the source, as debug information has it; without that the program's file or library and the
  /// offset in it, "/home/me/solver+0x11a9", and line 0.
  std::string file{};
  std::uint32_t line{};

  auto operator<=>(const Site&) const = default;
};

struct Communicator {
  std::string name;                   ///< "MPI_COMM_WORLD"; may be empty
  std::vector<std::int32_t> members;  ///< ranks of the job, in the communicator's order
  /// Of an intercommunicator: the other side, as the first side's members see it. Else empty.
  std::vector<std::int32_t> others;
  bool is_window{};  ///< it stands for a window of its members
};

struct Rank {
  std::string host;
  std::vector<Event> events;  ///< of its first thread, then of each further one
  /// Where those of each further thread begin, with its `thread_begin`.
  std::vector<std::uint32_t> further_threads{};
  std::vector<std::uint32_t>
      requests;  ///< lists of `wait`, `poll` and `flush`, one after the other
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

/// "solve (solve.c:120)", "solve (solver+0x11a9)": without the file's folder; empty: not known.
[[nodiscard]] std::string to_text(const Site& site);

}  // namespace commgauge::trace
