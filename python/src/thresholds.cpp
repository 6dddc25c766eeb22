#include "commgauge/thresholds/thresholds.hpp"

#include <functional>

#include "bindings.hpp"
#include "commgauge/base/files.hpp"
#include "commgauge/model/interval_meaning.hpp"

namespace commgauge::python {

namespace {

py::dict as_dict(const Segment& segment) {
  py::dict result;
  result["first"] = segment.first;
  result["last"] = segment.last;
  result["intercept_s"] = segment.intercept.value;
  result["slope_s_per_byte"] = segment.slope.value;
  return result;
}

/// Sizes of its ends; no sizes where nothing was found.
py::dict as_dict(const Escalations& escalations, const Sweep& sweep) {
  py::dict result;
  result["found"] = escalations.found;
  result["reason"] = escalations.reason;
  if (!escalations.found) return result;
  result["first_bytes"] = sweep.points[escalations.first].size.value;
  result["last_bytes"] = sweep.points[escalations.last].size.value;
  return result;
}

py::dict as_dict(const SweepAnalysis& analysis) {
  py::list segments;
  for (const Segment& segment : analysis.segmentation.segments) segments.append(as_dict(segment));
  py::list breaks;
  for (const Break& found : analysis.segmentation.breaks) {
    breaks.append(py::cast(threshold_of(found, analysis.sweep)));
  }
  py::dict result;
  result["sweep"] = py::cast(analysis.sweep);
  result["fitted_s"] = column<double>(analysis.fitted_s, [](double time_s) { return time_s; });
  result["segments"] = segments;
  result["breaks"] = breaks;
  result["escalations"] = as_dict(analysis.escalations, analysis.sweep);
  result["reason"] = analysis.reason;
  result["diagnostics"] = as_list(analysis.warnings);
  return result;
}

/// The machine's thresholds, what is odd about them, and what was made of each sweep.
py::tuple as_tuple(const Thresholds& found) {
  py::list sweeps;
  for (const SweepAnalysis& analysis : found.sweeps) sweeps.append(as_dict(analysis));
  return py::make_tuple(py::cast(static_cast<const MachineThresholds&>(found)),
                        as_list(found.warnings), sweeps);
}

Thresholds analysed(const std::function<Thresholds()>& find) {
  const py::gil_scoped_release released;
  return find();
}

}  // namespace

void bind_thresholds(py::module_& module) {
  py::class_<Threshold>(module, "Threshold")
      .def_property_readonly("size_bytes", [](const Threshold& t) { return number_of(t.size); })
      .def_property_readonly("low_bytes", [](const Threshold& t) { return number_of(t.low); })
      .def_property_readonly("high_bytes", [](const Threshold& t) { return number_of(t.high); })
      .def_readonly("reason", &Threshold::reason);
  py::class_<SweepSource>(module, "SweepSource")
      .def_readonly("algorithm", &SweepSource::algorithm)
      .def_readonly("timing", &SweepSource::timing)
      .def_readonly("root", &SweepSource::root)
      .def_readonly("launches", &SweepSource::launches);
  py::class_<MachineThresholds>(module, "Thresholds")
      .def_readonly("confidence", &MachineThresholds::confidence)
      .def_property_readonly(
          "interval_meaning",
          [](const MachineThresholds& thresholds) { return interval_meaning(thresholds); })
      .def_readonly("eager_limit", &MachineThresholds::eager_limit)
      .def_readonly("scatter_break", &MachineThresholds::scatter_break)
      .def_readonly("gather_m1", &MachineThresholds::gather_m1)
      .def_readonly("gather_m2", &MachineThresholds::gather_m2)
      .def_readonly("scatter_sweep", &MachineThresholds::scatter_sweep)
      .def_readonly("gather_sweep", &MachineThresholds::gather_sweep);
  module.def(
      "load_thresholds",
      [](const std::filesystem::path& file) {
        const ThresholdFindings found = [&] {
          const py::gil_scoped_release released;
          return load_thresholds(file);
        }();
        return py::make_tuple(py::cast(static_cast<const MachineThresholds&>(found)),
                              as_list(found.warnings));
      },
      py::arg("file"));
  module.def(
      "analyse_measurements",
      [](const Measurements& measurements) {
        return as_tuple(analysed([&] { return find_thresholds(measurements, {}); }));
      },
      py::arg("measurements"));
  module.def(
      "analyse_sweeps",
      [](const std::filesystem::path& file) {
        return as_tuple(
            analysed([&] { return find_thresholds(sweeps_from_csv(read_file(file), file), {}); }));
      },
      py::arg("file"));
}

}  // namespace commgauge::python
