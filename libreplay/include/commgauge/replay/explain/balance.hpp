#pragma once

#include <cstddef>
#include <string>

namespace commgauge::replay {

/// How evenly a region's computing is divided, with sleeping: by it a program may stand for what it
/// would compute. An instance of it is the k-th time that each rank
/// enters it, whether it computes anything there or not.
struct Balance {
  std::string region;
  std::size_t instances{};
  double sigma{};          ///< standard deviation of the ranks' computing, mean of the instances
  double mean_over_max{};  ///< of all instances: their means together over their maxima together
  double computing{};      ///< of all ranks, with sleeping
  double sleeping{};       ///< of that
  int slowest{};           ///< the rank that computes most in it
  double time{};           ///< of the run if each instance's computing were divided evenly
};

}  // namespace commgauge::replay
