#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/bench/base/options.hpp"
#include "commgauge/bench/clock/clock.hpp"
#include "commgauge/measurements/measurements.hpp"
#include "commgauge/measurements/sweep.hpp"
#include "commgauge/thresholds/sweep_plan.hpp"
#include "commgauge/thresholds/thresholds.hpp"
#include "messages/communicator.hpp"
#include "timing/collective_timer.hpp"

namespace commgauge::bench {

/// Measures scatter and gather over sizes, more of them where the breaks are.
///
/// The sizes of a round are measured in passes of one repetition each, in an order of its own for
/// each pass, so that a machine that changes meanwhile doesn't look like a break. The first pass
/// doesn't count. The root drives; rank 0 chooses the sizes.
class Sweeper {
 public:
  using Refine = std::function<std::vector<Bytes>(const Sweep&, const SweepPlan&)>;

  struct Settings {
    SweepOptions options;
    std::uint64_t seed{1};
    /// Beyond it no more sizes are chosen, and the chosen ones get only a few repetitions.
    Seconds enough{std::numeric_limits<double>::infinity()};
    Refine refine = next_sizes;
    /// Whether to repeat all sizes, at most twice, or once where time is over: what is rare takes
    /// more repetitions to be sure.
    std::function<bool(const Sweep&)> is_uncertain = [](const Sweep& sweep) {
      return suspects_escalations(sweep, 0.95);
    };
    /// Collective: whether to go on. Asked several times a second, unless repetitions are long.
    std::function<bool()> may_go_on = [] { return true; };
    std::function<void(const std::string& phase)> report = [](const std::string&) {};
    /// The machine that each rank is on, as they share its memory. Empty: all on one.
    std::vector<RankPlace> places;
    /// For messages, of each machine [bytes]; nothing: half of what it has.
    std::optional<double> memory;
    /// What to do where the messages of the largest size don't fit into memory.
    enum class TooLarge { refuse, leave_out } too_large{TooLarge::refuse};
  };

  /// @pre options.root is a rank
  Sweeper(const Communicator& comm, const Transport& transport, MessageBuffers& buffers,
          CollectiveTimer& timer, const Clock& clock, Settings settings);

  /// Collective, at least two ranks. Stopped by may_go_on it returns what it has.
  /// @return on rank 0 the sweeps; elsewhere nothing.
  /// @throws InputError on every rank: a bad plan, or too little memory (unless sizes may be left
  ///                    out). What refining threw, too.
  [[nodiscard]] std::vector<Sweep> measure();

  /// Repetitions that were taken although a rank had been late: there was no better one.
  [[nodiscard]] long late() const { return late_; }

  /// Repetitions that were timed, in time, and those of them during which a rank lost its core:
  /// up to three in a row don't count.
  [[nodiscard]] long timed() const { return timed_; }
  [[nodiscard]] long lost() const { return lost_; }

  /// The largest size, which may be less than was asked for.
  [[nodiscard]] Bytes last() const { return settings_.options.plan.last; }
  /// What was left out for want of memory, its problem continuing `the sweeps …`, if it was.
  [[nodiscard]] const std::optional<Diagnostic>& limited() const { return limited_; }

 private:
  struct Task {
    std::string kind;
    Collective collective;
  };
  struct Round;
  enum class Action : int { synchronise, repeat, pause, finish };
  /// What the root tells the others before each step.
  struct Order {
    Action action;
    std::uint64_t size;
  };

  [[nodiscard]] std::vector<Task> tasks() const;
  /// @return whether there is anything left to sweep.
  [[nodiscard]] bool reserve_memory();
  /// Collective: room for messages of this size.
  [[nodiscard]] bool reserved(Bytes largest);
  [[nodiscard]] bool fits_on_machine(double message) const;
  [[nodiscard]] bool measure_sweep(const Task& task, Sweep& sweep);
  [[nodiscard]] std::vector<Bytes> next_round(const Sweep& sweep);
  [[nodiscard]] std::vector<Bytes> sizes_of_round(const Sweep& sweep);
  [[nodiscard]] bool measure_round(const Task& task, const std::vector<Bytes>& sizes, Sweep& sweep);
  void hand_over(Round& round, Sweep& sweep);

  /// A part of a round, some 0.1 s. @return whether there is more.
  [[nodiscard]] bool drive(const Task& task, Round& round);
  [[nodiscard]] bool follow(const Task& task);
  [[nodiscard]] bool begin_pass(Round& round);
  void synchronise();
  struct Timed {
    double time_s;
    bool late;  ///< a rank had been
  };
  [[nodiscard]] Timed repeat(const Task& task, Bytes size);
  [[nodiscard]] std::size_t wanted(const std::vector<double>& times) const;
  void announce(const Order& order) const;

  const Communicator& comm_;
  Transport transport_;
  MessageBuffers& buffers_;
  CollectiveTimer& timer_;
  const Clock& clock_;
  Settings settings_;
  bool is_root_;
  std::vector<int> peers_;
  std::mt19937_64 random_;
  double deadline_{};  ///< of the sweep under way
  int repeats_{};      ///< of all its sizes, on rank 0
  double synchronise_at_{-std::numeric_limits<double>::infinity()};
  long late_{};
  long timed_{};
  long lost_{};
  std::optional<Diagnostic> limited_;
};

/// Words of Sweep::kind, in the order in which they are measured.
[[nodiscard]] std::vector<std::string> sweep_kinds(Algorithms algorithms);

}  // namespace commgauge::bench
