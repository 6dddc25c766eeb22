#pragma once

#include <cstdint>
#include <vector>

#include "commgauge/replay/explain/balance.hpp"
#include "commgauge/replay/paths/longest_paths.hpp"
#include "commgauge/simulate/world/causes.hpp"
#include "explain/places.hpp"
#include "explain/shares.hpp"

namespace commgauge::replay {

/// What the ranks compute in each region, and the run's time if that were divided evenly.
class Balancing {
 public:
  /// @param places  must outlive it
  Balancing(const simulate::Causes& causes, const Places& places);

  /// Regions in which somebody computes, that with the most computing first; the whole program is
  /// one of them.
  [[nodiscard]] const std::vector<std::uint32_t>& regions() const { return regions_; }
  /// How evenly a region's computing is divided, all within it included; without Balance::time.
  [[nodiscard]] Balance of(std::uint32_t region) const;
  /// The delays if it were divided evenly.
  /// @param causes  maybe with other delays; they, and this, must outlive what is returned
  [[nodiscard]] LongestPaths::Delay balanced(const simulate::Causes& causes,
                                             std::uint32_t region) const;
  /// The delays if the ranks divided their computing evenly in each instance of each region, of
  /// each without what is in a region within it.
  [[nodiscard]] LongestPaths::Delay all_balanced(const simulate::Causes& causes) const;

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

  void find_teams();
  [[nodiscard]] LongestPaths::Delay divided(const simulate::Causes& causes,
                                            const std::vector<std::uint32_t>& divided_in) const;
  /// Adds to each instance what is in those within it.
  void add_inner(std::vector<double>& by_instance) const;
  [[nodiscard]] int slowest(std::uint32_t region) const;

  const Places& places_;
  EndsOfComputing ends_;
  std::vector<double> computing_;         ///< by instance, with those within; with sleeping [s]
  std::vector<double> sleeping_;          ///< of that
  std::vector<std::vector<Team>> teams_;  ///< by region and number
  std::vector<std::uint32_t> regions_;
};

}  // namespace commgauge::replay
