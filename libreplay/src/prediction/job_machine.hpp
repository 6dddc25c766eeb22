#pragma once

#include <string>

#include "commgauge/model/model.hpp"
#include "commgauge/replay/prediction/prediction_options.hpp"
#include "commgauge/simulate/machine/machine.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::replay {

/// The machine that the trace's ranks are on. @throws InputError  it has fewer ranks: with advice
[[nodiscard]] simulate::Machine machine_for(const trace::Trace& trace,
                                            const simulate::Machine& machine, const char* advice);

/// That of a model of this kind, as the options have it. @throws InputError  what machines of
/// models throw; too few ranks
[[nodiscard]] simulate::Machine job_machine(const trace::Trace& trace, const Model& model,
                                            const std::string& kind,
                                            const PredictionOptions& options);

/// The options by which that machine was made, of its kind: whatever it leaves to chance goes as
/// there.
[[nodiscard]] PredictionOptions as_drawn(PredictionOptions options,
                                         const simulate::Machine& machine);

/// How to replay where only the time matters.
[[nodiscard]] Options times_only(Options options);

}  // namespace commgauge::replay
