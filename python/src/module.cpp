#include "bindings.hpp"

PYBIND11_MODULE(_commgauge, module) {
  namespace python = commgauge::python;
  module.doc() = "What commgauge (the Python package) takes from commgauge's library.";
  python::bind_errors(module);
  python::bind_files(module);
  python::bind_measurements(module);
  python::bind_thresholds(module);
  python::bind_model(module);
  python::bind_predictions(module);
  python::bind_replay(module);
  python::bind_tasks(module);
}
