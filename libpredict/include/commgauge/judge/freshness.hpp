#pragma once

#include <map>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/judge/pair_class.hpp"
#include "commgauge/measurements/survey.hpp"
#include "commgauge/model/model.hpp"

namespace commgauge {

/// What a few round trips, measured now, say of messages of one class.
struct ClassFreshness {
  enum class State {
    holds,    ///< as in the model, as far as this can be told
    drifted,  ///< surely other than in the model
    unknown   ///< nothing was measured
  };
  PairClass of;
  std::string pairs;  ///< "between hosts", "within a host of kind n1"
  long measured{};    ///< pairs
  /// Times now / those of the model: of empty messages, and of what each byte adds. NaN: unknown.
  Estimate fixed;
  Estimate per_byte;
  State state{State::unknown};
};

/// Whether a model still tells the times of a job's messages.
struct Freshness {
  std::vector<ClassFreshness> classes;
  std::vector<Deviation> deviations;  ///< hosts and links that are other than their class
  /// By host that is slower than its class: what a byte of its messages takes at least.
  std::map<std::string, SecondsPerByte> slow_links;
  Bytes size;                           ///< of the larger trips
  std::vector<std::string> not_judged;  ///< hosts of which fewer than two others were asked

  /// Nothing drifted and no host or link differs, and of each class something was measured.
  [[nodiscard]] bool holds() const;
  /// Something drifted, or a host or a link differs.
  [[nodiscard]] bool differs() const;
  /// A line for each class that drifted, and for each deviation.
  [[nodiscard]] std::vector<Diagnostic> diagnostics() const;
};

/// Whether a ratio is 5 % away from 1, and one and a half half widths of its interval.
[[nodiscard]] bool surely_drifted(const Estimate& ratio);

/// Judges a model by round trips. Each pair that was asked has some empty ones and some of one
/// larger size.
///
/// A pair stands out if its ratio is a tenth away from its class's, and three standard deviations:
/// those hold the model's intervals and the trips' scatter. A host deviates if two of its pairs
/// stand out, half of its pairs do, and no other host explains them. A class has drifted if the
/// median of all other pairs has surely_drifted().
/// @throws InputError  a trip is of no two ranks of the job, or takes no time.
[[nodiscard]] Freshness freshness(const Model& job, const std::vector<SurveyedTrip>& trips);

}  // namespace commgauge
