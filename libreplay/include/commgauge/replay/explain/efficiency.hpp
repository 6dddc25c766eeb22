#pragma once

#include <string>
#include <vector>

#include "commgauge/replay/run/options.hpp"
#include "commgauge/replay/run/result.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// What keeps a program, or a region of it, from computing all the time, as the POP centre of
/// excellence takes it apart. Useful is what the program itself computes, without sleeping and what
/// others take of the processor. Times [s]; shares are NaN where they are of nothing. As in POP's
/// metrics of hybrid programs, each thread of a rank that computes counts as a rank does.
struct Efficiency {
  double mean_useful{};  ///< of the ranks, and of their further threads, that are there
  double most_useful{};
  double time{};
  double free_time{};  ///< on a free network

  [[nodiscard]] double load_balance() const { return mean_useful / most_useful; }
  /// What is lost where ranks wait for what others compute.
  [[nodiscard]] double serialisation() const { return most_useful / free_time; }
  /// What is lost to the network.
  [[nodiscard]] double transfer() const { return free_time / time; }
  [[nodiscard]] double communication() const { return most_useful / time; }
  /// The product of load balance, serialisation and transfer.
  [[nodiscard]] double parallel() const { return mean_useful / time; }
};

/// A region's time is that of its instances together. An instance is the k-th time that each rank
/// enters it, within itself not counted; it takes from when the first rank enters until the last
/// leaves. Those ranks are there that ever enter it. Instances may overlap, and without waiting
/// ranks may be further apart: so the times of regions needn't add to the run's, and transfer may
/// be above 1.
struct RegionEfficiency : Efficiency {
  std::string name;
  std::size_t instances{};
};

struct Efficiencies {
  Efficiency run;
  std::vector<RegionEfficiency> regions;  ///< the longest first
};

/// A replay on a free network: there a message takes 1e-12 of the run's time and nothing else does,
/// for the virtual machine can't do with nothing.
/// @param machine  of the job. @param options  what is kept of the replay doesn't matter
/// @param result   of the trace's replay on that machine with these options, with its marks
/// @throws what replay() throws
[[nodiscard]] Efficiencies efficiency(const trace::Trace& trace, const simulate::Machine& machine,
                                      const Result& result, const Options& options = {});

/// The machine where every message takes that long from its start, and nothing else takes time.
/// @pre latency > 0
[[nodiscard]] simulate::Machine with_free_network(simulate::Machine machine, double latency);

}  // namespace commgauge::replay
