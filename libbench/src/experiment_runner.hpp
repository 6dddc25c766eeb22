#pragma once

#include <functional>
#include <vector>

#include "buffers.hpp"
#include "commgauge/bench/clock.hpp"
#include "commgauge/measurements.hpp"
#include "commgauge/plan.hpp"
#include "transport.hpp"

namespace commgauge::bench {

/// When one experiment has been repeated often enough.
struct StopRule {
  double precision{};
  double confidence{};
  int min_blocks{};
  int max_blocks{};
  bool raw{};
};

/// Carries out experiments. The root of an experiment drives it: before each block it tells the
/// peers how many repetitions follow, so only the root needs to know the stop rule.
/// A block is timed as a whole; before it runs one repetition that doesn't count, unless
/// repetitions are long.
class ExperimentRunner {
 public:
  ExperimentRunner(const Transport& transport, MessageBuffers& buffers, const Clock& clock,
                   int rank, int widest_experiment);

  /// This rank's part in a group: observations of the experiments of which it is the root.
  [[nodiscard]] std::vector<Observation> run(const Group& group, const StopRule& rule, int pass);

  /// Time spent between the readings of the clock so far.
  [[nodiscard]] Seconds timed() const { return {timed_}; }

 private:
  /// What the root tells its peers before each block.
  struct Order {
    int repetitions;  ///< 0: the experiment is over
    int warm_up;      ///< repetitions before those, not timed
  };

  [[nodiscard]] Observation run_as_root(const Experiment& experiment, const StopRule& rule);
  void run_as_peer(const Experiment& experiment);

  [[nodiscard]] double time_block(const Experiment& experiment, int repetitions);
  [[nodiscard]] int choose_block_length(const Experiment& experiment, double first);
  void repeat_as_root(const Experiment& experiment);
  void repeat_as_peer(const Experiment& experiment);
  void serve_in_turn(const Experiment& experiment);
  void serve_at_once(const Experiment& experiment);

  void synchronise_as_root(const Experiment& experiment);
  void synchronise_as_peer(const Experiment& experiment) const;
  [[nodiscard]] double time_one_way(const Experiment& experiment);
  void join_one_way(const Experiment& experiment);

  void announce(const Experiment& experiment, const Order& order) const;

  Transport transport_;
  MessageBuffers& buffers_;
  const Clock& clock_;
  int rank_;
  double timed_{};
  double last_repetition_{};      ///< of the experiment under way [s]
  double lead_{};                 ///< between announcing a one-way repetition and its start
  bool accept_late_{};            ///< a rank that was late too often is part of the machine
  std::vector<double> offsets_;   ///< of the peers' clocks against the root's own
  std::vector<MPI_Request> requests_;
};

}  // namespace commgauge::bench
