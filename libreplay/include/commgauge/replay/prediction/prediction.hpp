#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/base/diagnostic.hpp"
#include "commgauge/model/model.hpp"
#include "commgauge/predict/by_replicates.hpp"
#include "commgauge/predict/predict.hpp"
#include "commgauge/replay/prediction/prediction_options.hpp"
#include "commgauge/replay/run/result.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// A number by the replicates of a model, where how fast the processors are leaves nothing open.
/// Else two of them: on processors as fast, and on such as slow, as their intervals allow.
using ByEnds = std::vector<ByReplicates>;

struct Predicted {
  simulate::Machine machine;  ///< of the job
  Prediction prediction;
  Result result;  ///< by the model's central parameters
  /// What the model's interval is made of. Empty where there is no model, or no interval is asked
  /// for.
  ByEnds times;
  std::string interval_meaning;   ///< in words; empty: there is no interval
  bool is_exact{};                ///< for the machine's parameters, of which none is known to vary
  std::vector<Diagnostic> notes;  ///< what is assumed, what isn't certain, what was repaired
};

/// The kind of the note that nobody said how fast the processors there are; it has no advice.
inline constexpr const char* equal_processors = "equal_processors";
/// The kind of the notes that are the trace's own remarks.
inline constexpr const char* trace_remark = "trace_remark";

/// How long the recorded program takes on the machine of a model: a replay, and one with each of
/// the model's replicates for the interval, as predictions have it.
///
/// @throws InputError  no such model in the file; the trace has no MPI; what replay() and
///         simulate::for_job() throw. simulate::DeadlockError
[[nodiscard]] Predicted predicted(const trace::Trace& trace, const Model& model,
                                  const PredictionOptions& options = {});

/// How long it takes on a machine whose parameters are given, as those of a topology: one replay,
/// exact for them. @param options  without those that are about a model
/// @throws InputError  the machine has fewer ranks; the trace has no MPI; what replay() and
/// simulate::for_job() throw.
///         simulate::DeadlockError
[[nodiscard]] Predicted predicted(const trace::Trace& trace, const simulate::Machine& machine,
                                  const PredictionOptions& options = {});

/// What is computed together of the machine of a model in any other way, by the rules of
/// predicted().
/// @param values  on a machine of the job; NaN: it can't be told of that one
/// @return by number
using ValuesOn = std::function<std::vector<double>(const simulate::Machine&)>;
[[nodiscard]] std::vector<ByEnds> values_by_replicates(const trace::Trace& trace,
                                                       const Model& model,
                                                       const PredictionOptions& options,
                                                       const ValuesOn& values);

/// What two such numbers are to one another, each by the same replicate on the same processors.
enum class Relation { difference, ratio };
/// @param kind   of the machine
/// @param value  by the central parameters, which the interval holds; it has none where there is
///   none
/// @pre both of that model, or of such with other factors
[[nodiscard]] Prediction paired(const Model& model, const std::string& kind, Relation relation,
                                double value, const ByEnds& one, const ByEnds& other);
/// A time alone.
[[nodiscard]] Prediction with_interval(const Model& model, const std::string& kind, double value,
                                       const ByEnds& times);

}  // namespace commgauge::replay
