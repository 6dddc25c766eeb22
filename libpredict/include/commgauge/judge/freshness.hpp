#pragma once

#include <map>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
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
  std::string pairs;     ///< "between hosts", "within a host of kind n1"
  bool is_within{};      ///< a host
  int kinds[2]{-1, -1};  ///< of the ranks, ascending; −1: any
  long measured{};       ///< pairs
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

/// Whether a ratio is surely not 1: by a twentieth, and by one and a half half widths of its
/// interval.
[[nodiscard]] bool surely_drifted(const Estimate& ratio);

/// By these round trips. Of each pair there are some that are empty and some of one larger size.
///
/// A pair stands out by a tenth at least, and by three standard deviations of what the model's
/// intervals and the trips' scatter leave open. A host deviates if two of its pairs stand out and
/// half of those that were asked, and no other host explains them. A class has drifted if the
/// median of all other pairs has surely_drifted().
/// @throws InputError  a trip is of no two ranks of the job, or takes no time.
[[nodiscard]] Freshness freshness(const Model& job, const std::vector<SurveyedTrip>& trips);

}  // namespace commgauge
