#pragma once

#include <cstdint>
#include <limits>

namespace commgauge::trace {

/// As source or tag of a receive or probe: any (MPI_ANY_SOURCE, MPI_ANY_TAG).
inline constexpr int any = std::numeric_limits<int>::min();
/// As the peer of a message in partitions: there is none (MPI_PROC_NULL).
inline constexpr int nobody = -1;
/// As a request: the call itself waits for what it starts.
inline constexpr std::uint32_t no_request = std::numeric_limits<std::uint32_t>::max();
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

}  // namespace commgauge::trace
