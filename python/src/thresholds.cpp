#include "commgauge/thresholds.hpp"

#include "bindings.hpp"

namespace commgauge::python {

void bind_thresholds(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> without_gil;
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
      .def_readonly("eager_limit", &MachineThresholds::eager_limit)
      .def_readonly("scatter_break", &MachineThresholds::scatter_break)
      .def_readonly("gather_m1", &MachineThresholds::gather_m1)
      .def_readonly("gather_m2", &MachineThresholds::gather_m2)
      .def_readonly("scatter_sweep", &MachineThresholds::scatter_sweep)
      .def_readonly("gather_sweep", &MachineThresholds::gather_sweep);
  module.def("load_thresholds", &load_thresholds, py::arg("file"), without_gil);
}

}  // namespace commgauge::python
