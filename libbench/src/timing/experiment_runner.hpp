#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "clock/core_watch.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/measurements/quietness.hpp"
#include "commgauge/plan/rounds.hpp"
#include "messages/buffers.hpp"
#include "messages/transport.hpp"
#include "timing/collective_timer.hpp"
#include "timing/meeting_timer.hpp"
#include "timing/overhead_timer.hpp"

namespace commgauge::bench {

/// When one experiment has been repeated often enough.
struct StopRule {
  double precision{};
  double confidence{};
  int min_blocks{};
  int max_blocks{};
  bool raw{};
  int most_lost{2};  ///< blocks that may be timed again, for each that is wanted

  /// What has to do when time is short: so many blocks.
  [[nodiscard]] StopRule hurried(int blocks) const;
};

/// Carries out experiments. The root of an experiment drives it: it tells the peers how many
/// repetitions follow, so only the root needs to know the stop rule.
///
/// Blocks are timed in batches, one after the other without a pause; before a batch runs one
/// repetition that doesn't count, unless repetitions are long.
///
/// A block during which a rank lost its core is timed again, as long as the stop rule allows. Then
/// the least disturbed have to do.
class ExperimentRunner {
 public:
  ExperimentRunner(const Transport& transport, MessageBuffers& buffers,
                   CollectiveTimer& collectives, const Clock& clock, CoreWatch& watch, int rank,
                   int widest_experiment);

  /// This rank's part in a group: observations of the experiments of which it is the root.
  /// @param is_behind  given which part of the group's experiments is done, whether to hurry.
  [[nodiscard]] std::vector<Observation> run(
      const Group& group, const StopRule& rule, int pass,
      const std::function<bool(double part)>& is_behind = [](double) { return false; });

  /// Time spent between the readings of this rank's clock so far, collectives apart.
  [[nodiscard]] Seconds timed() const { return {timed_}; }
  /// In blocks that others timed. Of overheads, most of which isn't timed, none.
  [[nodiscard]] Seconds joined() const { return {joined_}; }

 private:
  /// What the root tells its peers before each batch.
  struct Order {
    int blocks;      ///< 0: the experiment is over
    int length{1};   ///< repetitions of a block
    int warm_up{0};  ///< repetitions before the blocks, which don't count
  };
  struct LostBlock {
    double share;  ///< of its time
    double mean_s;
  };
  /// Of the last batch.
  struct Batch {
    double last_s;  ///< mean of its last block
    bool lost;      ///< a rank lost its core in one of its blocks
  };

  [[nodiscard]] Observation run_as_root(const Experiment& experiment, StopRule rule);
  void run_as_peer(const Experiment& experiment);
  void join_batch(const Experiment& experiment, const Order& order);

  /// Fills blocks_. @return repetitions of a block.
  [[nodiscard]] int time_blocks(const Experiment& experiment, const StopRule& rule);
  /// Before a collective: what this rank does in it.
  void take_role(const Experiment& experiment);
  [[nodiscard]] Collective one_way(const Experiment& experiment) const;
  /// @return false when ranks were late so often that late repetitions had to do.
  [[nodiscard]] bool time_one_way_blocks(const Experiment& experiment, const StopRule& rule);
  /// @return a block's mean [s]
  [[nodiscard]] double time_block(const Experiment& experiment, int length);
  /// Appends to blocks_ and lost_.
  Batch time_batch(const Experiment& experiment, int blocks, int length, bool warm_up);
  /// One block, timed again a few times if a rank lost its core: the quickest. @return its mean.
  double try_block(const Experiment& experiment, int length);
  void keep(double mean_s, double lost_share);
  /// What each block of a batch lost, on the root: of all ranks that take part. Peers tell theirs.
  [[nodiscard]] std::vector<double> gather_losses(const Experiment& experiment);
  void tell_losses(const Experiment& experiment) const;
  /// Whether as many blocks were lost as may be, where so many are wanted.
  [[nodiscard]] bool may_not_repeat(int wanted, const StopRule& rule) const;
  /// Fills up blocks_ from lost_. @return how many.
  int take_least_disturbed(int wanted);
  [[nodiscard]] int choose_block_length(const Experiment& experiment, double first);
  void repeat_as_root(const Experiment& experiment);
  void repeat_as_peer(const Experiment& experiment);
  void serve_in_turn(const Experiment& experiment);
  void serve_at_once(const Experiment& experiment);
  void lead_pairs(const Experiment& experiment);
  void join_pairs(const Experiment& experiment);
  void flood_peer(const Experiment& experiment);

  void announce(const Experiment& experiment, const Order& order) const;

  Transport transport_;
  MessageBuffers& buffers_;
  CollectiveTimer& collectives_;
  const Clock& clock_;
  CoreWatch& watch_;
  OverheadTimer overheads_;
  MeetingTimer meetings_;
  int rank_;
  double timed_{};
  std::optional<Role> role_;     ///< in the collective under way
  std::vector<double> blocks_;   ///< means of the experiment under way [s]
  std::vector<LostBlock> lost_;  ///< of it
  std::vector<double> means_;    ///< of the batch under way
  std::vector<CoreUse> uses_;    ///< this rank's in it
  int enough_{};                 ///< blocks that the experiment under way takes at least
  double joined_{};
  std::vector<MPI_Request> requests_;
};

}  // namespace commgauge::bench
