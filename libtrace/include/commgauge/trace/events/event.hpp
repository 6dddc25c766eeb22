#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <variant>

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

/// What a receive or probe got, as far as that is known.
struct Found {
  std::int32_t peer{any};  ///< rank of the job
  std::int32_t tag{any};
  std::uint64_t bytes{};
  friend bool operator==(const Found&, const Found&) = default;
};

/// The kinds of events. Of their fields `name` is a number of Trace::names, `context` of
/// Trace::communicators, `peer` a rank of the job. `request` is a number of the event's rank, which
/// is used again once the request is over. `processor` is the CPU time that the rank's thread had
/// had by then [ns].
namespace event {

/// A call of MPI begins.
struct Enter {
  std::uint32_t name{};
  std::uint32_t site{};  ///< where the program calls it: of Trace::sites
  std::int64_t processor{};
};

/// It ends.
struct Leave {
  std::uint32_t name{};
  std::int64_t processor{};
};

/// The program says where it is (MPI_Pcontrol).
struct RegionBegin {
  std::uint32_t name{};
  std::int64_t processor{};
};

struct RegionEnd {
  std::uint32_t name{};
  std::int64_t processor{};
};

/// A message is started, by MPI_Isend, MPI_Start, or as a part of a call. It is over when a Wait of
/// its request says so.
struct Send {
  std::uint32_t request{no_request};
  std::int32_t peer{};
  std::int32_t tag{};
  std::uint32_t context{};
  std::uint64_t bytes{};
  Mode mode{};
};

/// A receive is started, likewise. `peer` and `tag` may be `any`.
struct Receive {
  std::uint32_t request{no_request};
  std::int32_t peer{};
  std::int32_t tag{};
  std::uint32_t context{};
  std::uint64_t bytes{};  ///< the most that it takes
  Found found{};
};

/// The rank waited until all of its requests of a list were over.
struct Wait {
  std::uint32_t list{};  ///< of Rank::requests: the first
  std::uint32_t count{};
};

/// The same, but the rank asked again and again (MPI_Test...).
struct Poll {
  std::uint32_t list{};
  std::uint32_t count{};
  std::uint64_t attempts{};  ///< unsuccessful, before
};

/// It asked so many times unsuccessfully, and did something else then.
struct UnsuccessfulPolls {
  std::uint64_t attempts{};
};

/// A probe found a message, which stays.
struct Probe {
  std::int32_t peer{};
  std::int32_t tag{};
  std::uint32_t context{};
  Found found{};
  std::uint64_t attempts{};  ///< unsuccessful, before, where it didn't wait (MPI_Iprobe)
};

/// A matched probe (MPI_Mprobe): as Probe, and the message is set aside as `request`.
struct MatchedProbe {
  std::uint32_t request{no_request};
  std::int32_t peer{};
  std::int32_t tag{};
  std::uint32_t context{};
  Found found{};
  std::uint64_t attempts{};
};

/// What was set aside is received.
struct MatchedReceive {
  std::uint32_t message{};  ///< MatchedProbe::request
  std::uint32_t request{no_request};
  std::uint64_t bytes{};  ///< as of Receive
  Found found{};
};

/// A collective operation is started.
struct Collective {
  std::uint32_t request{no_request};
  std::uint32_t context{};
  std::uint32_t operation{};  ///< of Rank::collectives
};

/// All members of a communicator meet, without messages, as if by magic (it is being made).
struct Meet {
  std::uint32_t context{};
};

/// The program read MPI_Wtime so many times.
struct ClockReads {
  std::uint64_t count{};
};

/// The program slept.
struct Sleep {
  std::uint64_t nanoseconds{};
};

/// A request is given up (MPI_Request_free).
struct Free {
  std::uint32_t request{no_request};
};

/// A receive is over without a message (MPI_Cancel). An archive has both, read() leaves both out,
/// for what got nothing takes no time.
struct Cancel {
  std::uint32_t request{no_request};
};

/// An access is started, which is a message that nobody receives. It is over when a Wait, Poll or
/// Flush says so.
struct Access {
  std::uint32_t request{no_request};
  std::int32_t peer{};
  std::uint32_t context{};  ///< a window's
  Effect effect{};
  std::uint64_t bytes{};  ///< that go there
  std::uint64_t back{};   ///< bytes that come back; 0: nothing does
};

/// The rank waited until all of these accesses were over, and had heard of it.
struct Flush {
  std::uint32_t list{};  ///< of Rank::requests: the first
  std::uint32_t count{};
};

/// The first event of a further thread of the rank.
struct ThreadBegin {
  std::uint32_t number{};
};

/// Its last one.
struct ThreadEnd {
  std::uint32_t number{};
};

/// The thread has started another one.
struct ThreadStart {
  std::uint32_t number{};
};

/// Something has happened to an object that threads of the rank wait for, as to a lock that was let
/// go.
struct Release {
  std::uint32_t object{};
};

/// The thread waited until so much had happened to an object since the trace's beginning.
struct Acquire {
  std::uint32_t object{};
  std::uint32_t count{};  ///< of Release, by any thread
};

/// A message in partitions is prepared (MPI_Psend_init), to be started as often as the program
/// likes. The request is its own until it is given up (Free).
struct PrepareSend {
  std::uint32_t request{no_request};
  std::int32_t peer{};  ///< or nobody
  std::int32_t tag{};
  std::uint32_t context{};
  std::uint32_t partitions{};
  std::uint64_t bytes{};  ///< of each
};

/// The same of its receive, whose partitions may be others. The k-th of a peer, tag and context
/// belongs to that peer's k-th PrepareSend.
struct PrepareReceive {
  std::uint32_t request{no_request};
  std::int32_t peer{};
  std::int32_t tag{};
  std::uint32_t context{};
  std::uint32_t partitions{};
  std::uint64_t bytes{};
};

/// What was prepared is started. It is over when a Wait says so.
struct Start {
  std::uint32_t request{no_request};
};

/// Partitions of a message that is started can be sent.
struct Ready {
  std::uint32_t request{no_request};
  std::int32_t first{};
  std::uint32_t count{};
};

/// A partition of a receive that is started had come.
struct Arrived {
  std::uint32_t request{no_request};
  std::int32_t partition{};
  std::uint64_t attempts{};  ///< unsuccessful, before
};

using Any =
    std::variant<Enter, Leave, RegionBegin, RegionEnd, Send, Receive, Wait, Poll, UnsuccessfulPolls,
                 Probe, MatchedProbe, MatchedReceive, Collective, Meet, ClockReads, Sleep, Free,
                 Cancel, Access, Flush, ThreadBegin, ThreadEnd, ThreadStart, Release, Acquire,
                 PrepareSend, PrepareReceive, Start, Ready, Arrived>;

}  // namespace event

