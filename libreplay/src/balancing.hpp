#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/replay/explanation.hpp"
#include "commgauge/replay/longest_paths.hpp"
#include "commgauge/simulate/causes.hpp"
#include "places.hpp"

namespace commgauge::replay {

/// What the ranks compute in each region, and the run's time if that were divided evenly.
class Balancing {
 public:
  /// All must outlive it.
  Balancing(const simulate::Causes& causes, const Places& places);

  /// Regions in which somebody computes, that with the most computing first; the whole program is
  /// one of them.
  [[nodiscard]] const std::vector<std::uint32_t>& regions() const { return regions_; }
  /// How evenly a region's computing is divided, all within it included. One walk.
  [[nodiscard]] Balance of(std::uint32_t region, const LongestPaths& paths) const;
  /// The run's time if the ranks divided their computing evenly in each instance of each region, of
  /// each without what is in a region within it; if `has_waits` is false, without all waits, too.
  [[nodiscard]] double all_balanced(const LongestPaths& paths, bool has_waits) const;

 private:
  /// What the ranks compute in the k-th instance of a region.
  struct Team {
    double sum{};
    double most{};
    double squares{};  ///< of what they differ from the mean
    int ranks{};
    [[nodiscard]] double mean() const { return sum / ranks; }
    [[nodiscard]] double sigma() const;
  };
  using Teams = std::vector<std::vector<Team>>;  ///< by region and number

  [[nodiscard]] bool is_own_computing(simulate::Moment to, const simulate::Cause& cause) const;
  [[nodiscard]] std::uint32_t instance(simulate::Moment to) const;
  [[nodiscard]] Teams teams_of(const std::vector<double>& computing) const;
  /// By instance: what its own computing is multiplied by if that region is balanced.
  [[nodiscard]] std::vector<double> factors(std::uint32_t region) const;
  [[nodiscard]] std::vector<double> factors_of_all() const;
  [[nodiscard]] LongestPaths::Delay scaled(const std::vector<double>& factors) const;
  [[nodiscard]] int slowest(std::uint32_t region) const;

  const simulate::Causes& causes_;
  const Places& places_;
  std::vector<double> own_;  ///< by instance, without regions within [s]
  std::vector<double> all_;  ///< with them [s]
  Teams own_teams_;
  Teams all_teams_;
  std::vector<std::uint32_t> regions_;
};

}  // namespace commgauge::replay
