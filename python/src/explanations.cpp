#include "commgauge/replay/explain/explanation.hpp"

#include "commgauge/trace/read/reader.hpp"
#include "replay_options.hpp"

namespace commgauge::python {

namespace {

using replay::Explanation;

py::object text_or_none(const std::string& text) {
  return text.empty() ? py::object(py::none()) : text_of(text);
}

/// rank, region, call, site
py::tuple place_of(const replay::Whereabouts& where) {
  const py::object rank =
      where.rank == replay::every_rank ? py::object(py::none()) : py::int_(where.rank);
  return py::make_tuple(rank, text_or_none(where.region), text_or_none(where.call),
                        text_or_none(where.site));
}

/// A tuple made by `item` of each.
template <class Items, class Item>
py::list list_of(const Items& items, Item&& item) {
  py::list all;
  for (const auto& one : items) all.append(item(one));
  return all;
}

py::tuple step_of(const replay::CriticalPath::Step& step) {
  py::object message = py::none();
  if (step.message) {
    message = py::make_tuple(step.message->from, step.message->to, step.message->bytes);
  }
  return py::make_tuple(step.rank, step.from, step.to, replay::to_text(step.kind),
                        text_or_none(step.call), message);
}

py::dict path_of(const replay::CriticalPath& path) {
  py::dict all;
  all["parts"] = list_of(path.parts, [](const auto& part) {
    return place_of(part.where) + py::make_tuple(replay::to_text(part.kind), part.seconds);
  });
  all["steps"] = list_of(path.steps, step_of);
  all["left_out"] = path.left_out;
  return all;
}

py::list answers_of(const Explanation& all) {
  return list_of(all.answers, [&](const replay::Answer& one) -> py::tuple {
    return py::make_tuple(to_text(one.kind), text_of(one.title), text_of(one.advice), one.time,
                          one.time_interval.low, one.time_interval.high, one.gain,
                          one.gain_interval.low, one.gain_interval.high,
                          100 * one.gain / all.time) +
           place_of(one.where) + py::make_tuple(one.confirmed);
  });
}

py::list domino_paths_of(const Explanation& all) {
  return list_of(all.domino_paths, [](const replay::DominoPath& path) {
    const auto step = [](const replay::DominoPath::Step& one) {
      return place_of(one.where) + py::make_tuple(one.at, one.partner);
    };
    return py::make_tuple(path.rank, path.time, list_of(path.steps, step));
  });
}

py::list balance_of(const Explanation& all) {
  return list_of(all.balance, [](const replay::Balance& one) {
    return py::make_tuple(text_of(one.region), one.instances, one.sigma, one.mean_over_max,
                          one.computing, one.sleeping, one.slowest, one.time);
  });
}

py::tuple factors_of(const replay::Efficiency& one) {
  return py::make_tuple(one.load_balance(), one.serialisation(), one.transfer(),
                        one.communication(), one.parallel(), one.mean_useful, one.most_useful,
                        one.time, one.free_time);
}

py::dict as_dict(const Explanation& all, py::dict run) {
  run["time"] = all.time;
  run["ranks"] = all.ranks;
  run["critical_path"] = path_of(all.critical_path);
  run["answers"] = answers_of(all);
  run["domino_paths"] = domino_paths_of(all);
  run["balance"] = balance_of(all);
  run["efficiency"] = factors_of(all.efficiency.run);
  run["regions"] = list_of(all.efficiency.regions, [](const replay::RegionEfficiency& one) {
    return py::make_tuple(text_of(one.name), one.instances) + factors_of(one);
  });
  for (const py::handle& link : notes_of(all.uplinks)) run["notes"].attr("append")(link);
  for (const py::handle& note : notes_of(all.notes)) run["notes"].attr("append")(note);
  return run;
}

py::dict explain_as_dict(const std::filesystem::path& archive, const Model& model,
                         const ReplayOptions& how, std::size_t confirmed) {
  replay::PredictionOptions options = prediction_options(how);
  trace::Trace trace;
  replay::Predicted run;
  Explanation explanation;
  {
    const py::gil_scoped_release released;
    trace = trace::read(archive);
    simulate::Causes causes(static_cast<int>(trace.ranks.size()));
    options.replay.causes = &causes;
    options.replay.keeps_marks = true;
    const auto [larger, assumed] = larger_model(model, how);
    options.assumed = assumed;
    run = replay::predicted(trace, larger, options);
    replay::ExplanationOptions what = replay::explanation_options(trace, larger, run, options);
    what.most_confirmed = confirmed;
    what.progress = [](const std::string&, std::size_t, std::size_t) { heed_signals(); };
    explanation = replay::explain(trace, run.machine, run.result, causes, what);
  }
  return as_dict(explanation, run_of(run, trace, model));
}

}  // namespace

void bind_explanations(py::module_& module) {
  module.def("explain", &explain_as_dict, py::arg("trace"), py::arg("model"), py::arg("how"),
             py::arg("confirm"));
}

}  // namespace commgauge::python
