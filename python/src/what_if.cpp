#include "commgauge/replay/prediction/what_if.hpp"

#include "commgauge/base/error.hpp"
#include "commgauge/trace/read/reader.hpp"
#include "replay_options.hpp"

namespace commgauge::python {

namespace {

/// A quantity's name, and a range of its factors.
using Range = std::tuple<std::string, double, double>;

replay::Quantity quantity_of(const std::string& name) {
  using enum replay::Quantity;
  for (const replay::Quantity one : {latency, bandwidth, overheads, gaps, computing, uplink}) {
    if (name == to_text(one)) return one;
  }
  throw InputError(
      "no quantity '" + name +
      "' (a curve is of latency, bandwidth, overheads, gaps, computing or uplink): give "
      "one of them");
}

/// What is otherwise: factors by their names, and the other options.
struct Change {
  std::vector<std::pair<std::string, double>> factors;
  std::vector<int> ranks;  ///< whose computing; empty: that of all
  std::optional<std::uint64_t> eager_limit;
  ReplayOptions how;
};

replay::Change change_of(const Change& asked) {
  replay::Change change;
  for (const auto& [name, factor] : asked.factors) {
    const replay::Change one = replay::change_of(quantity_of(name), factor);
    change.factors.latency *= one.factors.latency;
    change.factors.per_byte *= one.factors.per_byte;
    change.factors.overheads *= one.factors.overheads;
    change.factors.gaps *= one.factors.gaps;
    change.factors.uplinks *= one.factors.uplinks;
    change.computing *= one.computing;
  }
  change.ranks = asked.ranks;
  if (asked.eager_limit) change.eager_limit = Bytes{*asked.eager_limit};
  return change;
}

struct Asked {
  std::optional<Change> change;
  std::vector<Range> curves;
  std::size_t points{};
  std::vector<double> tolerated;
};

struct Answers {
  trace::Trace trace;
  replay::Predicted unchanged;
  std::optional<replay::WhatIf> changed;
  std::vector<std::vector<replay::Point>> curves;
  std::vector<replay::Tolerance> tolerances;
};

replay::WhatIf changed(const Answers& all, const Model& given, const Change& change) {
  replay::PredictionOptions options = prediction_options(change.how);
  const auto [model, assumed] = larger_model(given, change.how);
  options.assumed = assumed;
  return replay::what_if(all.trace, model, all.unchanged, options, change_of(change));
}

Answers answers_to(const Asked& asked, const std::filesystem::path& archive, const Model& given,
                   const ReplayOptions& how) {
  replay::PredictionOptions options = prediction_options(how);
  const auto [model, assumed] = larger_model(given, how);
  options.assumed = assumed;
  Answers all{trace::read(archive), {}, {}, {}, {}};
  all.unchanged = replay::predicted(all.trace, model, options);
  if (asked.change) all.changed = changed(all, given, *asked.change);
  for (const auto& [name, first, last] : asked.curves) {
    all.curves.push_back(replay::curve(all.trace, model, all.unchanged, options, quantity_of(name),
                                       first, last, asked.points));
  }
  if (!asked.tolerated.empty()) {
    all.tolerances = replay::tolerances(all.trace, model, all.unchanged, options, asked.tolerated);
  }
  return all;
}

/// Columns of factors, times and ratios.
py::dict columns_of(const std::vector<replay::Point>& points) {
  using replay::Point;
  const auto column_of = [&](auto&& get) { return column<double>(points, get); };
  py::dict all;
  all["factor"] = column_of([](const Point& p) { return p.factor; });
  all["time"] = column_of([](const Point& p) { return p.prediction.time.value; });
  all["low"] = column_of([](const Point& p) { return p.prediction.low.value; });
  all["high"] = column_of([](const Point& p) { return p.prediction.high.value; });
  all["ratio"] = column_of([](const Point& p) { return p.ratio.value; });
  all["ratio_low"] = column_of([](const Point& p) { return p.ratio.low; });
  all["ratio_high"] = column_of([](const Point& p) { return p.ratio.high; });
  return all;
}

py::dict changed_of(const replay::WhatIf& changed) {
  py::dict all;
  all["time"] = changed.run.prediction.time.value;
  all["low"] = changed.run.prediction.low.value;
  all["high"] = changed.run.prediction.high.value;
  all["ratio"] = changed.ratio.value;
  all["ratio_low"] = changed.ratio.low;
  all["ratio_high"] = changed.ratio.high;
  all["notes"] = notes_of(changed.run.notes);
  return all;
}

py::dict what_if_as_dict(const std::filesystem::path& archive, const Model& model,
                         const ReplayOptions& how, const Asked& asked) {
  Answers found;
  {
    const py::gil_scoped_release released;
    found = answers_to(asked, archive, model, how);
  }
  py::dict all = run_of(found.unchanged, found.trace, model);
  all["changed"] = found.changed ? py::object(changed_of(*found.changed)) : py::none();
  py::list curves;
  for (const auto& points : found.curves) curves.append(columns_of(points));
  all["curves"] = curves;
  py::list tolerances;
  for (const replay::Tolerance& one : found.tolerances) {
    tolerances.append(py::make_tuple(to_text(one.quantity), one.longer, one.factor, one.added));
  }
  all["tolerances"] = tolerances;
  return all;
}

}  // namespace

void bind_what_if(py::module_& module) {
  py::class_<Change>(module, "Change")
      .def(py::init<decltype(Change::factors), std::vector<int>, std::optional<std::uint64_t>,
                    ReplayOptions>(),
           py::kw_only(), py::arg("factors"), py::arg("ranks"), py::arg("eager_limit"),
           py::arg("how"));
  py::class_<Asked>(module, "Asked")
      .def(py::init<std::optional<Change>, std::vector<Range>, std::size_t, std::vector<double>>(),
           py::kw_only(), py::arg("change"), py::arg("curves"), py::arg("points"),
           py::arg("tolerances"));
  module.def("what_if", &what_if_as_dict, py::arg("trace"), py::arg("model"), py::arg("how"),
             py::arg("asked"));
}

}  // namespace commgauge::python
