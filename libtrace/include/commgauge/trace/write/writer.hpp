#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commgauge/base/error.hpp"
#include "commgauge/trace/events/trace.hpp"
#include "commgauge/trace/write/about.hpp"
#include "commgauge/trace/write/origin.hpp"
#include "commgauge/trace/write/rank_writer.hpp"
#include "commgauge/trace/write/together.hpp"

/// Writes OTF2 archives: a directory with `traces.otf2` in it.
namespace commgauge::trace {

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

  /// A number for a call's or region's name, as events have it. Local: each process has its own,
  /// and the same name gets the same number.
  [[nodiscard]] std::uint32_t name(const std::string& text);

  /// A number for a call's site, for Enter::site. Local, as names are.
  [[nodiscard]] std::uint32_t site(const Site& site);

  /// A number for a communicator, for the events' contexts. Local, each call gives a new one, from
  /// 0: the first must be MPI_COMM_WORLD.
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

}  // namespace commgauge::trace
