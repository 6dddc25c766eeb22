#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/together.hpp"
#include "commgauge/trace/trace.hpp"

/// Writes OTF2 archives: a directory with `traces.otf2` in it.
namespace commgauge::trace {

/// What an archive says of the program's run as a whole. The same at every process.
struct About {
  int ranks{1};               ///< of the job
  bool has_processor_time{};  ///< Event::processor is written
  bool is_virtual{};
  std::string program{};
};

/// A rank that this process writes.
struct Place {
  int rank{};
  std::string host{};
};

/// A request that a `wait`, `poll` or `flush` found over. Of a receive, what it got: `any` where
/// that isn't known, as of a cancelled one.
struct Over {
  std::uint32_t request{};
  std::int32_t found_peer{any};  ///< rank of the job
  std::int32_t found_tag{any};
  std::uint64_t found_bytes{};
};

/// Events of a rank's thread, written as they happen. Memory is bounded: full buffers go to the
/// disk.
///
/// Times are those of the events; they must not decrease from one enter, leave, region_begin or
/// region_end to the next. An event of another kind that says an earlier time (0, say) gets that of
/// the event before.
///
/// One thread at a time calls it, or anything else of its Writer.
///
/// write() throws WriteError once, when the disk is full or the file can't be written to; from then
/// on this rank writes nothing, and Writer::close() says so to all. What is wrong with an event (a
/// peer that isn't in its communicator, a request that isn't there) is an InputError, and the event
/// is left out.
class RankWriter {
 public:
  virtual ~RankWriter() = default;

  /// Any but wait, poll, flush and collective. A receive with `no_request` is written when it is
  /// over, with what it found; one with a request when it is started: what it finds, the wait says.
  virtual void write(const Event& event) = 0;
  /// A wait, poll or flush; `event.list` and `event.count` aren't looked at.
  virtual void write(const Event& event, std::span<const Over> over) = 0;
  /// `event.list` isn't looked at.
  virtual void write(const Event& event, const Collective& collective) = 0;

  /// What is known of the rank at the end; else one thread, and complete. Its first thread says it.
  virtual void set_threads(int threads) = 0;
  virtual void set_complete(bool is_complete) = 0;
};

/// What a communicator or window was made of. Threads may make some of the same members at the same
/// time, in another order in each process, but not of one origin.
struct Origin {
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t parent{none};  ///< of the process' communicators; none: of several, or of nothing
  std::string tag{};           ///< that its makers gave it (MPI_Comm_create_group)
  auto operator<=>(const Origin&) const = default;
};

/// An archive that is being written, by one process or by several together.
///
/// Until close() has come back the archive is an unfinished one, which says so (a file `unfinished`
/// in it), and readers refuse it: whatever happens to the processes, no short archive looks whole.
class Writer {
 public:
  /// Collective. Makes the directory; if it exists, it must be empty.
  ///
  /// @param places  each rank of the job is written by one of the processes.
  /// @param together  must outlive the writer.
  /// @throws InputError  at all processes alike: the directory can't be made, or isn't empty.
  Writer(const std::filesystem::path& directory, const About& about,
         const std::vector<Place>& places, Together& together);
  /// Without a close() before it the archive stays unfinished. Not collective.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// @pre one of the places. The reference is good until close().
  [[nodiscard]] RankWriter& rank(int rank);
  /// Of a further thread, from 1 on. One that has ended may be followed by another of that number.
  /// Requests are the rank's: one thread may start what another waits for. A number that another
  /// has waited for, or given up, is not used again.
  [[nodiscard]] RankWriter& thread(int rank, int thread);

  /// A number for a call's or region's name, for Event::name. Local: each process has its own, and
  /// the same name gets the same number.
  [[nodiscard]] std::uint32_t name(const std::string& text);

  /// A number for a call's site, for Event::list of an enter. Local, as names are.
  [[nodiscard]] std::uint32_t site(const Site& site);

  /// A number for a communicator, for Event::context. Local, and each call gives a new one, from 0:
  /// the first must be MPI_COMM_WORLD.
  ///
  /// Which communicators of different processes are one is found at the end: the n-th of the same
  /// members, others and origin, or the n-th such window, at one process is the n-th of them at
  /// another. So each process tells of those of one origin in the order in which they are made, and
  /// both sides of an intercommunicator say the same: first the side of the smallest rank.
  /// @pre the origin's parent is one that this process has told of.
  [[nodiscard]] std::uint32_t communicator(const Communicator& communicator,
                                           const Origin& origin = {});
  /// A name that was given later (MPI_Comm_set_name).
  void set_name(std::uint32_t communicator, const std::string& name);

  /// Of an import: they stay with its trace. Rank 0's process says them.
  void set_remarks(const std::vector<Remark>& remarks);

  /// Not collective: the rank has come to its end, its threads' buffers are given back, and rank()
  /// and thread() must not be called for it again. close() does it for all that are left.
  void finish_rank(int rank);

  /// Not collective: the program ends before its time (MPI_Abort). The archive stays unfinished;
  /// readers tell the reason. Nothing is written after this.
  void give_up(const std::string& reason) noexcept;

  /// Collective: buffers go to the disk, definitions are unified, and the archive is finished.
  /// @param resolve  once for each site of all processes, at rank 0's: the one to be written
  /// @throws InputError  at all processes alike, with the rank and the reason, if any of them
  ///   couldn't write everything: the archive stays unfinished.
  void close(const std::function<Site(const Site&)>& resolve = std::identity{});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Writes a whole trace in one process. Its `remarks` are kept.
/// @throws InputError  the directory is there and not empty, the disk is full, the trace is wrong
///   (which rank, which event, why).
void write(const Trace& trace, const std::filesystem::path& directory);

}  // namespace commgauge::trace
