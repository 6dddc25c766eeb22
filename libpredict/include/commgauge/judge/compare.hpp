#pragma once

#include <string>
#include <vector>

#include "commgauge/model/field_facts.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// One parameter in two model files.
struct Drift {
  std::string model;
  std::string family;     ///< "C", "beta": of all ranks or pairs
  std::string parameter;  ///< "C[2]", "beta[0][3]"
  double old_value{};
  double new_value{};
  /// √(h_old² + h_new²). Where only one of the files holds several launches, its half width is that
  /// of one more of them, for the other file is one.
  double combined_half_width{};
  /// Whether that holds what differs between launches, of the machine as it was.
  bool holds_launches{};
  [[nodiscard]] bool significant() const;
};

/// Every parameter that both files have a value and an interval for.
/// @throws InputError  different numbers of ranks, or no model in common.
[[nodiscard]] std::vector<Drift> compare(const Model& old_model, const Model& new_model);

/// Whether the machine is another than it was.
enum class Change {
  none,
  not_certain,  ///< launches may differ as much as the files do, or a machine was too busy to tell
  certain
};

struct ChangeFound {
  Change change{};
  double agreeing{};   ///< share of the parameters that agree within their uncertainty
  std::string reason;  ///< why it is not certain, or how it is; empty: there is no change
};

/// Share of the parameters that agree on an unchanged machine.
inline constexpr double enough_agree = 0.9;
/// Launches of one machine don't differ by more than this factor in more than a tenth of the times.
inline constexpr double beyond_launches = 1.5;

/// From compare()'s drifts, see docs/running.md. Where no interval holds what differs between
/// launches, a change is certain only if more than a tenth of the pairs take beyond_launches times
/// as long, or as short, for a smallest or a largest message.
[[nodiscard]] ChangeFound find_change(const Model& old_model, const Model& new_model,
                                      const std::vector<Drift>& drifts);

/// A host or a link that stands out: what an administrator looks for.
struct Outlier {
  /// "host h3 (rank 3)", "link h1 (rank 1) to h3 (rank 3)"; " and back" where both directions do.
  std::string what;
  std::string parameter;  ///< "time per byte", "latency", with the regime when there are two
  std::string fit;        ///< whose parameter it is: a FitFacts::name
  std::string field;      ///< which one: a FieldFacts::name
  Unit unit{};            ///< of the three numbers
  double value{};
  double typical{};  ///< median of its likes
  double low{};      ///< lower end of the value's interval, above `typical`; a host's is the median
                     ///< of its pairs' lower ends
  int rank{};        ///< the host's, or the sender's
  int peer{-1};      ///< the receiver's; -1 for a host
  bool
      both_ways{};  ///< of a link: both directions stand out, and the slower one's numbers are here
  [[nodiscard]] double ratio() const { return value / typical; }
};

/// Ranks and links whose times are at least `factor` times the median of their likes and whose
/// interval excludes that median. A rank is judged by the median over its pairs; a link only
/// beyond what its two ranks explain, and is there once even if both directions stand out. Hosts
/// come first, each kind with the largest ratio first. None of a model by classes: its
/// MachineClasses::deviations say what isn't like its kind.
[[nodiscard]] std::vector<Outlier> outliers(const Model& model, double factor = 1.25);

/// Of a model by classes what takes at least `factor` times as long as its kind, empty messages or
/// what a byte adds, and surely longer where an interval is known.
[[nodiscard]] std::vector<Deviation> slow_deviations(const Model& model, double factor = 1.25);

}  // namespace commgauge
