#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commgauge/measurements/quietness.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// Tells what a rank has of its core while it measures: its thread's CPU time against the wall's,
/// read outside of what is timed, some 0.6 microseconds a block.
///
/// It watches only where that means something: not where MPI's time is simulated and the CPU's is
/// real, and not under an MPI library whose waits sleep. learn() finds that out from the first
/// experiments.
class CoreWatch {
 public:
  CoreWatch();

  /// Begins a block here.
  void open();
  /// Ends the block here and begins the next one.
  [[nodiscard]] CoreUse close();

  /// Around a batch of experiments: how often its waits gave the core back.
  void begin_batch();
  void end_batch(long repetitions);
  /// Collective, after batches with many repetitions: whether to watch from now on. Once is enough.
  void learn(const Communicator& comm);

  /// The same on every rank.
  [[nodiscard]] bool watching() const { return state_ == State::watching; }
  /// Empty when it watches; see Disturbance.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  enum class State { learning, watching, off };
  /// Read past any library, and as MPI and the C library tell them to the program.
  struct Clocks {
    double kernels_wall_s;
    double mpis_wall_s;
    double kernels_cpu_s;
    double librarys_cpu_s;
  };
  [[nodiscard]] static Clocks read_clocks();

  State state_{State::learning};
  std::string why_not_;
  std::uint64_t machine_;
  double wall_s_{};
  double cpu_s_{};
  int core_{};
  long switches_{};
  long learnt_switches_{};
  long learnt_repetitions_{};
  Clocks start_;
};

/// Jiffies that this machine's hypervisor took from cores, since it booted, and that passed.
class StolenTime {
 public:
  explicit StolenTime(std::vector<int> cores);

  /// Of these cores' time since this object was made: 0 to 1; 0 where that is not known.
  [[nodiscard]] double share() const;

 private:
  struct Reading {
    double stolen{};
    double all{};
  };
  [[nodiscard]] Reading read() const;

  std::vector<int> cores_;
  Reading start_;
};

}  // namespace commgauge::bench
