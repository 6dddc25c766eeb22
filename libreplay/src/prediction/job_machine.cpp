#include "prediction/job_machine.hpp"

#include "commgauge/base/error.hpp"

namespace commgauge::replay {

simulate::Machine machine_for(const trace::Trace& trace, const simulate::Machine& machine,
                              const char* advice) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  if (ranks <= machine.ranks) return simulate::for_job(machine, ranks);
  throw InputError("the trace has " + std::to_string(ranks) + " ranks, the machine " +
                   std::to_string(machine.ranks) +
                   " (each rank needs its own place there): " + advice);
}

simulate::Machine job_machine(const trace::Trace& trace, const Model& model,
                              const std::string& kind, const PredictionOptions& options) {
  simulate::WantedMachine wanted = options.machine;
  wanted.kind = kind;
  return machine_for(
      trace, simulate::build(model, wanted),
      "give --hosts and --ranks-per-host for a larger one like it, calibrate with more, or give "
      "--placement places for all");
}

PredictionOptions as_drawn(PredictionOptions options, const simulate::Machine& machine) {
  options.machine.kind = machine.kind;
  options.machine.requests_queue = machine.requests_queue;
  options.machine.sharing = machine.sharing;
  options.machine.jitter = {.none = true};
  if (machine.jitter.is_there()) {
    options.machine.jitter = {.seed = machine.jitter.seed,
                              .mean = machine.jitter.mean,
                              .per_byte = machine.jitter.per_byte,
                              .is_whole = machine.jitter.is_whole};
  }
  return options;
}

Options times_only(Options options) {
  options.keeps_timeline = false;
  options.keeps_marks = false;
  options.counts_traffic = false;
  options.causes = nullptr;
  return options;
}

}  // namespace commgauge::replay