/// One thing that a rank did.
struct Event {
  event::Any what;
  /// Since the trace's beginning [ns]. Of Enter, Leave, RegionBegin and RegionEnd it matters; of
  /// others it is for the eye.
  std::int64_t time{};

  Event() = default;
  template <class Kind>
  requires std::constructible_from<event::Any, const Kind&> Event(const Kind& one,
                                                                  std::int64_t at = 0)
      : what{one}, time{at} {}

  /// Whether it is of one of these kinds.
  template <class... Kinds>
  [[nodiscard]] bool is() const {
    return (std::holds_alternative<Kinds>(what) || ...);
  }
  /// nullptr: it is of another kind.
  template <class Kind>
  [[nodiscard]] const Kind* as() const {
    return std::get_if<Kind>(&what);
  }
  template <class Kind>
  [[nodiscard]] Kind* as() {
    return std::get_if<Kind>(&what);
  }
};

/// Handlers of several kinds as one, for std::visit: one for each kind, `const auto&` for the rest.
template <class... Each>
struct Handlers : Each... {
  using Each::operator()...;
};

/// The request that the event tells of; no_request: none.
[[nodiscard]] inline std::uint32_t request_in(const Event& event) {
  return std::visit(
      [](const auto& what) {
        if constexpr (requires { what.request; }) return what.request;
        return no_request;
      },
      event.what);
}

/// @pre events of its kind have one
inline void set_request(Event& event, std::uint32_t request) {
  std::visit(
      [request](auto& what) {
        if constexpr (requires { what.request; }) what.request = request;
      },
      event.what);
}

}  // namespace commgauge::trace
