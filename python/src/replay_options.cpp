#include "replay_options.hpp"

#include "commgauge/base/error.hpp"
#include "commgauge/trace/events/trace.hpp"

namespace commgauge::python {

namespace {

simulate::WantedMachine wanted_of(const ReplayOptions& options) {
  simulate::WantedMachine wanted;
  wanted.kind = options.kind;
  if (options.hosts) wanted.hosts = {options.hosts->first, options.hosts->second};
  wanted.time_ratios = time_ratios_of(options.time_ratio);
  if (options.placement) wanted.placement = simulate::Placement{*options.placement, "placement"};
  return wanted;
}

}  // namespace

replay::PredictionOptions prediction_options(const ReplayOptions& options) {
  replay::PredictionOptions how;
  how.replay.collectives = schedule::choice_from(options.collectives);
  how.replay.computes = options.computes;
  how.replay.rematches = options.rematches;
  how.has_interval = options.has_interval;
  how.machine = wanted_of(options);
  how.progress = [](std::size_t, std::size_t) { heed_signals(); };
  return how;
}

LargerModel larger_model(const Model& model, const ReplayOptions& options) {
  return simulate::model_for(model, wanted_of(options));
}

py::str text_of(const std::string& text) {
  return py::bytes(text).attr("decode")("utf-8", "replace");
}

py::list notes_of(const std::vector<Diagnostic>& notes) {
  py::list all;
  for (const Diagnostic& note : notes) all.append(py::make_tuple(note.kind, text_of(note.text())));
  return all;
}

py::dict run_of(const replay::Predicted& run, const trace::Trace& trace, const Model& model) {
  py::dict all;
  all["time"] = run.prediction.time.value;
  all["low"] = run.prediction.low.value;
  all["high"] = run.prediction.high.value;
  all["confidence"] = model.confidence;
  all["interval_meaning"] = run.interval_meaning;
  all["model"] = run.machine.kind;
  all["program"] = text_of(trace.program);
  all["notes"] = notes_of(run.notes);
  return all;
}

void bind_replay_options(py::module_& module) {
  py::class_<ReplayOptions>(module, "ReplayOptions")
      .def(py::init<std::string, std::string, bool, bool, bool, decltype(ReplayOptions::time_ratio),
                    decltype(ReplayOptions::placement), decltype(ReplayOptions::hosts)>(),
           py::kw_only(), py::arg("kind"), py::arg("collectives"), py::arg("compute"),
           py::arg("rematch"), py::arg("interval"), py::arg("time_ratio"), py::arg("placement"),
           py::arg("hosts"));
}

}  // namespace commgauge::python
